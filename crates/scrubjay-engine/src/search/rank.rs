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
//! Who speaks, when, and where it lies count as words do: a speaker whom the question
//! names, a time that it names, a path that has its words. Names of known things lift what mentions them.
//!
//! What the best of them are about counts, too, in a second round (`feedback.rs`).
//!
//! The sum of it all puts candidates in order. Its height says little about whether
//! any of them is about the question: in a large store something always stands
//! out. So the best three are asked how near they are in plain terms and how many
//! of the words they hold; from that comes how sure it is that there is anything
//! to find, and each candidate gets its share of that. An unrelated question gets
//! low relevance throughout.
//!
//! The other two ways to fuse, `rrf` and `weighted`, take the same scores.

use scrubjay_index::Frequencies;
use scrubjay_models::embed::Calibration;

use super::background::Cosines;
use super::feedback::Feedback;
use super::index::ASKS;
use super::pool::{BM25, Candidate, Pool};
use super::query::Query;
use super::question::{Fusion, Place, Question};

/// What the turns beside a turn add to its words.
pub(super) const NEIGHBOUR_WORDS: f32 = 0.3;

/// The surprise that counts as much as all words of the question together: one
/// text in half a million is so near by chance.
const SURPRISE: f32 = 4.64;

/// What the words of a question add to the answer after it, on top.
const ANSWER_WORDS: f32 = 0.5;

/// What the name of a known thing adds that few memories mention.
const NAMED: f32 = 0.25;

/// The best candidates, which decide whether there is anything to find at all.
const WITNESSES: usize = 3;

/// What speaks for them, as logarithms of odds: every standard deviation by which
/// the nearest lies above texts that have nothing to do with the question, and
/// all words of the question; and what speaks against them from the start.
/// `docs/quality.md` says what this was fitted to.
const DISTANCE_COUNTS: f32 = 1.8;
const WORDS_COUNT: f32 = 11.0;
const DOUBT: f32 = 7.8;

/// The same where words are all there is.
const WORDS_ALONE_COUNT: f32 = 12.0;
const DOUBT_OF_WORDS_ALONE: f32 = 5.7;

/// The constant of reciprocal rank fusion.
const RRF: f32 = 60.0;

/// A candidate with its relevance.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    /// Its key.
    pub(super) key: u64,
    /// How well it fits, 0 to 1.
    pub(super) relevance: f64,
    /// How much it has of what the best are about, which tells equals apart.
    pub(super) like_the_best: f32,
    /// Its place in each arm.
    pub(super) places: Vec<(&'static str, Place)>,
}

// What the arms say about one candidate.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    words: f32,
    surprise: Option<f32>,
    cosine: Option<f32>,
    /// How much it has of what the best are about.
    like_the_best: f32,
}

/// Puts the candidates in order, in the second round with what was learned from the best of the first.
pub(super) fn rank(pool: &Pool, query: &Query, question: &Question, feedback: Option<&Feedback>) -> Vec<Ranked> {
    let said: Vec<Said> = (0..pool.candidates.len()).map(|place| say(pool, question, feedback, place)).collect();
    let by_words = ranks(&said, |said| Some(said.words).filter(|words| *words > 0.0));
    let by_feedback = ranks(&said, |said| Some(said.like_the_best).filter(|alike| *alike > 0.0));
    let by_meaning = ranks(&said, |said| said.cosine);
    let admitted = || (0..said.len()).filter(|place| pool.candidates[*place].admitted);
    let mut fused: Vec<(usize, f64)> = match question.fusion {
        Fusion::Convex => {
            let mut fits: Vec<(usize, f32)> =
                admitted().map(|place| (place, convex(&said[place], &pool.candidates[place]))).collect();
            fits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            let witnesses: Vec<Said> = fits.iter().take(WITNESSES).map(|(place, _)| said[*place]).collect();
            let gate = f64::from(gate(&witnesses, usual(pool, query)));
            fits.retain(|(_, fit)| *fit > 0.0);
            let best = fits.first().map_or(1.0, |(_, fit)| f64::from(*fit));
            let relevances: Vec<f64> = fits.iter().map(|(_, fit)| gate * f64::from(*fit) / best).collect();
            if let Some(feedback) = feedback {
                for (place, fit) in &mut fits {
                    *fit += feedback.count * said[*place].like_the_best;
                }
                fits.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            }
            // The second round puts them in another order; how much fits the question stays as it was.
            fits.into_iter().zip(relevances).map(|((place, _), relevance)| (place, relevance)).collect()
        }
        Fusion::Rrf => {
            let share = |rank: Option<usize>| rank.map_or(0.0, |rank| (RRF + 1.0) / (RRF + rank as f32));
            let arms = f32::from(u8::from(query.vector.is_some())) + 1.0;
            let sum = |place: usize| f64::from((share(by_words[place]) + share(by_meaning[place])) / arms);
            admitted().map(|place| (place, sum(place))).collect()
        }
        Fusion::Weighted => {
            let sum = |place: usize| {
                let meaning = match (&query.vector, said[place].cosine) {
                    (Some(vector), Some(cosine)) => vector.calibration.relevance(cosine),
                    _ => 0.0,
                };
                f64::from(0.7 * meaning + 0.3 * (said[place].words / (BM25.k1 + 1.0)).min(1.0))
            };
            admitted().map(|place| (place, sum(place))).collect()
        }
    };
    fused.retain(|(_, relevance)| *relevance > 0.0);
    let mut ranked: Vec<Ranked> = fused
        .into_iter()
        .map(|(place, relevance)| {
            let (candidate, said) = (&pool.candidates[place], said[place]);
            let mut places = Vec::with_capacity(5);
            let mut found = |arm, rank: Option<usize>, score: f32| {
                places.extend(rank.map(|rank| (arm, Place { rank, score: f64::from(score) })));
            };
            found("lexical", by_words[place], said.words);
            found("vector", by_meaning[place], said.cosine.unwrap_or_default());
            found("entity", (candidate.named > 0.0).then_some(1), candidate.named);
            found("time", (candidate.in_time > 0.0).then_some(1), candidate.in_time);
            found("feedback", by_feedback[place], said.like_the_best);
            Ranked { key: candidate.row.key, relevance, like_the_best: said.like_the_best, places }
        })
        .collect();
    ranked.sort_by(|a, b| {
        let alike = || b.like_the_best.total_cmp(&a.like_the_best);
        b.relevance.total_cmp(&a.relevance).then_with(alike).then(a.key.cmp(&b.key))
    });
    ranked
}

fn say(pool: &Pool, question: &Question, feedback: Option<&Feedback>, place: usize) -> Said {
    let candidate = &pool.candidates[place];
    let words = if question.arms.lexical { words(pool, place) } else { 0.0 };
    let cosine_of = |place: Option<usize>| place.and_then(|place| pool.candidates[place].cosine());
    let cosine = candidate.cosine();
    let surprise = match (pool.background, cosine) {
        (Some(background), Some(own)) => {
            let (before, after) = (cosine_of(candidate.before), cosine_of(candidate.after));
            Some(background.surprise(Cosines { own, before, after }))
        }
        _ => None,
    };
    let like_the_best = feedback.map_or(0.0, |feedback| {
        let (held, all) = held(pool, &feedback.frequencies, &feedback.weights, place);
        if all > 0.0 { held / all } else { 0.0 }
    });
    Said { words, surprise, cosine, like_the_best }
}

// The share of the question's information that a candidate holds.
fn words(pool: &Pool, place: usize) -> f32 {
    let candidate = &pool.candidates[place];
    let (mut held, all) = held(pool, &pool.frequencies, &pool.term_weights, place);
    let (in_text, rest) = pool.frequencies.of(place).split_at(pool.term_weights.len());
    let (spoken, rest) = rest.split_at(pool.speaker_weights.len());
    let (in_path, in_file) = rest.split_at(pool.path_weights.len());
    let there = |(count, weight): (&u32, &f32)| if *count > 0 { *weight } else { 0.0 };
    held += spoken.iter().zip(&pool.speaker_weights).map(there).sum::<f32>();
    held += in_file.iter().zip(&pool.file_weights).map(there).sum::<f32>();
    // What the text says itself is not said a second time by where it lies. A word that other texts say counts here
    // no more than if this one said it once.
    let length = pool.frequencies.lengths()[place] as f32 / pool.average_length;
    let once = BM25.presence(1.0, length).min(1.0);
    for (term, counted) in in_path.iter().zip(&pool.path_weights).enumerate() {
        if !pool.said_elsewhere[term] {
            held += there(counted);
        } else if in_text[term] == 0 {
            held += there(counted) * once;
        }
    }
    held += pool.time_weight * candidate.in_time;
    if all > 0.0 { held / all } else { held.min(1.0) }
}

// What the terms that a candidate holds count, and what all of them count.
fn held(pool: &Pool, frequencies: &Frequencies, weights: &[f32], place: usize) -> (f32, f32) {
    let candidate = &pool.candidates[place];
    let beside = [
        candidate.before.map(|before| (before, NEIGHBOUR_WORDS + answers(&pool.candidates[before], candidate))),
        candidate.after.map(|after| (after, NEIGHBOUR_WORDS)),
    ];
    let beside = || beside.iter().flatten();
    let lengths = frequencies.lengths();
    let mut length = lengths[place] as f32;
    length += beside().map(|(place, share)| share * lengths[*place] as f32).sum::<f32>();
    let own = frequencies.of(place);
    let (mut held, mut all) = (0.0, 0.0);
    for (term, weight) in weights.iter().enumerate() {
        let mut frequency = own[term] as f32;
        frequency += beside().map(|(place, share)| share * frequencies.of(*place)[term] as f32).sum::<f32>();
        all += weight;
        held += weight * BM25.presence(frequency, length / pool.average_length);
    }
    (held, all)
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

// The mean and the deviation of cosines with texts that have nothing to do with
// the question. Where nothing is known about a model, what is searched tells.
fn usual(pool: &Pool, query: &Query) -> (f32, f32) {
    let calibration = query.vector.as_ref().map_or(Calibration::PLAIN, |vector| vector.calibration);
    match pool.background {
        Some(background) if calibration == Calibration::PLAIN => (background.mean, background.deviation),
        _ => calibration.usual(),
    }
}

// How sure it is that anything here is about the question, from what speaks for
// the best candidates.
fn gate(witnesses: &[Said], usual: (f32, f32)) -> f32 {
    let most = |values: &mut dyn Iterator<Item = f32>| values.reduce(f32::max);
    let words = |said: &Said| said.words.min(1.0);
    let cosine = most(&mut witnesses.iter().filter_map(|said| said.cosine));
    let with_meaning = cosine.map(|cosine| {
        let distance = (cosine - usual.0) / usual.1;
        let words = most(&mut witnesses.iter().map(words)).unwrap_or(0.0);
        logistic(DISTANCE_COUNTS * distance + WORDS_COUNT * words - DOUBT)
    });
    // What has no vector, or none yet, can only be judged by its words.
    let silent = &mut witnesses.iter().filter(|said| said.cosine.is_none()).map(words);
    let by_words = most(silent).map(|words| logistic(WORDS_ALONE_COUNT * words - DOUBT_OF_WORDS_ALONE));
    most(&mut [with_meaning, by_words].into_iter().flatten()).unwrap_or(0.0)
}

fn logistic(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
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

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: (f32, f32) = (0.15, 0.1);

    fn said(words: f32, cosine: Option<f32>) -> Said {
        Said { words, cosine, ..Said::default() }
    }

    #[test]
    fn nearness_and_words_open_the_gate_and_neither_keeps_it_shut() {
        // Words, cosine, and whether the default threshold lets it through.
        for (words, cosine, opens) in [
            (0.0, Some(0.3), false),
            (0.0, Some(0.6), true),
            (0.2, Some(0.3), false),
            (0.3, Some(0.3), false),
            (0.5, Some(0.45), true),
            (1.0, Some(0.2), true),
            (0.3, None, false),
            (0.5, None, true),
        ] {
            assert_eq!(gate(&[said(words, cosine)], USUAL) >= 0.35, opens, "{words} {cosine:?}");
        }
        assert_eq!(gate(&[], USUAL), 0.0);
    }

    #[test]
    fn the_witnesses_speak_for_one_another() {
        let apart = gate(&[said(0.4, Some(0.2))], USUAL).max(gate(&[said(0.0, Some(0.5))], USUAL));
        assert!(gate(&[said(0.4, Some(0.2)), said(0.0, Some(0.5))], USUAL) > apart);
        // What was just stored and has no vector yet is found by its words.
        assert!(gate(&[said(0.9, None), said(0.0, Some(0.1))], USUAL) > 0.9);
    }
}
