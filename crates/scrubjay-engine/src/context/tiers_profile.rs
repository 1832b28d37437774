//! The context of tiers: what the task, the project and all projects hold.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::filter::{Field, Filter, Order};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::Scope;
use scrubjay_core::source::Source;
use scrubjay_ingest::Vocabulary;
use scrubjay_store::item::Item;
use scrubjay_store::query::{Activity, ListQuery};

use super::assemble::{Assembled, Plan, assemble, shares};
use super::injection::Injection;
use super::left_out::LeftOut;
use super::piece::{Piece, is_trusted};
use super::section::Section;
use super::settings::{check_budget, vocabulary};
use crate::capture::clean;
use crate::gone::gone_mentions;
use crate::search::{Arms, Fusion, Question, Rerank, Weights, beginning, recall};
use crate::{Ctx, EngineError, Result};

/// The most items of one tier that are looked at.
const ITEMS: usize = 1000;

/// Hits whose relevance is known; the others have the least.
const HITS: usize = 200;
const LEAST_RELEVANCE: f64 = 0.05;

/// What a tiers' context is made from.
#[derive(Debug, Clone, Default)]
pub struct TiersRequest {
    /// What is to be done; without it importance alone decides.
    pub task: String,
    /// How many tokens there is room for; the settings' number if not given.
    pub budget: Option<usize>,
    /// Shares that differ from the settings'.
    pub shares: BTreeMap<String, f64>,
    /// How many first and last items of each tier stay whatever their rank.
    pub keep_ends: Option<usize>,
    /// The conversation.
    pub session_id: Option<String>,
}

/// Puts the context of tiers together, as seen from where `ctx` stands.
///
/// # Errors
/// When a share makes no sense, or the store or the index fails.
pub async fn tiers_context(ctx: &Ctx, request: TiersRequest) -> Result<Assembled> {
    let settings = &ctx.config().settings.context.tiers;
    let shares = shares(
        &[("task", settings.share_task), ("project", settings.share_project), ("global", settings.share_global)],
        &request.shares,
    )?;
    let budget = check_budget(request.budget.unwrap_or(settings.budget_tokens))?;
    let task = clean(&request.task, ctx.config().settings.capture.redact).text;
    let (relevance, warnings) = relevance(ctx, &task).await?;
    let keep_ends = request.keep_ends.unwrap_or(settings.keep_ends);
    let vocabulary = vocabulary(ctx);
    let mut sections = Vec::new();
    // The nearer a tier, the nearer it stands to what the agent does next.
    for scope in ctx.view().scopes().into_iter().rev() {
        let (name, heading, kind) = match scope {
            Scope::Global => ("global", "[Global memory]", Kind::Fact),
            Scope::Project(_) => ("project", "[Project memory]", Kind::Fact),
            Scope::Task(..) => ("task", "[Task memory]", Kind::Scratch),
        };
        let tier = Tier { name, heading, scope, kind };
        sections.push(section(ctx, &tier, (!task.is_empty()).then_some(&relevance), keep_ends, vocabulary).await?);
    }
    let plan = Plan {
        profile: "tiers",
        budget,
        work: None,
        tool_results: 0,
        sections,
        shares,
        session_id: request.session_id,
        warnings,
    };
    assemble(ctx, plan, vocabulary).await
}

struct Tier {
    name: &'static str,
    heading: &'static str,
    scope: Scope,
    kind: Kind,
}

async fn section(
    ctx: &Ctx,
    tier: &Tier,
    relevance: Option<&BTreeMap<MemoryId, f64>>,
    keep_ends: usize,
    vocabulary: Vocabulary,
) -> Result<Section> {
    let store = ctx.store().await?;
    let filter =
        Filter::default().and_equal(Field::Scope, tier.scope.to_string()).and_equal(Field::Kind, tier.kind.name());
    let order = Order::parse("importance").map_err(EngineError::defect)?;
    let page = store.list(ctx.view(), ListQuery { filter, order, limit: ITEMS, ..ListQuery::default() }).await?;
    let superseded: BTreeSet<MemoryId> = store
        .outdated(ctx.view(), page.memories.iter().map(|memory| memory.id).collect())
        .await?
        .into_iter()
        .map(|outdated| outdated.id)
        .collect();
    let gone = gone_mentions(ctx, &page.memories).await?;
    let mut section =
        Section { name: tier.name, heading: tier.heading, per_piece: 0.25, by_time: true, ..Section::default() };
    for memory in page.memories {
        // A task's own tool outputs are part of its work, and are marked.
        let untrusted = tier.kind != Kind::Scratch && !is_trusted(&Item::Memory(Box::new(memory.clone())));
        let why = if superseded.contains(&memory.id) {
            Some("superseded")
        } else if Injection::of(&memory) == Some(Injection::Never) {
            Some("never to be shown")
        } else if gone.contains_key(&memory.id) {
            Some("mentions what is gone")
        } else {
            untrusted.then_some("from a tool or the web")
        };
        match why {
            Some(why) => {
                let tokens = vocabulary.count(&memory.content);
                section.turned_away.push(LeftOut::new(memory.id.to_string(), tier.name, why, tokens));
            }
            None => section.pieces.push(piece(memory, relevance)),
        }
    }
    put_in_order(&mut section.pieces, keep_ends);
    Ok(section)
}

fn piece(memory: Memory, relevance: Option<&BTreeMap<MemoryId, f64>>) -> Piece {
    let fits = relevance.map_or(1.0, |known| known.get(&memory.id).copied().unwrap_or(LEAST_RELEVANCE));
    let score = memory.importance.value() / 5.0 * fits;
    Piece::of_tier(memory, fits, score)
}

// The ends come first, then the best.
fn put_in_order(pieces: &mut [Piece], keep_ends: usize) {
    let time = |piece: &Piece| match &piece.item {
        Item::Memory(memory) => (memory.event_time, memory.id),
        Item::Chunk(chunk) => (chunk.modified_at, MemoryId::new(Kind::Fact, chunk.document.uuid())),
    };
    let mut times: Vec<_> = pieces.iter().map(time).collect();
    times.sort();
    let first = times.iter().take(keep_ends);
    let ends: BTreeSet<_> = first.chain(times.iter().rev().take(keep_ends)).copied().collect();
    pieces.sort_by(|a, b| {
        let kept = |piece: &Piece| ends.contains(&time(piece));
        kept(b).cmp(&kept(a)).then(b.score.total_cmp(&a.score)).then(time(b).cmp(&time(a)))
    });
}

async fn relevance(ctx: &Ctx, task: &str) -> Result<(BTreeMap<MemoryId, f64>, Vec<String>)> {
    if task.is_empty() {
        return Ok((BTreeMap::new(), Vec::new()));
    }
    let hybrid = &ctx.config().settings.query.hybrid;
    let question = Question {
        text: beginning(task).to_owned(),
        vector: None,
        filter: Filter::default(),
        activity: Activity::Active,
        exclude_sessions: Vec::new(),
        sources: vec![Source::Facts],
        entities: Vec::new(),
        limit: HITS,
        min_relevance: 0.0,
        following: 1.0,
        near: 0,
        weights: Weights::NONE,
        fusion: Fusion::from_name(&hybrid.fusion).unwrap_or_default(),
        arms: Arms { vector: hybrid.enabled, ..Arms::default() },
        rerank: Rerank::Off,
        now: ctx.now(),
    };
    let recalled = recall(ctx, &question).await?;
    let known = recalled.hits.iter().filter_map(|hit| match &hit.item {
        Item::Memory(memory) => Some((memory.id, hit.relevance.max(LEAST_RELEVANCE))),
        Item::Chunk(_) => None,
    });
    Ok((known.collect(), recalled.warnings))
}
