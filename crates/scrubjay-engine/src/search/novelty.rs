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

/// When a newer hit takes the place of an older one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Succession {
    /// The least likeness, so that it comes before it.
    ordered: f32,
    /// The same, so that the older one is told to be changed, and is left out of a block.
    told: f32,
    /// The least share of the older one's fit that the newer one must have.
    comparable: f64,
    /// What is left of the older one's score.
    left: f64,
}

/// Any newer hit, for a question about how things are.
const SAID_LATER: Succession = Succession { ordered: 0.35, told: 0.6, comparable: 0.5, left: 0.55 };

/// A newer hit that tells of a change.
const CHANGED_LATER: Succession = Succession { ordered: 0.4, told: 0.55, comparable: 0.3, left: 0.3 };

/// Any newer hit, for a task: whatever was learned on the way helps with it, unless it was said again.
const SAID_AGAIN: Succession = Succession { ordered: 0.65, told: 0.65, comparable: 0.5, left: 0.55 };

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
    match ageing {
        Ageing::OfAnswers => prefer_newest(hits, likeness, SAID_LATER, Some(CHANGED_LATER)),
        Ageing::OfLessons => prefer_newest(hits, likeness, SAID_AGAIN, None),
        Ageing::None => {}
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

fn prefer_newest(hits: &mut [Weighed], likeness: &Likeness, said: Succession, changed: Option<Succession>) {
    let tells: Vec<bool> = hits.iter().map(|hit| tells_of_change(hit.found.item.text())).collect();
    let successors = |place: usize| {
        let said = newest_alike(hits, likeness, place, said, |_| true);
        let changed = changed.and_then(|changed| newest_alike(hits, likeness, place, changed, |at| tells[at]));
        [said, changed]
    };
    let found: Vec<[Option<Successor>; 2]> = (0..hits.len()).map(successors).collect();
    for (place, successors) in found.into_iter().enumerate() {
        let successors = || successors.iter().flatten();
        let told =
            successors().filter(|by| by.likeness >= by.rule.told).max_by(|a, b| a.likeness.total_cmp(&b.likeness));
        if let Some(by) = told
            && let Some((since, _)) = hits[by.place].age()
        {
            hits[place].found.newer = hits[by.place].id().map(|id| Newer { id, since, sameness: by.likeness });
        }
        let left = successors().map(|by| by.rule.left).fold(1.0, f64::min);
        hits[place].weigh("newer", left);
    }
}

// The hit that takes the place of another.
#[derive(Debug, Clone, Copy)]
struct Successor {
    place: usize,
    likeness: f32,
    rule: Succession,
}

// The hit most alike among those that are newer and good enough.
fn newest_alike(
    hits: &[Weighed],
    likeness: &Likeness,
    place: usize,
    rule: Succession,
    counts: impl Fn(usize) -> bool,
) -> Option<Successor> {
    let own = &hits[place];
    let age = own.age()?;
    let is_newer = |other: &Weighed| {
        !other.is_open && other.age().is_some_and(|other| other > age) && other.fit >= rule.comparable * own.fit
    };
    let newer = hits.iter().enumerate().filter(|(at, other)| counts(*at) && is_newer(other));
    let alike = newer.map(|(at, other)| (likeness.between(own.key, other.key), at));
    let (likeness, place) =
        alike.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness >= rule.ordered)?;
    Some(Successor { place, likeness, rule })
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
