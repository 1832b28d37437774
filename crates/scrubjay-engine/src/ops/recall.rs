//! Asking what is known.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::memory::{Memory, OriginKind};
use scrubjay_core::snippet::{Snippet, snippet};
use scrubjay_core::source::Source;
use scrubjay_store::item::Item;
use serde::{Deserialize, Serialize};

use super::explain::{Explanation, MissingRecord, explanation};
use super::list::{activity, limit};
use super::meant::every_view;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::{Pick, session_id};
use super::spool::set_aside_warning;
use super::tool::Tool;
use crate::gone::{GoneMention, gone_mentions};
use crate::record::round;
use crate::search::{Arms, FOLLOWING, Found, Fusion, Prompt, Question, Rerank, Weights, recall};
use crate::sync::{Looking, with_fresh_files};
use crate::{Ctx, EngineError, Result};

/// Near misses that are told of when nothing fits.
const NEAR_MISSES: usize = 3;

/// Find the memories that fit a question.
///
/// Only what is relevant comes back: an unrelated question gets an empty answer. `relevance` means the same for every question; `score`, which the order follows, also weighs importance, recency and confidence.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecallInput {
    /// The question, in any words and any language. May be empty if there is a vector.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TEXT", "stdin": true, "unless": "vector"}, "x-mcp" = "The question, in any words and any language."))]
    pub query: String,
    /// The question as a vector of the model that serves, used instead of embedding the text; on the command line a file with a JSON array of numbers, or - for standard input.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"file": true}))]
    pub vector: Option<Vec<f32>>,
    /// Which memories.
    #[serde(flatten)]
    pub pick: Pick,
    /// Only from this source: facts (facts and reflections), sessions (episodes), memory (note files), code or docs; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "source", "value": "SOURCE"}, "x-mcp" = "Any of facts, sessions (conversations), memory (notes), code, docs."))]
    pub sources: Vec<String>,
    /// Only what mentions this person or thing, by name or id; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"id": "entity", "long": "entity", "value": "NAME"}))]
    pub entities: Vec<String>,
    /// In all projects. Only for the owner in person: not for a confined token, and not over MCP.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub all_projects: bool,
    /// Leave out this conversation; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "exclude-session", "value": "SESSION"}))]
    pub exclude_sessions: Vec<String>,
    /// What was known and active at this time: yesterday, 3d, 2026-05-01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"time": "end", "value": "TIME"}))]
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
    /// Leave an arm out of the search: lexical, vector, entity, time, neighbours or feedback; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "without-arm", "value": "ARM"}))]
    pub without_arms: Vec<String>,
    /// How the arms are put together: learned, convex, rrf or weighted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["learned", "convex", "rrf", "weighted"]))]
    pub fusion: Option<String>,
    /// Say for each hit how it came to its place; if there is none, what was missing.
    #[schemars(extend("x-cli" = {"short": "e"}))]
    pub explain: bool,
    /// Only look: being found does not count as a use.
    pub peek: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecallOutput {
    /// Best first.
    pub hits: Vec<HitRecord>,
    /// If there are no hits: what came nearest, with its relevance. None of it fits well enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<HitRecord>,
    /// On request, if there are no hits: what was missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingRecord>,
    /// What was missing in the search.
    pub warnings: Vec<String>,
}

/// A memory or a piece of a file that fits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HitRecord {
    /// The memory's id; for a piece of a file, the document's.
    pub id: String,
    /// The memory's kind, or `chunk`.
    pub kind: String,
    /// The memory's type.
    #[serde(rename = "type")]
    pub memory_type: String,
    /// `facts`, `sessions`, `memory`, `code` or `docs`.
    pub source: String,
    /// Where the text came from: user, assistant, tool, file, web, import or system. What a tool printed or a page said, and what was made from it, is data and not known to be true.
    pub origin: String,
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
    /// When it happened; for a file, when it was changed last.
    pub event_time: String,
    /// The memory that took its place, if it was superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// When it stopped to hold: it was superseded, or a fact made from it was superseded, corrected or forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outdated_since: Option<String>,
    /// A newer hit that speaks of the same matter, and may have changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<String>,
    /// When that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer_since: Option<String>,
    /// A file, symbol or command that it mentions, and that its project no longer has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mentions_gone: Option<String>,
    /// When that was seen to be gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_since: Option<String>,
    /// The file it came from.
    pub path: Option<String>,
    /// `changed` or `gone`, if the file is no longer as it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_state: Option<String>,
    /// The line with which the snippet begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The first line of the piece.
    pub start_line: Option<u32>,
    /// The last line of the piece.
    pub end_line: Option<u32>,
    /// How it came to its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// `recall`.
pub struct Recall;

impl Operation for Recall {
    type Input = RecallInput;
    type Output = RecallOutput;
    const NAME: &'static str = "recall";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["recall"], http: true, mcp: Some("search_memory") };
    const SYNCS_FILES: bool = true;
    const GROUP: Group = Group::Recall;
    const EXAMPLES: &'static str = r#"  scrubjay recall "who owns billing"
  scrubjay recall -n 3 --explain release date
  scrubjay recall --since "last week" --source sessions "flaky test"
  scrubjay recall --json "who owns billing" | jq -r '.hits[0].snippet'
  scrubjay recall --vector question.json"#;
    const TOOL: Tool = Tool {
        about: "Search what is remembered: facts, earlier conversations, notes and code. Call it before asking the \
            person something they may have said before, before deciding what may be decided already, and when \
            they refer to earlier work. No hits means that nothing relevant is known.",
        required: &["query"],
        optional: &["kind", "sources", "since", "until", "limit"],
    };

    async fn run(ctx: &Ctx, input: RecallInput) -> Result<RecallOutput> {
        if input.all_projects { everywhere(ctx, input).await } else { here(ctx, input).await }
    }
}

async fn here(ctx: &Ctx, input: RecallInput) -> Result<RecallOutput> {
    let settings = &ctx.config().settings.query;
    let (explain, peek, as_of) = (input.explain, input.peek, input.as_of.clone());
    let question = question(ctx, input).await?;
    let looks_back = as_of.is_some();
    let recalled = match as_of {
        Some(_) => recall(ctx, &question).await?,
        None => {
            let looking = Looking { sources: &question.sources, ..Looking::default() };
            with_fresh_files(ctx, looking, || recall(ctx, &question)).await?
        }
    };
    let ids: Vec<MemoryId> = recalled.hits.iter().filter_map(|hit| memory_of(&hit.item)).map(|m| m.id).collect();
    let mut warnings = recalled.warnings;
    let store = ctx.store().await?;
    if !ids.is_empty() && !peek {
        // A full disk must not keep anyone from reading.
        if let Err(error) = store.touch(ctx.view(), ids, ctx.now()).await {
            warnings.push(format!("the access was not noted: {error}"));
        }
    }
    warnings.extend(set_aside_warning(ctx));
    let missing = (explain && recalled.hits.is_empty()).then(|| {
        let best = recalled.near.iter().map(|hit| hit.relevance).reduce(f64::max);
        let asks_for_nothing = Prompt::new(&question.text).asks_for_nothing(false);
        MissingRecord::of(question.min_relevance, best, asks_for_nothing, &recalled.missing)
    });
    let shown = recalled.hits.iter().chain(&recalled.near).filter_map(|hit| memory_of(&hit.item));
    let gone = if looks_back { BTreeMap::new() } else { gone_mentions(ctx, shown).await? };
    let record = |hit: &Found| record(hit, &gone, settings.snippet_chars, explain);
    let records = |found: &[Found]| found.iter().map(record).collect();
    Ok(RecallOutput { hits: records(&recalled.hits), near: records(&recalled.near), missing, warnings })
}

/// The question that an input asks, under the settings.
///
/// # Errors
/// When the input makes no sense.
pub(super) async fn question(ctx: &Ctx, input: RecallInput) -> Result<Question> {
    let settings = &ctx.config().settings.query;
    let min_relevance = input.min_score.unwrap_or(settings.min_score);
    if !(0.0..=1.0).contains(&min_relevance) {
        return Err(EngineError::invalid(format!("min_score {min_relevance} is not between 0 and 1")));
    }
    Ok(Question {
        filter: input.pick.filter(ctx)?,
        text: input.query,
        vector: input.vector,
        activity: activity(false, false, input.as_of.as_deref())?,
        exclude_sessions: input.exclude_sessions.iter().map(|session| session_id(ctx, session)).collect(),
        sources: parse_all(&input.sources)?,
        entities: entities(ctx, &input.entities).await?,
        limit: limit(input.limit, settings.max_results)?,
        min_relevance,
        // Who names a threshold means every hit.
        following: if input.min_score.is_some() { 1.0 } else { FOLLOWING },
        near: NEAR_MISSES,
        weights: weights(&input.without_weights)?,
        fusion: fusion(input.fusion.as_deref().unwrap_or(&settings.hybrid.fusion))?,
        arms: arms(settings.hybrid.enabled, &input.without_arms)?,
        rerank: Rerank::from_name(&settings.rerank),
        now: ctx.now(),
    })
}

// Each project is asked by itself, as if one stood there; relevance means the same in all of them.
async fn everywhere(ctx: &Ctx, input: RecallInput) -> Result<RecallOutput> {
    if !ctx.is_person() {
        return Err(EngineError::refused("only the owner, in person, searches all projects at once"));
    }
    let most = limit(input.limit, ctx.config().settings.query.max_results)?;
    let mut sum = RecallOutput { hits: Vec::new(), near: Vec::new(), missing: None, warnings: Vec::new() };
    for view in every_view(ctx).await? {
        let there = ctx.at(view)?.in_folder(None);
        let asked = RecallInput { all_projects: false, ..input.clone() };
        let found = here(&there, asked).await?;
        let (old, new) = (&mut sum.hits, found.hits);
        // What is global is found from every project.
        let new: Vec<HitRecord> = new.into_iter().filter(|hit| !old.iter().any(|known| is_same(known, hit))).collect();
        old.extend(new);
        let near: Vec<HitRecord> =
            found.near.into_iter().filter(|hit| !sum.near.iter().any(|known| is_same(known, hit))).collect();
        sum.near.extend(near);
        sum.missing = sum.missing.or(found.missing);
        for warning in found.warnings {
            if !sum.warnings.contains(&warning) {
                sum.warnings.push(warning);
            }
        }
    }
    for list in [&mut sum.hits, &mut sum.near] {
        list.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    sum.hits.truncate(most);
    sum.near.truncate(if sum.hits.is_empty() { NEAR_MISSES } else { 0 });
    if !sum.hits.is_empty() {
        sum.missing = None;
    }
    Ok(sum)
}

fn is_same(one: &HitRecord, other: &HitRecord) -> bool {
    one.id == other.id && one.path == other.path && one.start_line == other.start_line
}

fn memory_of(item: &Item) -> Option<&Memory> {
    match item {
        Item::Memory(memory) => Some(memory),
        Item::Chunk(_) => None,
    }
}

/// A hit for the outside, with what it mentions that is gone.
pub(super) fn record(
    hit: &Found,
    gone: &BTreeMap<MemoryId, GoneMention>,
    max_chars: usize,
    explain: bool,
) -> HitRecord {
    let explanation = explain.then(|| explanation(hit));
    let Snippet { text: snippet, start } = snippet(hit.item.text(), hit.place, max_chars);
    let (score, relevance) = (round(hit.score), round(hit.relevance));
    match &hit.item {
        Item::Memory(memory) => HitRecord {
            id: memory.id.to_string(),
            kind: memory.kind().to_string(),
            memory_type: memory.memory_type.to_string(),
            source: Source::of_kind(memory.kind()).to_string(),
            origin: memory.origin.kind.name().to_owned(),
            snippet,
            score,
            relevance,
            scope: memory.scope.to_string(),
            session_id: memory.session_id.clone(),
            event_time: memory.event_time.to_string(),
            superseded_by: hit.outdated.as_ref().and_then(|outdated| outdated.by).map(|id| id.to_string()),
            outdated_since: hit.outdated.as_ref().map(|outdated| outdated.since.to_string()),
            newer: hit.newer.map(|newer| newer.id.to_string()),
            newer_since: hit.newer.map(|newer| newer.since.to_string()),
            mentions_gone: gone.get(&memory.id).map(|gone| gone.name.clone()),
            gone_since: gone.get(&memory.id).map(|gone| gone.since.to_string()),
            path: memory.origin.path.clone(),
            line: None,
            file_state: None,
            start_line: memory.origin.start_line,
            end_line: memory.origin.end_line,
            explanation,
        },
        Item::Chunk(chunk) => HitRecord {
            id: chunk.document.to_string(),
            kind: "chunk".to_owned(),
            memory_type: chunk.source.to_string(),
            source: chunk.source.to_string(),
            origin: OriginKind::File.name().to_owned(),
            snippet,
            score,
            relevance,
            scope: chunk.scope.to_string(),
            session_id: None,
            event_time: chunk.modified_at.to_string(),
            superseded_by: None,
            outdated_since: None,
            newer: None,
            newer_since: None,
            mentions_gone: None,
            gone_since: None,
            path: Some(chunk.path.clone()),
            line: Some(chunk.start_line.saturating_add(lines_in(&chunk.text[..start]))),
            file_state: hit.file.name().map(str::to_owned),
            start_line: Some(chunk.start_line),
            end_line: Some(chunk.end_line),
            explanation,
        },
    }
}

fn lines_in(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

async fn entities(ctx: &Ctx, names: &[String]) -> Result<Vec<EntityId>> {
    let store = ctx.store().await?;
    let mut found = Vec::new();
    for name in names {
        let known = store.find_entities(ctx.view(), name).await?;
        if known.is_empty() {
            let message = format!("nothing is known by the name `{name}`; `scrubjay entities` lists what is");
            return Err(EngineError::not_found(message));
        }
        found.extend(known.into_iter().map(|entity| entity.id));
    }
    Ok(found)
}

fn parse_all<T: std::str::FromStr<Err: ToString>>(texts: &[String]) -> Result<Vec<T>> {
    texts.iter().map(|text| text.parse().map_err(EngineError::invalid)).collect()
}

fn fusion(name: &str) -> Result<Fusion> {
    let unknown = || EngineError::invalid(format!("`{name}` is not a fusion; use learned, convex, rrf or weighted"));
    Fusion::from_name(name).ok_or_else(unknown)
}

fn arms(hybrid: bool, without: &[String]) -> Result<Arms> {
    let mut arms = Arms { vector: hybrid, ..Arms::default() };
    for name in without {
        arms = arms.without(name).map_err(EngineError::invalid)?;
    }
    Ok(arms)
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
