//! The order of the candidates.

use std::collections::BTreeMap;

use scrubjay_models::embed::Calibration;
use scrubjay_store::item::Item;

use super::candidates::CandidateSet;
use super::features::features;
use super::feedback::Feedback;
use super::fusion;
use super::model::{Judgement, judge};
use super::query::Query;
use super::question::{Fusion, Place, Question};
use super::scores::{ArmScores, ranks, score_arms};
use crate::index::ASKS;

/// The odds of the model's threshold for recall, `query.min_score`.
const THRESHOLD_ODDS: f64 = 0.21 / 0.79;

/// Those by the odds at which the convex gate lets through as much.
const LEXICAL_ONLY_ODDS: f64 = THRESHOLD_ODDS / (0.185 / 0.815);

/// The same for a vector without words, by calibrated similarity.
const VECTOR_ONLY_ODDS: f64 = THRESHOLD_ODDS / (0.34 / 0.66);

/// The least fit of a text that holds an exact name of the question.
const EXACT_NAME_FIT: f64 = 0.9;

/// The least relevance of such a text, and of one that holds a phrase which the question quotes.
const EXACT_RELEVANCE: f64 = 0.7;

/// The least relevance of a text that holds the one word that is asked for: enough for recall, not for an injection.
const ONE_WORD_RELEVANCE: f64 = 0.5;

/// The most that a text is relevant to a prompt that asks for nothing: enough for a near miss.
const RELEVANCE_TO_NOTHING: f64 = 0.15;

/// The coverage from which on a text holds every word of a question.
const WHOLE_COVERAGE: f32 = 0.99;

/// The relevance of such a text beside that of one that is farther in every way: just more.
const AHEAD: f64 = 1.001;

/// How far a text with a quoted phrase stands above the best of the others, as a share of what is left to 1.
const PHRASE_LEAD: f64 = 0.1;

/// A candidate with its relevance.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    /// Its key.
    pub(super) key: u64,
    /// How well it fits, 0 to 1.
    pub(super) relevance: f64,
    /// How it compares with the best, 0 to 1, where the model tells.
    pub(super) fit: f64,
    /// Which of its windows is nearest to the question.
    pub(super) window: usize,
    /// Whether it is part of no conversation.
    pub(super) is_document: bool,
    /// Which content terms of the question it holds.
    pub(super) held: HeldTerms,
    /// The share of the feedback terms that it holds, which breaks ties.
    pub(super) feedback: f32,
    /// Its place in each arm.
    pub(super) places: Vec<(&'static str, Place)>,
    /// What the ranking model sees of it and of the question.
    pub(super) features: Vec<(&'static str, f32)>,
}

/// Which content terms of a question a text holds, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct HeldTerms {
    /// The text itself.
    pub(super) own: u64,
    /// The text, or the turns beside it.
    pub(super) around: u64,
}

impl HeldTerms {
    fn of(set: &CandidateSet, place: usize) -> Self {
        let own = set.lexical.held_terms(place);
        let beside = [set.candidates[place].before, set.candidates[place].after];
        let around = beside.into_iter().flatten().fold(own, |held, place| held | set.lexical.held_terms(place));
        Self { own, around }
    }
}

/// From so many bytes on, a text that was stored by itself says more than one thing.
const WHOLE_DOCUMENT_BYTES: usize = 800;

impl Ranked {
    /// Whether it is a document as a whole: a long text in no conversation. That another says something like it, or
    /// something newer, takes nothing from the rest of it, and a passage does not stand for it.
    pub(super) fn is_whole_document(&self, item: &Item) -> bool {
        let is_long = item.text().len() > WHOLE_DOCUMENT_BYTES;
        self.is_document && is_long && matches!(item, Item::Memory(_))
    }
}

/// Puts the candidates in order, best first; in a second round with the feedback of the first.
pub(super) fn rank(set: &CandidateSet, query: &Query, question: &Question, feedback: Option<&Feedback>) -> Vec<Ranked> {
    let scores = score_arms(set, question, feedback);
    let admitted: Vec<usize> = (0..scores.len()).filter(|place| set.candidates[*place].is_admitted).collect();
    let calibration = query.vector.as_ref().map(|vector| vector.calibration);
    let usual = usual(set, calibration);
    let table = features(set, query, &scores, &fusion::convex_sums(&scores), &admitted, usual);
    let mut judged = judge(&table, &admitted);
    redeal_documents(set, &scores, &admitted, feedback, &mut judged);
    keep_whole_answers_ahead(set, &scores, &admitted, &mut judged);
    // Who names a thing exactly finds it, whatever else is near in meaning.
    let best = admitted.iter().map(|place| judged[*place].relevance).fold(0.0, f64::max);
    for (place, judged) in judged.iter_mut().enumerate() {
        if set.candidates[place].holds_phrase || set.lexical.holds_exact_name(place) {
            let fit = if set.candidates[place].holds_phrase { 1.0 } else { EXACT_NAME_FIT };
            *judged = Judgement { relevance: best.max(EXACT_RELEVANCE), fit: judged.fit.max(fit) };
        }
    }
    // So does who types a single word that something here holds.
    if query.is_one_word() {
        for (place, judged) in judged.iter_mut().enumerate() {
            if set.lexical.coverage(place) >= WHOLE_COVERAGE {
                judged.relevance = judged.relevance.max(ONE_WORD_RELEVANCE);
            }
        }
    }
    // Without any vector, words are all there is to judge by.
    let is_learned = question.fusion == Fusion::Learned
        && !query.is_vector_alone
        && scores.iter().any(|scores| scores.cosine.is_some());
    let mut fused = match question.fusion {
        _ if query.is_vector_alone => {
            on_the_models_scale(fusion::by_vector_alone(&scores, &admitted, calibration), VECTOR_ONLY_ODDS)
        }
        Fusion::Learned if is_learned => admitted.iter().map(|place| (*place, judged[*place].relevance)).collect(),
        Fusion::Learned => on_the_models_scale(fusion::convex(&scores, &admitted, usual, feedback), LEXICAL_ONLY_ODDS),
        Fusion::Convex => fusion::convex(&scores, &admitted, usual, feedback),
        Fusion::Rrf => dealt(fusion::rrf(&scores, &admitted), &judged),
        Fusion::Weighted => dealt(fusion::weighted(&scores, &admitted, calibration, query.arm_weights), &judged),
    };
    if is_learned {
        judge_by_words(&scores, &admitted, usual, feedback, &mut fused, &mut judged);
    }
    if query.asks_for_nothing {
        for (_, relevance) in &mut fused {
            *relevance *= RELEVANCE_TO_NOTHING;
        }
    }
    let best = fused.iter().map(|(_, relevance)| *relevance).fold(0.0, f64::max);
    for (place, relevance) in &mut fused {
        if set.candidates[*place].holds_phrase {
            // Above whatever does not hold it.
            *relevance = best.max(EXACT_RELEVANCE) + PHRASE_LEAD * (1.0 - best.max(EXACT_RELEVANCE));
        } else if set.lexical.holds_exact_name(*place) {
            *relevance = relevance.max(judged[*place].relevance);
        }
    }
    fused.retain(|(_, relevance)| *relevance > 0.0);
    let arm_ranks = ArmRanks::of(&scores);
    let ranked = fused.into_iter().map(|(place, relevance)| Ranked {
        key: set.candidates[place].row.key,
        relevance,
        fit: if is_learned { judged[place].fit } else { 1.0 },
        window: set.candidates[place].nearest_window(),
        is_document: set.candidates[place].is_document(),
        held: HeldTerms::of(set, place),
        feedback: scores[place].feedback,
        places: arm_ranks.places(&scores, place),
        features: table.named(place),
    });
    let mut ranked: Vec<Ranked> = ranked.collect();
    ranked.sort_by(|a, b| {
        let by_feedback = || b.feedback.total_cmp(&a.feedback);
        b.relevance.total_cmp(&a.relevance).then_with(by_feedback).then(a.key.cmp(&b.key))
    });
    ranked
}

// What has no vector yet is judged by its words as well, as everything is where there are no vectors at all: to the model
// it is as far from the question as a text can be.
fn judge_by_words(
    scores: &[ArmScores],
    admitted: &[usize],
    usual: (f32, f32),
    feedback: Option<&Feedback>,
    fused: &mut [(usize, f64)],
    judged: &mut [Judgement],
) {
    if admitted.iter().all(|place| scores[*place].cosine.is_some()) {
        return;
    }
    let words: Vec<ArmScores> =
        scores.iter().map(|scores| ArmScores { cosine: None, z_score: None, ..*scores }).collect();
    let by_words = on_the_models_scale(fusion::convex(&words, admitted, usual, feedback), LEXICAL_ONLY_ODDS);
    let by_words: BTreeMap<usize, f64> =
        by_words.into_iter().filter(|(place, _)| scores[*place].cosine.is_none()).collect();
    let best = fused.iter().map(|(_, relevance)| *relevance).chain(by_words.values().copied()).fold(0.0, f64::max);
    for (place, relevance) in fused {
        let by_words = by_words.get(place).copied().unwrap_or(0.0);
        if by_words > *relevance {
            *relevance = by_words;
            judged[*place].fit = judged[*place].fit.max(by_words / best);
        }
    }
}

// Without words or without vectors another measure decides, whose odds are brought to the model's: what recall lets
// through by the one it lets through by the other.
fn on_the_models_scale(mut fused: Vec<(usize, f64)>, scale: f64) -> Vec<(usize, f64)> {
    for (_, relevance) in &mut fused {
        let odds = scale * *relevance / (1.0 - *relevance).max(f64::EPSILON);
        *relevance = odds / (1.0 + odds);
    }
    fused
}

// The order of one fusion with the relevances of the model: the first gets the highest, and so on. So a threshold
// means the same whatever makes the order.
fn dealt(mut fused: Vec<(usize, f64)>, judged: &[Judgement]) -> Vec<(usize, f64)> {
    fused.retain(|(_, score)| *score > 0.0);
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut own: Vec<f64> = fused.iter().map(|(place, _)| judged[*place].relevance).collect();
    own.sort_by(|a, b| b.total_cmp(a));
    fused.into_iter().zip(own).map(|((place, _), relevance)| (place, relevance)).collect()
}

// The model was fitted to talk, and half of what it looks at is how a text stands in its conversation. What stands in
// none, a piece of a file or a text by itself, keeps the places that the model gives such texts, in the order of the
// convex sum.
fn redeal_documents(
    set: &CandidateSet,
    scores: &[ArmScores],
    admitted: &[usize],
    feedback: Option<&Feedback>,
    judged: &mut [Judgement],
) {
    let mut documents: Vec<(usize, f32)> = Vec::new();
    for place in admitted.iter().filter(|place| set.candidates[**place].is_document()) {
        let feedback = feedback.map_or(0.0, |feedback| feedback.weight * scores[*place].feedback);
        documents.push((*place, fusion::convex_sum(&scores[*place]) + feedback));
    }
    documents.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut own: Vec<Judgement> = documents.iter().map(|(place, _)| judged[*place]).collect();
    own.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    for ((place, _), own) in documents.into_iter().zip(own) {
        judged[place] = own;
    }
}

// The model goes by more than the question: by what the best have in common, by conversations and by age. In a store full
// of near repetitions these can outweigh it. So what states every word of the question, and is the nearer one in meaning,
// is never behind what holds none of them.
fn keep_whole_answers_ahead(set: &CandidateSet, scores: &[ArmScores], admitted: &[usize], judged: &mut [Judgement]) {
    let holds_none = |place: &&usize| set.lexical.coverage(**place) <= 0.0;
    let holds_all = |place: &&usize| {
        set.lexical.coverage(**place) >= WHOLE_COVERAGE && set.candidates[**place].row.columns.flags & ASKS == 0
    };
    let beside: Vec<usize> = admitted.iter().filter(holds_none).copied().collect();
    for place in admitted.iter().filter(holds_all) {
        let is_farther = |other: &&usize| scores[**other].cosine <= scores[*place].cosine;
        let others = beside.iter().filter(is_farther).map(|other| judged[*other]);
        let Some(best) = others.max_by(|a, b| a.relevance.total_cmp(&b.relevance)) else { continue };
        if judged[*place].relevance <= best.relevance {
            judged[*place] =
                Judgement { relevance: (best.relevance * AHEAD).min(1.0), fit: (best.fit * AHEAD).min(1.0) };
        }
    }
}

// The mean and the deviation of cosines with unrelated texts. Where a model cannot say, the store tells.
fn usual(set: &CandidateSet, calibration: Option<Calibration>) -> (f32, f32) {
    let calibration = calibration.unwrap_or(Calibration::PLAIN);
    match set.null_distribution {
        Some(null) if calibration.follows_store() => (null.mean, null.deviation),
        _ => calibration.usual(),
    }
}

// The ranks of all candidates in every arm.
struct ArmRanks {
    lexical: Vec<Option<usize>>,
    vector: Vec<Option<usize>>,
    entity: Vec<Option<usize>>,
    time: Vec<Option<usize>>,
    feedback: Vec<Option<usize>>,
}

impl ArmRanks {
    fn of(scores: &[ArmScores]) -> Self {
        let positive = |score: f32| Some(score).filter(|score| *score > 0.0);
        Self {
            lexical: ranks(scores, |scores| positive(scores.bm25f)),
            vector: ranks(scores, |scores| scores.cosine),
            entity: ranks(scores, |scores| positive(scores.entity)),
            time: ranks(scores, |scores| positive(scores.time)),
            feedback: ranks(scores, |scores| positive(scores.feedback)),
        }
    }

    fn places(&self, scores: &[ArmScores], place: usize) -> Vec<(&'static str, Place)> {
        let own = &scores[place];
        let arms = [
            ("lexical", self.lexical[place], own.bm25f),
            ("vector", self.vector[place], own.cosine.unwrap_or_default()),
            ("entity", self.entity[place], own.entity),
            ("time", self.time[place], own.time),
            ("feedback", self.feedback[place], own.feedback),
        ];
        let found = arms.into_iter().filter_map(|(arm, rank, score)| Some((arm, rank?, score)));
        found.map(|(arm, rank, score)| (arm, Place { rank, score: f64::from(score) })).collect()
    }
}
