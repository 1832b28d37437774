//! The newest of those that speak of the same matter comes first, and what repeats a better hit comes later.
//!
//! Both are factors of the score. A person who reads six hits, or an agent that is handed five, gains nothing from the
//! same thing five times, and is misled by what was changed since.

use scrubjay_core::id::MemoryId;
use scrubjay_core::time::Timestamp;
use scrubjay_store::item::Item;

use super::alike::Likeness;
use super::question::{Found, Newer};

/// The best hits that are looked at.
const LOOKED_AT: usize = 30;

/// The likeness below which two hits speak of different matters: at least this, and so much more than two candidates
/// have on average. Functions of one file are all alike, and none of them repeats another.
const DIFFERENT: f32 = 0.4;
const ABOVE_AVERAGE: f32 = 0.35;

/// What is left of the score, as a power of e: of a hit that a newer one speaks of the same matter as, and of one
/// that says the same as a better one.
const NEWER: f64 = 1.0;
const REPEATED: f64 = 1.0;

/// A newer hit counts if its score is at least this share of the older one's.
const COMPARABLE: f64 = 0.5;

/// The sameness of an older hit with a newer one from which it is told about, and left out of a block.
const TOLD: f32 = 0.4;

/// A hit with what its place follows.
#[derive(Debug)]
pub(super) struct Weighed {
    /// Relevance times weights, which may exceed 1.
    pub(super) weight: f64,
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
    // When it was said, and which of the same moment came later; pieces of files have no such time.
    fn age(&self) -> Option<(Timestamp, u64)> {
        match &self.found.item {
            Item::Memory(memory) => Some((memory.event_time, self.key)),
            Item::Chunk(_) => None,
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

/// Weighs the best hits by what the others say. `newest_wins` unless the question asks for the past.
pub(super) fn weigh_by_novelty(hits: &mut [Weighed], likeness: &Likeness, newest_wins: bool) {
    hits.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(b.key.cmp(&a.key)));
    let looked_at = hits.len().min(LOOKED_AT);
    let hits = &mut hits[..looked_at];
    let matters = Matters { likeness, different: DIFFERENT.max(likeness.mean() + ABOVE_AVERAGE) };
    if newest_wins {
        prefer_newest(hits, &matters);
    }
    demote_repetitions(hits, &matters);
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

fn prefer_newest(hits: &mut [Weighed], matters: &Matters<'_>) {
    let newer: Vec<Option<(f32, usize)>> = (0..hits.len()).map(|place| newer_alike(hits, matters, place)).collect();
    for (place, newer) in newer.into_iter().enumerate() {
        let Some((sameness, by)) = newer else { continue };
        if sameness >= TOLD
            && let Some((since, _)) = hits[by].age()
        {
            hits[place].found.newer = hits[by].id().map(|id| Newer { id, since, sameness });
        }
        hits[place].weigh("newer", (-NEWER * f64::from(sameness)).exp());
    }
}

// The hit most alike among those that are newer and hardly worse.
fn newer_alike(hits: &[Weighed], matters: &Matters<'_>, place: usize) -> Option<(f32, usize)> {
    let own = &hits[place];
    let age = own.age()?;
    let is_newer = |other: &Weighed| {
        !other.is_open && other.age().is_some_and(|other| other > age) && other.weight >= COMPARABLE * own.weight
    };
    let alike = hits.iter().enumerate().filter(|(_, other)| is_newer(other));
    let alike = alike.map(|(at, other)| (matters.sameness(own, other), at));
    alike.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(sameness, _)| *sameness > 0.0)
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
