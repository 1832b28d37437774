//! The newest of those that speak of the same matter comes first, and what repeats a better hit comes later.
//!
//! Both are factors of the score. A person who reads six hits, or an agent that is handed five, gains nothing from the
//! same thing five times, and is misled by what was changed since.

use scrubjay_core::id::MemoryId;
use scrubjay_core::lexical::{tells_of_change, term_hash};
use scrubjay_core::memory::Kind;
use scrubjay_store::item::Item;

use super::alike::Likeness;
use super::amount::AmountQuestion;
use super::question::{Found, Newer};
use super::rank::HeldTerms;
use super::succession::{Ageing, Traits, Turn, fates};

/// The best hits that are looked at.
const LOOKED_AT: usize = 30;

/// The likeness below which two hits speak of different matters: at least this, and so much more than two candidates
/// have on average. Functions of one file are all alike, and none of them repeats another.
const DIFFERENT: f32 = 0.4;
const ABOVE_AVERAGE: f32 = 0.35;

/// What is left of the score, as a power of e, of one that says the same as a better one.
const REPEATED: f64 = 1.0;

/// The most that is left of the score of one whose amount was stated anew, as a share of its successor's.
const BELOW_SUCCESSOR: f64 = 0.9;

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
    /// Which content terms of the question it holds.
    pub(super) held: HeldTerms,
    /// Whether it is a document as a whole, which nothing repeats or replaces.
    pub(super) is_whole_document: bool,
    /// Whether it states nothing about what is asked.
    pub(super) is_open: bool,
    /// The hit.
    pub(super) found: Found,
}

impl Weighed {
    // How it stands in time. Pieces of files, documents and code have no such time, and what people who are called by
    // their names tell each other is a story, in which nothing takes the place of what came before.
    fn turn(&self, amount: Option<&AmountQuestion>) -> Option<Turn> {
        let Item::Memory(memory) = &self.found.item else { return None };
        if self.is_whole_document {
            return None;
        }
        let is_dialogue = matches!(memory.role.as_deref(), None | Some("user" | "assistant"));
        if memory.kind() == Kind::Episode && !is_dialogue {
            return None;
        }
        let is_of_person = memory.role.as_deref() == Some("user");
        // Facts are compared by their slots when they are stored, and an assistant's words hold numbers of all kinds.
        let is_said_by_person = is_of_person && memory.kind() == Kind::Episode;
        let feature =
            |name: &str| self.found.features.iter().find(|(own, _)| *own == name).map_or(0.0, |(_, value)| *value);
        Some(Turn {
            age: (memory.event_time, self.key),
            fit: self.fit,
            held: self.held,
            session: memory.session_id.as_ref().map(|session| term_hash(session.as_ref())),
            traits: Traits {
                coverage: feature("coverage"),
                cosine: feature("cosine"),
                length: feature("length_log"),
                is_question: feature("is_question"),
                newer_among_5: feature("newer_among_5"),
                newer_share: feature("newer_share"),
            },
            is_of_person,
            is_open: self.is_open,
            tells_of_change: tells_of_change(&memory.content),
            is_foreign: memory.origin.kind.is_foreign(),
            amount: amount.filter(|_| is_said_by_person).and_then(|amount| amount.answered_by(&memory.content)),
        })
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

/// Weighs the best hits by what the others say in answer to a question.
pub(super) fn weigh_by_novelty(
    hits: &mut [Weighed],
    likeness: &Likeness,
    content_idfs: &[f32],
    ageing: Ageing,
    question: &str,
) {
    hits.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(b.key.cmp(&a.key)));
    let looked_at = hits.len().min(LOOKED_AT);
    let hits = &mut hits[..looked_at];
    if ageing != Ageing::None {
        prefer_newest(hits, likeness, content_idfs, ageing, AmountQuestion::of(question).as_ref());
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
        if one.is_whole_document || other.is_whole_document {
            return 0.0;
        }
        let likeness = self.likeness.between(one.key, other.key);
        ((likeness - self.different) / (1.0 - self.different).max(0.01)).clamp(0.0, 1.0)
    }
}

fn prefer_newest(
    hits: &mut [Weighed],
    likeness: &Likeness,
    content_idfs: &[f32],
    ageing: Ageing,
    amount: Option<&AmountQuestion>,
) {
    let turns: Vec<Option<Turn>> = hits.iter().map(|hit| hit.turn(amount)).collect();
    let alike = |one: usize, other: usize| likeness.between(hits[one].key, hits[other].key);
    let fates = fates(&turns, alike, likeness.mean(), content_idfs, ageing);
    for (place, fate) in fates.iter().enumerate() {
        hits[place].found.rivals =
            fate.rivals.iter().filter_map(|rival| Some((hits[rival.by].id()?, rival.evidence))).collect();
        if let Some((by, sameness)) = fate.successor
            && let (Some(id), Some(turn)) = (hits[by].id(), turns[by])
        {
            hits[place].found.newer = Some(Newer { id, since: turn.age.0, sameness });
        }
        hits[place].weigh("newer", fate.factor);
    }
    for (place, fate) in fates.iter().enumerate().filter(|(_, fate)| fate.is_below_successor) {
        if let Some((by, _)) = fate.successor {
            let most = BELOW_SUCCESSOR * hits[by].weight;
            let factor = most / hits[place].weight.max(f64::MIN_POSITIVE);
            hits[place].weigh("restated", factor);
        }
    }
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
