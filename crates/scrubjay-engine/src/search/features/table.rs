//! The names of the features, and their values for one question.
//!
//! A margin compares a score with the crowd's: the scores at given ranks among the best candidates. It says more than
//! the score itself, since what is usual differs from question to question and from store to store.

use scrubjay_core::lexical::{is_dialogue_word, is_stop_word};

use super::age::Ages;
use super::conversation::Conversations;
use super::crowd::Crowd;
use crate::index::{ASKS, is_named_role, is_user_role};
use crate::search::candidates::CandidateSet;
use crate::search::query::Query;
use crate::search::scores::{ArmScores, ranks};

/// The best candidates, which must hold what the question is about.
const LEADING: usize = 5;

/// The scale of cosines that the model was fitted to: mean and deviation with unrelated texts. Those of another
/// embedder are brought to it.
const FITTED_SCALE: (f32, f32) = (0.15, 0.1);

/// The features of a question.
pub(in crate::search) const QUERY_FEATURES: [&str; 27] = [
    "content_words",
    "content_words_log",
    "dialogue_words",
    "no_content",
    "unknown_share",
    "rarest_known_idf",
    "mean_idf",
    "known_idf",
    "length",
    "asks",
    "asks_in_general",
    "other_language",
    "usual_cosine",
    "cosine_1",
    "cosine_top_3",
    "cosine_1_minus_11",
    "cosine_1_minus_40",
    "cosine_3_minus_21",
    "z_score_1",
    "lexical_1",
    "lexical_top_3",
    "lexical_1_minus_11",
    "lexical_3_minus_21",
    "coverage_1",
    "coverage_top_3",
    "both_arms_1",
    "crowd_share",
];

/// The features of a candidate.
pub(in crate::search) const CANDIDATE_FEATURES: [&str; 39] = [
    "lexical",
    "lexical_margin",
    "lexical_gap",
    "lexical_reciprocal_rank",
    "cosine",
    "cosine_margin",
    "cosine_gap",
    "cosine_reciprocal_rank",
    "z_score_cubed",
    "convex_gap",
    "feedback",
    "entity",
    "time",
    "coverage",
    "no_vector",
    "is_user",
    "is_named_speaker",
    "is_question",
    "length_log",
    "stands_alone",
    "recency_in_session",
    "recency_across_sessions",
    "conversation_cosine",
    "conversation_cosine_top_3",
    "conversation_in_crowd",
    "nearby_cosine",
    "nearby_cosine_mean",
    "newer_alike_in_session",
    "newer_alike_elsewhere",
    "older_alike",
    "newer_share_in_session",
    "newer_share",
    "older_share_in_session",
    "newer_among_5",
    "newer_among_10",
    "asked_newer_alike",
    "asked_newer_share",
    "asked_newer_among_5",
    "asked_newer_among_10",
];

/// The features of one question and of its candidates.
#[derive(Debug, Clone, Default)]
pub(in crate::search) struct FeatureTable {
    /// In the order of [`QUERY_FEATURES`].
    pub(in crate::search) query: [f32; QUERY_FEATURES.len()],
    /// In the order of [`CANDIDATE_FEATURES`], for each candidate.
    pub(in crate::search) candidates: Vec<[f32; CANDIDATE_FEATURES.len()]>,
}

impl FeatureTable {
    /// The features of the question and of one candidate, by name.
    pub(in crate::search) fn named(&self, place: usize) -> Vec<(&'static str, f32)> {
        let query = QUERY_FEATURES.into_iter().zip(self.query);
        query.chain(CANDIDATE_FEATURES.into_iter().zip(self.candidates[place])).collect()
    }
}

/// Computes all features. `sums` is the convex sum of each candidate, `usual` the mean and deviation of cosines with
/// unrelated texts.
pub(in crate::search) fn features(
    set: &CandidateSet,
    query: &Query,
    scores: &[ArmScores],
    sums: &[f32],
    admitted: &[usize],
    usual: (f32, f32),
) -> FeatureTable {
    let scores = &rescaled(scores, usual);
    let crowd = Crowd::of(set, scores, sums, admitted);
    let cosine_ranks = ranks(scores, |scores| scores.cosine);
    let lexical_ranks = ranks(scores, |scores| Some(scores.bm25f).filter(|score| *score > 0.0));
    let reciprocal = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / rank as f32);
    let coverages: Vec<f32> = (0..scores.len()).map(|place| set.lexical.coverage(place)).collect();
    let conversations = Conversations::of(set, scores, &crowd);
    let ages = Ages::of(set, sums, &crowd);
    let asked = f32::from(u8::from(query.asks));
    let candidate = |place: usize| {
        let (own, row) = (&scores[place], &set.candidates[place].row);
        let cosine = own.cosine.unwrap_or(crowd.cosine(10));
        let (conversation, age) = (conversations.of_candidate(place, cosine), ages.of_candidate(set, &crowd, place));
        [
            own.bm25f,
            own.bm25f - crowd.lexical(10),
            own.bm25f - crowd.lexical(0),
            reciprocal(lexical_ranks[place]),
            cosine,
            cosine - crowd.cosine(10),
            cosine - crowd.cosine(0),
            reciprocal(cosine_ranks[place]),
            own.z_score.map_or(0.0, |z_score| (z_score.max(0.0) / 4.64).powi(3).min(3.0)),
            (sums[place] - crowd.best_sum) / crowd.best_sum.max(0.1),
            own.feedback,
            own.entity,
            own.time,
            coverages[place],
            f32::from(u8::from(own.cosine.is_none())),
            f32::from(u8::from(is_user_role(&row.columns))),
            f32::from(u8::from(is_named_role(&row.columns))),
            f32::from(u8::from(row.columns.flags & ASKS != 0)),
            (1.0 + set.lexical.length(place)).ln(),
            f32::from(u8::from(row.columns.sequence == 0)),
            ages.recency(&crowd, place, true),
            ages.recency(&crowd, place, false),
            conversation.best,
            conversation.top_3,
            conversation.in_crowd,
            conversation.nearby,
            conversation.nearby_mean,
            age.newer_alike_in_session,
            age.newer_alike_elsewhere,
            age.older_alike,
            age.newer_share_in_session,
            age.newer_share,
            age.older_share_in_session,
            age.newer_among_5,
            age.newer_among_10,
            asked * age.newer_alike_in_session.max(age.newer_alike_elsewhere),
            asked * age.newer_share,
            asked * age.newer_among_5,
            asked * age.newer_among_10,
        ]
    };
    FeatureTable {
        query: of_query(set, query, scores, &crowd, &coverages, usual),
        candidates: (0..scores.len()).map(candidate).collect(),
    }
}

fn of_query(
    set: &CandidateSet,
    query: &Query,
    scores: &[ArmScores],
    crowd: &Crowd,
    coverages: &[f32],
    usual: (f32, f32),
) -> [f32; QUERY_FEATURES.len()] {
    let is_content = |word: &String| !is_stop_word(word) && !is_dialogue_word(word);
    let steers = query.words.iter().filter(|word| is_dialogue_word(word) && !is_stop_word(word)).count();
    let content = query.words.iter().filter(|word| is_content(word)).count();
    let idfs = set.lexical.content_idfs();
    let all: f32 = idfs.iter().map(|(idf, _)| idf).sum();
    let known = || idfs.iter().filter(|(_, is_known)| *is_known).map(|(idf, _)| *idf);
    let unknown_share = if all > 0.0 { 1.0 - known().sum::<f32>() / all } else { 1.0 };
    let mut leading: Vec<f32> = crowd.places.iter().take(LEADING).map(|place| coverages[*place]).collect();
    leading.sort_by(|a, b| b.total_cmp(a));
    let coverage = |rank: usize| leading.get(rank).copied().unwrap_or(0.0);
    let both = |place: &usize| scores[*place].cosine.unwrap_or(0.0) + 0.3 * scores[*place].bm25f;
    let z_score = |place: &usize| scores[*place].z_score.unwrap_or(0.0);
    let most = |values: &mut dyn Iterator<Item = f32>| values.fold(0.0, f32::max);
    [
        content as f32,
        (1.0 + content as f32).ln(),
        steers as f32,
        f32::from(u8::from(content == 0)),
        unknown_share,
        known().fold(0.0, f32::max),
        all / idfs.len().max(1) as f32,
        known().sum::<f32>().min(30.0),
        (query.text_length as f32 / 100.0).min(6.0),
        f32::from(u8::from(query.asks)),
        f32::from(u8::from(query.asks_in_general)),
        f32::from(u8::from(query.is_in_other_language)),
        set.null_distribution.map_or(FITTED_SCALE.0, |null| rescaled_cosine(null.mean, usual)),
        crowd.cosine(0),
        (crowd.cosine(0) + crowd.cosine(1) + crowd.cosine(2)) / 3.0,
        crowd.cosine(0) - crowd.cosine(10),
        crowd.cosine(0) - crowd.cosine(39),
        crowd.cosine(2) - crowd.cosine(20),
        most(&mut crowd.places.iter().map(z_score)),
        crowd.lexical(0),
        (crowd.lexical(0) + crowd.lexical(1) + crowd.lexical(2)) / 3.0,
        crowd.lexical(0) - crowd.lexical(10),
        crowd.lexical(2) - crowd.lexical(20),
        coverage(0),
        (coverage(0) + coverage(1) + coverage(2)) / 3.0,
        most(&mut crowd.places.iter().map(both)),
        crowd.share(),
    ]
}

fn rescaled(scores: &[ArmScores], usual: (f32, f32)) -> Vec<ArmScores> {
    let rescaled =
        |scores: &ArmScores| ArmScores { cosine: scores.cosine.map(|c| rescaled_cosine(c, usual)), ..*scores };
    scores.iter().map(rescaled).collect()
}

fn rescaled_cosine(cosine: f32, usual: (f32, f32)) -> f32 {
    if usual == FITTED_SCALE { cosine } else { FITTED_SCALE.0 + FITTED_SCALE.1 * (cosine - usual.0) / usual.1 }
}
