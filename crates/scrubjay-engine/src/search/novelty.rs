//! The newest of those that speak of the same matter comes first, and what repeats a better hit comes later.
//!
//! Both are factors of the score. A person who reads six hits, or an agent that is handed five, gains nothing from the
//! same thing five times, and is misled by what was changed since.

use scrubjay_core::id::MemoryId;
use scrubjay_core::lexical::tells_of_change;
use scrubjay_core::time::Timestamp;
use scrubjay_store::item::Item;

use super::alike::Likeness;
use super::question::{Found, Newer};
use crate::embed::speaker;

/// The best hits that are looked at.
const LOOKED_AT: usize = 30;

/// The likeness below which two hits speak of different matters: at least this, and so much more than two candidates
/// have on average. Functions of one file are all alike, and none of them repeats another.
const DIFFERENT: f32 = 0.4;
const ABOVE_AVERAGE: f32 = 0.35;

/// What is left of the score, as a power of e, of one that says the same as a better one.
const REPEATED: f64 = 1.0;

/// The best hits among which ages are compared.
const CONTEMPORARIES: usize = 10;

/// What keeps the comparison with few contemporaries small.
const FEW_CONTEMPORARIES: f64 = 0.25;

/// How alike two hits must be, and how comparable, so that the older one falls behind in answer to a question.
const RELATED: Threshold = Threshold { likeness: 0.3, comparable: 0.2 };

/// What an older, related hit loses in any case, and what more if all of what fits is newer, as powers of e.
const OLDER: f64 = 0.2;
const OLDER_THAN_ALL: f64 = 1.5;

/// When a newer hit takes the place of an older one in answer to a question: any one, and one that tells of a change.
const SAID_LATER: Threshold = Threshold { likeness: 0.55, comparable: 0.5 };
const CHANGED_LATER: Threshold = Threshold { likeness: 0.35, comparable: 0.25 };

/// When it does for a task: whatever was learned on the way helps with it, unless it was said again.
const SAID_AGAIN: Threshold = Threshold { likeness: 0.65, comparable: 0.5 };

/// What is left of the score of one that was said again.
const AFTER_SAID_AGAIN: f64 = 0.6;

/// How much more alike an assistant's words must be to take the place of a person's: an answer does not change what it
/// answers.
const OVER_A_PERSON: f32 = 0.1;

/// The least likeness of two hits, and the least share of the older one's fit that the newer one must have.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Threshold {
    likeness: f32,
    comparable: f64,
}

/// How age counts for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ageing {
    /// It asks how something is: what holds now.
    OfAnswers,
    /// It is a task.
    OfLessons,
    /// It asks for the past.
    None,
}

/// A hit with what its place follows.
#[derive(Debug)]
pub(super) struct Weighed {
    /// Relevance times weights, which may exceed 1.
    pub(super) weight: f64,
    /// How it compares with the best, 0 to 1.
    pub(super) fit: f64,
    /// The share of the feedback terms that it holds.
    pub(super) feedback: f32,
    /// Its key in the index.
    pub(super) key: u64,
    /// Whether it states nothing about what is asked.
    pub(super) is_open: bool,
    /// The hit.
    pub(super) found: Found,
}

impl Weighed {
    // When it was said, and which of the same moment came later. Pieces of files have no such time, and what people who
    // are called by their names tell each other is a story, in which nothing takes the place of what came before.
    fn age(&self) -> Option<(Timestamp, u64)> {
        match &self.found.item {
            Item::Memory(memory) if speaker(memory).is_none() => Some((memory.event_time, self.key)),
            _ => None,
        }
    }

    fn is_of_person(&self) -> bool {
        matches!(&self.found.item, Item::Memory(memory) if memory.role.as_deref() == Some("user"))
    }

    fn id(&self) -> Option<MemoryId> {
        match &self.found.item {
            Item::Memory(memory) => Some(memory.id),
            Item::Chunk(_) => None,
        }
    }

    fn weigh(&mut self, name: &'static str, factor: f64) {
        if factor < 1.0 {
            self.weight *= factor;
            self.found.score = self.weight.clamp(0.0, 1.0);
            self.found.factors.push((name, factor));
        }
    }
}

/// Weighs the best hits by what the others say.
pub(super) fn weigh_by_novelty(hits: &mut [Weighed], likeness: &Likeness, ageing: Ageing) {
    hits.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(b.key.cmp(&a.key)));
    let looked_at = hits.len().min(LOOKED_AT);
    let hits = &mut hits[..looked_at];
    if ageing != Ageing::None {
        prefer_newest(hits, likeness, ageing);
    }
    demote_repetitions(hits, &Matters { likeness, different: DIFFERENT.max(likeness.mean() + ABOVE_AVERAGE) });
}

// Which hits speak of the same matter.
struct Matters<'a> {
    likeness: &'a Likeness,
    different: f32,
}

impl Matters<'_> {
    // 0 for different matters, 1 for the same words.
    fn sameness(&self, one: &Weighed, other: &Weighed) -> f32 {
        let likeness = self.likeness.between(one.key, other.key);
        ((likeness - self.different) / (1.0 - self.different).max(0.01)).clamp(0.0, 1.0)
    }
}

fn prefer_newest(hits: &mut [Weighed], likeness: &Likeness, ageing: Ageing) {
    let tells: Vec<bool> = hits.iter().map(|hit| tells_of_change(hit.found.item.text())).collect();
    let mut newest_first: Vec<usize> = (0..hits.len()).filter(|place| hits[*place].age().is_some()).collect();
    newest_first.sort_by_key(|place| std::cmp::Reverse(hits[*place].age()));
    let mut replaced = vec![false; hits.len()];
    let mut found = Vec::with_capacity(hits.len());
    for (number, place) in newest_first.iter().copied().enumerate() {
        let newer = || {
            let newer = newest_first[..number].iter().copied().filter(|other| !hits[*other].is_open);
            newer.map(|other| (other, Pair::of(&hits[place], &hits[other], likeness)))
        };
        let takes_place = |other: usize, pair: Pair| match ageing {
            Ageing::OfAnswers => pair.reaches(SAID_LATER) || (tells[other] && pair.reaches(CHANGED_LATER)),
            Ageing::OfLessons => pair.reaches(SAID_AGAIN),
            Ageing::None => false,
        };
        // What lost its own place takes none: then its successor must be the one that is alike.
        let successor = newer()
            .filter(|(other, pair)| !replaced[*other] && takes_place(*other, *pair))
            .max_by(|(_, a), (_, b)| a.likeness.total_cmp(&b.likeness));
        replaced[place] = successor.is_some();
        let factor = match ageing {
            Ageing::OfAnswers if newer().any(|(_, pair)| pair.reaches(RELATED)) => {
                (-OLDER - OLDER_THAN_ALL * newer_share(hits, place)).exp()
            }
            Ageing::OfLessons if newer().any(|(_, pair)| pair.reaches(SAID_AGAIN)) => AFTER_SAID_AGAIN,
            _ => 1.0,
        };
        found.push((place, successor, factor));
    }
    for (place, successor, factor) in found {
        if let Some((by, pair)) = successor
            && let (Some(id), Some((since, _))) = (hits[by].id(), hits[by].age())
        {
            hits[place].found.newer = Some(Newer { id, since, sameness: pair.likeness });
        }
        hits[place].weigh("newer", factor);
    }
}

// How an older hit and a newer one compare.
#[derive(Debug, Clone, Copy)]
struct Pair {
    likeness: f32,
    // The newer one's fit beside the older one's.
    comparable: f64,
}

impl Pair {
    fn of(older: &Weighed, newer: &Weighed, likeness: &Likeness) -> Self {
        let is_answer = older.is_of_person() && !newer.is_of_person();
        let likeness = likeness.between(older.key, newer.key) - if is_answer { OVER_A_PERSON } else { 0.0 };
        Self { likeness, comparable: newer.fit / older.fit.max(f64::MIN_POSITIVE) }
    }

    fn reaches(self, threshold: Threshold) -> bool {
        self.likeness >= threshold.likeness && self.comparable >= threshold.comparable
    }
}

// The share of what fits best that is newer than a hit: by fit, 0 to 1.
fn newer_share(hits: &[Weighed], place: usize) -> f64 {
    let mut best: Vec<&Weighed> = hits.iter().collect();
    best.sort_by(|a, b| b.fit.total_cmp(&a.fit));
    best.truncate(CONTEMPORARIES);
    let all: f64 = best.iter().map(|hit| hit.fit).sum();
    let newer = best.iter().filter(|hit| !hit.is_open && hit.age() > hits[place].age());
    newer.map(|hit| hit.fit).sum::<f64>() / (all + FEW_CONTEMPORARIES)
}

// Takes the best again and again; what is like one that was taken counts less.
fn demote_repetitions(hits: &mut [Weighed], matters: &Matters<'_>) {
    let mut repeats = vec![0.0_f32; hits.len()];
    let mut left: Vec<usize> = (0..hits.len()).collect();
    while let Some(at) = {
        let value = |place: usize| hits[place].weight * factor_of(repeats[place]);
        (0..left.len()).max_by(|a, b| value(left[*a]).total_cmp(&value(left[*b])).then(b.cmp(a)))
    } {
        let taken = left.remove(at);
        // A repeated question must not push its answer away.
        if hits[taken].is_open {
            continue;
        }
        for place in &left {
            repeats[*place] = repeats[*place].max(matters.sameness(&hits[*place], &hits[taken]));
        }
    }
    for (hit, repeats) in hits.iter_mut().zip(repeats) {
        hit.weigh("repeats", factor_of(repeats));
    }
}

fn factor_of(repeats: f32) -> f64 {
    (-REPEATED * f64::from(repeats)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repetition_keeps_a_third_of_its_score_and_what_is_new_all_of_it() {
        assert!((factor_of(1.0) - 0.37).abs() < 0.01);
        assert!((factor_of(0.0) - 1.0).abs() < 1e-9);
    }
}
