//! Asking what is known.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::filter::{Field, Filter, Scalar, Test};
use scrubjay_core::memory::Kind;
use scrubjay_core::snippet::snippet;
use serde::{Deserialize, Serialize};

use super::list::{activity, limit};
use super::operation::{Operation, Risk, Surfaces};
use super::pick::Pick;
use super::record::round;
use crate::search::{Found, Question, Weights, recall};
use crate::{Ctx, EngineError, Result};

/// Find the memories that fit a question.
///
/// Only what is relevant comes back: an unrelated question gets an empty answer. `relevance` means the same for every question; `score`, which the order follows, also weighs importance, recency and confidence.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecallInput {
    /// The question, in any words and any language.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TEXT", "stdin": true}))]
    pub query: String,
    /// Which memories.
    #[serde(flatten)]
    pub pick: Pick,
    /// Only this source: facts (facts and reflections) or sessions (episodes).
    #[schemars(extend("enum" = ["facts", "sessions"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Leave out this conversation; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "exclude-session", "value": "SESSION"}))]
    pub exclude_sessions: Vec<String>,
    /// What was known and active at this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
    /// The least relevance, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
    /// Leave importance, recency or confidence out of the score; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "without-weight", "value": "WEIGHT"}))]
    pub without_weights: Vec<String>,
    /// Say for each hit how it came to its place.
    #[schemars(extend("x-cli" = {"short": "e"}))]
    pub explain: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecallOutput {
    /// Best first.
    pub hits: Vec<HitRecord>,
    /// What was missing in the search.
    pub warnings: Vec<String>,
}

/// A memory that fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HitRecord {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its type.
    #[serde(rename = "type")]
    pub memory_type: String,
    /// `facts` or `sessions`.
    pub source: String,
    /// The part of its text that fits, at most 700 characters.
    pub snippet: String,
    /// What the order follows, 0 to 1.
    pub score: f64,
    /// How well it fits, 0 to 1, comparable between questions.
    pub relevance: f64,
    /// Where it lives.
    pub scope: String,
    /// The conversation it belongs to.
    pub session_id: Option<String>,
    /// When it happened.
    pub event_time: String,
    /// The file it came from.
    pub path: Option<String>,
    /// The first line in it.
    pub start_line: Option<u32>,
    /// The last line in it.
    pub end_line: Option<u32>,
    /// How it came to its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// How a hit came to its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Rank and raw score in each part of the search.
    pub arms: BTreeMap<String, ArmRecord>,
    /// The factors that led from relevance to score.
    pub weights: BTreeMap<String, f64>,
    /// Where the memory came from.
    pub provenance: Provenance,
}

/// A hit's place in one part of the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArmRecord {
    /// From 1.
    pub rank: usize,
    /// In that part's own measure.
    pub score: f64,
}

/// Where a memory came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// user, assistant, tool, file, web, import or system.
    pub origin: String,
    /// The memories it was made from.
    pub source_ids: Vec<String>,
    /// When it was learned.
    pub created_at: String,
}

/// `recall`.
pub struct Recall;

impl Operation for Recall {
    type Input = RecallInput;
    type Output = RecallOutput;
    const NAME: &'static str = "recall";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["recall"], http: true, mcp: Some("search_memory") };

    async fn run(ctx: &Ctx, input: RecallInput) -> Result<RecallOutput> {
        let settings = &ctx.config().settings.query;
        let min_relevance = input.min_score.unwrap_or(settings.min_score);
        if !(0.0..=1.0).contains(&min_relevance) {
            return Err(EngineError::invalid(format!("min_score {min_relevance} is not between 0 and 1")));
        }
        let question = Question {
            filter: of_source(input.pick.filter(ctx)?, input.source.as_deref())?,
            text: input.query,
            activity: activity(false, false, input.as_of.as_deref())?,
            exclude_sessions: input.exclude_sessions,
            limit: limit(input.limit, settings.max_results)?,
            min_relevance,
            weights: weights(&input.without_weights)?,
        };
        let recalled = recall(ctx, &question).await?;
        let ids: Vec<_> = recalled.hits.iter().map(|hit| hit.memory.id).collect();
        let mut warnings = recalled.warnings;
        if !ids.is_empty() {
            // A full disk must not keep anyone from reading.
            if let Err(error) = ctx.store().await?.touch(ctx.view(), ids, ctx.now()).await {
                warnings.push(format!("the access was not noted: {error}"));
            }
        }
        let hits = recalled.hits.iter().map(|hit| record(hit, settings.snippet_chars, input.explain)).collect();
        Ok(RecallOutput { hits, warnings })
    }
}

fn record(hit: &Found, max_chars: usize, explain: bool) -> HitRecord {
    let memory = &hit.memory;
    HitRecord {
        id: memory.id.to_string(),
        kind: memory.kind().to_string(),
        memory_type: memory.memory_type.to_string(),
        source: if memory.kind() == Kind::Episode { "sessions" } else { "facts" }.to_owned(),
        snippet: snippet(&memory.content, hit.place, max_chars),
        score: round(hit.score),
        relevance: round(hit.relevance),
        scope: memory.scope.to_string(),
        session_id: memory.session_id.clone(),
        event_time: memory.event_time.to_string(),
        path: memory.origin.path.clone(),
        start_line: memory.origin.start_line,
        end_line: memory.origin.end_line,
        explanation: explain.then(|| Explanation {
            arms: BTreeMap::from([(
                "lexical".to_owned(),
                ArmRecord { rank: hit.lexical_rank, score: round(hit.bm25) },
            )]),
            weights: hit.factors.iter().map(|(name, factor)| ((*name).to_owned(), round(*factor))).collect(),
            provenance: Provenance {
                origin: memory.origin.kind.name().to_owned(),
                source_ids: memory.source_ids.iter().map(ToString::to_string).collect(),
                created_at: memory.created_at.to_string(),
            },
        }),
    }
}

fn of_source(filter: Filter, source: Option<&str>) -> Result<Filter> {
    let kinds: &[Kind] = match source {
        None => return Ok(filter),
        Some("facts") => &[Kind::Fact, Kind::Reflection],
        Some("sessions") => &[Kind::Episode],
        Some(other) => return Err(EngineError::invalid(format!("`{other}` is not a source; use facts or sessions"))),
    };
    let kinds = kinds.iter().map(|kind| Scalar::Text(kind.name().to_owned())).collect();
    Ok(filter.and(Field::Kind, Test::AnyOf(kinds)))
}

fn weights(without: &[String]) -> Result<Weights> {
    let mut weights = Weights::default();
    for name in without {
        match name.as_str() {
            "importance" => weights.importance = false,
            "recency" => weights.recency = false,
            "confidence" => weights.confidence = false,
            other => {
                let message = format!("`{other}` is not a weight; use importance, recency or confidence");
                return Err(EngineError::invalid(message));
            }
        }
    }
    Ok(weights)
}
