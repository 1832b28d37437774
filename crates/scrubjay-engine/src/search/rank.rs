//! One relevance out of what the arms say.
//!
//! *Words*: how much of the question's information a candidate holds. BM25 with
//! the turns beside a turn counted in a little, divided by the sum of the terms'
//! weights: a share, comparable between questions.
//!
//! *Meaning*: how far a candidate's similarity stands out from what is usual
//! here, in standard deviations, cubed. A question whose nearest texts are no
//! nearer than chance leaves the order to the words; one that stands out takes
//! the lead. So each arm counts by how sure it is of this very question.
//!
//! Who speaks and when count as words do: a speaker whom the question names, and
//! a time that it names. Names of known things lift what mentions them.
//!
//! The other two ways to fuse, `rrf` and `weighted`, take the same scores.

use super::background::Background;
use super::index::ASKS;
use super::pool::{BM25, Candidate, Pool};
use super::query::Query;
use super::question::{Fusion, Place, Question};

/// What the turns beside a turn add to its words and to its similarity.
pub(super) const NEIGHBOUR_WORDS: f32 = 0.3;
pub(super) const NEIGHBOUR_SIMILARITY: f32 = 0.1;

/// The surprise that counts as much as all words of the question together: one
/// text in half a million is so near by chance.
const SURPRISE: f32 = 4.64;

/// What the words of a question add to the answer after it, on top.
const ANSWER_WORDS: f32 = 0.5;

/// What the name of a known thing adds that few memories mention.
const NAMED: f32 = 0.25;

/// How fast relevance grows with what the arms say together.
const RELEVANCE_SCALE: f64 = 1.1;

/// The constant of reciprocal rank fusion.
const RRF: f32 = 60.0;

/// A candidate with its relevance.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    /// Its key.
    pub(super) key: u64,
    /// How well it fits, 0 to 1.
    pub(super) relevance: f64,
    /// Its place in each arm.
    pub(super) places: Vec<(&'static str, Place)>,
}

// What the arms say about one candidate.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    words: f32,
    surprise: Option<f32>,
    cosine: Option<f32>,
}

/// Puts the candidates in order.
pub(super) fn rank(pool: &Pool, query: &Query, question: &Question) -> Vec<Ranked> {
    let said: Vec<Said> = (0..pool.candidates.len()).map(|place| say(pool, question, place)).collect();
    let by_words = ranks(&said, |said| Some(said.words).filter(|words| *words > 0.0));
    let by_meaning = ranks(&said, |said| said.cosine);
    let mut ranked = Vec::new();
    for (place, candidate) in pool.candidates.iter().enumerate().filter(|(_, candidate)| candidate.admitted) {
        let said = said[place];
        let relevance = match question.fusion {
            Fusion::Convex => relevance(convex(&said, candidate)),
            Fusion::Rrf => {
                let share = |rank: Option<usize>| rank.map_or(0.0, |rank| (RRF + 1.0) / (RRF + rank as f32));
                let arms = f32::from(u8::from(query.vector.is_some())) + 1.0;
                f64::from((share(by_words[place]) + share(by_meaning[place])) / arms)
            }
            Fusion::Weighted => {
                let meaning = match (&query.vector, said.cosine) {
                    (Some(vector), Some(cosine)) => vector.calibration.relevance(cosine),
                    _ => 0.0,
                };
                f64::from(0.7 * meaning + 0.3 * (said.words / (BM25.k1 + 1.0)).min(1.0))
            }
        };
        if relevance <= 0.0 {
            continue;
        }
        let mut places = Vec::with_capacity(4);
        let mut found = |arm, rank: Option<usize>, score: f32| {
            places.extend(rank.map(|rank| (arm, Place { rank, score: f64::from(score) })));
        };
        found("lexical", by_words[place], said.words);
        found("vector", by_meaning[place], said.cosine.unwrap_or_default());
        found("entity", (candidate.named > 0.0).then_some(1), candidate.named);
        found("time", (candidate.in_time > 0.0).then_some(1), candidate.in_time);
        ranked.push(Ranked { key: candidate.row.key, relevance, places });
    }
    ranked.sort_by(|a, b| b.relevance.total_cmp(&a.relevance).then(a.key.cmp(&b.key)));
    ranked
}

/// The similarity of a candidate, what stands beside it counted in.
pub(super) fn similarity(own: f32, before: Option<f32>, after: Option<f32>) -> f32 {
    own + NEIGHBOUR_SIMILARITY * (before.unwrap_or(0.0) + after.unwrap_or(0.0))
}

fn say(pool: &Pool, question: &Question, place: usize) -> Said {
    let candidate = &pool.candidates[place];
    let words = if question.arms.lexical { words(pool, place) } else { 0.0 };
    let cosine_of = |place: Option<usize>| place.and_then(|place| pool.candidates[place].cosine());
    let cosine = candidate.cosine();
    let surprise = match (pool.background, cosine) {
        (Some(background), Some(own)) => {
            let near = similarity(own, cosine_of(candidate.before), cosine_of(candidate.after));
            Some(Background::surprise(&background, near))
        }
        _ => None,
    };
    Said { words, surprise, cosine }
}

// The share of the question's information that a candidate holds.
fn words(pool: &Pool, place: usize) -> f32 {
    let candidate = &pool.candidates[place];
    let beside = [
        candidate.before.map(|before| (before, NEIGHBOUR_WORDS + answers(&pool.candidates[before], candidate))),
        candidate.after.map(|after| (after, NEIGHBOUR_WORDS)),
    ];
    let beside = || beside.iter().flatten();
    let lengths = pool.frequencies.lengths();
    let mut length = lengths[place] as f32;
    length += beside().map(|(place, share)| share * lengths[*place] as f32).sum::<f32>();
    let norm = BM25.k1 * (1.0 - BM25.b + BM25.b * length / pool.average_length);
    let own = pool.frequencies.of(place);
    let (mut held, mut all) = (0.0, 0.0);
    for (term, weight) in pool.term_weights.iter().enumerate() {
        let mut frequency = own[term] as f32;
        frequency += beside().map(|(place, share)| share * pool.frequencies.of(*place)[term] as f32).sum::<f32>();
        all += weight;
        held += weight * frequency * (BM25.k1 + 1.0) / (frequency + norm);
    }
    let spoken = own[pool.term_weights.len()..].iter().zip(&pool.speaker_weights);
    held += spoken.filter(|(count, _)| **count > 0).map(|(_, weight)| weight).sum::<f32>();
    held += pool.time_weight * candidate.in_time;
    if all > 0.0 { held / all } else { held.min(1.0) }
}

// A question and the answer after it belong together.
fn answers(before: &Candidate, candidate: &Candidate) -> f32 {
    let asked = before.row.columns.flags & ASKS != 0;
    if asked && before.row.columns.role_hash != candidate.row.columns.role_hash { ANSWER_WORDS } else { 0.0 }
}

fn convex(said: &Said, candidate: &Candidate) -> f32 {
    let surprise = said.surprise.map_or(0.0, |surprise| (surprise.max(0.0) / SURPRISE).powi(3));
    // A name alone says nothing; it lifts what fits in some other way.
    let said = said.words + surprise;
    said + NAMED * candidate.named * said.min(1.0)
}

fn relevance(said: f32) -> f64 {
    let said = f64::from(said.max(0.0));
    said / (said + RELEVANCE_SCALE)
}

// The place of each in one arm, from 1; none where the arm says nothing.
fn ranks(said: &[Said], score: impl Fn(&Said) -> Option<f32>) -> Vec<Option<usize>> {
    let mut order: Vec<(usize, f32)> =
        said.iter().enumerate().filter_map(|(place, said)| Some((place, score(said)?))).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut ranks = vec![None; said.len()];
    for (rank, (place, _)) in order.into_iter().enumerate() {
        ranks[place] = Some(rank + 1);
    }
    ranks
}
