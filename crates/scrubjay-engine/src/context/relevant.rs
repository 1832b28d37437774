//! What fits a prompt, and what was found and is left out.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use scrubjay_core::filter::Filter;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_store::context::Shown;
use scrubjay_store::item::Item;
use scrubjay_store::source::{SourceKind, SourcePlace};

use super::inject::{Block, Wanted};
use super::injection::Injection;
use super::piece::{Piece, is_trusted, shown};
use super::rejection::{Rejected, Rejection};
use super::shown_before::ShownBefore;
use super::standpoint::Standpoint;
use crate::gone::gone_mentions;
use crate::search::{
    Arms, FOLLOWING, FileState, Found, Fusion, Missing, Prompt, Question, Recalled, Rerank, Weights, recall_after,
};
use crate::sync::{Looking, with_fresh_files};
use crate::{Ctx, Result};

/// Hits that are looked at for each wanted one, because some were shown already
/// or may not be handed on.
const SPARE: usize = 4;

/// From so many hits on, none of which is of use, no more are looked at.
const DEEPEST: usize = 500;

/// How long files may be looked at first: someone waits for the turn to begin.
const FRESHEN: Duration = Duration::from_millis(50);

/// The relevance from which on a prompt has something to do with a memory.
const TOUCHES: f64 = 0.02;

/// How many of those that are left out are told about.
const TOLD: usize = 20;

/// How many that are not relevant enough are told about.
const NEAR_MISSES: usize = 3;

/// What fits a prompt.
#[derive(Debug, Default)]
pub(super) struct Relevant {
    /// Best first.
    pub(super) hits: Vec<Found>,
    /// The best of those that are left out.
    pub(super) rejected: Vec<Rejected>,
    /// Whether the prompt asks for nothing.
    pub(super) asks_for_nothing: bool,
    /// What the search did without.
    pub(super) missing: Missing,
    /// What the caller should know.
    pub(super) warnings: Vec<String>,
}

impl Relevant {
    /// Takes a memory out of the hits.
    pub(super) fn take(&mut self, id: MemoryId) -> Option<Found> {
        let is_it = |hit: &Found| shown(&hit.item) == Shown::Memory(id);
        self.hits.iter().position(is_it).map(|place| self.hits.remove(place))
    }

    /// Leaves out all hits but the best.
    pub(super) fn keep_best(&mut self, limit: usize) {
        let others = self.hits.split_off(self.hits.len().min(limit));
        self.rejected.extend(others.into_iter().map(|hit| Rejected::hit(hit, Rejection::TooMany { limit })));
        self.rejected.truncate(TOLD);
    }
}

/// Looks for what fits a prompt.
pub(super) async fn relevant(
    ctx: &Ctx,
    wanted: &Wanted,
    shown: &ShownBefore,
    standpoint: Standpoint,
) -> Result<Relevant> {
    // “Thanks” and “continue” ask for nothing, whatever was said before.
    let prompt = Prompt::new(&wanted.asked.text);
    if prompt.asks_for_nothing(!wanted.asked.before.is_empty()) {
        return Ok(Relevant { asks_for_nothing: true, ..Relevant::default() });
    }
    let question = Question {
        limit: wanted.max_items * SPARE + shown.count().min(100),
        // What somebody always wants to be handed over is looked for below the threshold, too.
        min_relevance: following_threshold(wanted.min_relevance).min(TOUCHES),
        ..question(ctx, wanted, standpoint)
    };
    let reaches = |hit: &Found| hit.relevance >= wanted.min_relevance || is_always_wanted(hit);
    let why_not = |hit: &Found| why_not(hit, &prompt, shown);
    let (question, prompt, why_not, reaches) = (&question, &prompt, &why_not, &reaches);
    // What is left out comes back as near misses.
    let search = || async move {
        let mut question = question.clone();
        loop {
            let mut recalled = recall_after(ctx, &question, &wanted.asked.before).await?;
            let enough = following_threshold(wanted.min_relevance);
            recalled.hits.retain(|hit| hit.relevance >= enough || is_always_wanted(hit));
            let is_all = recalled.hits.len() < question.limit;
            // The best must be sure enough to speak up at all, be it of use by itself or not.
            if !recalled.hits.iter().any(reaches) {
                recalled.near = std::mem::take(&mut recalled.hits);
                return Ok(recalled);
            }
            // What is wanted always speaks for itself alone.
            let speaks_up = recalled.hits.iter().any(|hit| hit.relevance >= wanted.min_relevance);
            let least = least_beside(&recalled.hits, prompt);
            let fits = |hit: &Found| is_always_wanted(hit) || (speaks_up && hit.relevance >= least);
            let is_of_use = |hit: &Found| fits(hit) && why_not(hit).is_none();
            (recalled.hits, recalled.near) = recalled.hits.into_iter().partition(is_of_use);
            recalled.hits.sort_by_key(|hit| !is_always_wanted(hit));
            // What was asked often hides the answer behind its own repetitions; then it is looked for further down.
            if is_all || !recalled.hits.is_empty() || question.limit >= DEEPEST {
                return Ok(recalled);
            }
            question.limit *= 8;
        }
    };
    let looking =
        Looking { sources: &wanted.sources, at_most: Some(FRESHEN), conversation: wanted.session_id.as_deref() };
    let Recalled { hits, near, missing, warnings } = match standpoint {
        Standpoint::Now => with_fresh_files(ctx, looking, search).await?,
        Standpoint::Past(_) => search().await?,
    };
    let speaks_up = hits.iter().chain(&near).any(reaches);
    let threshold = if speaks_up { least_beside(hits.iter().chain(&near), prompt) } else { wanted.min_relevance };
    let below = Rejection::BelowThreshold { threshold };
    let reason = |hit: &Found| if speaks_up { why_not(hit).unwrap_or(below) } else { below };
    let mut rejected: Vec<Rejected> = near.into_iter().take(TOLD).map(|hit| (reason(&hit), hit)).map(reject).collect();
    let (gone, hits): (Vec<Found>, Vec<Found>) = hits.into_iter().partition(|hit| hit.file == FileState::Gone);
    rejected.extend(gone.into_iter().map(|hit| Rejected::hit(hit, Rejection::FileGone)));
    let mentions = match standpoint {
        Standpoint::Now => gone_mentions(ctx, hits.iter().filter_map(|hit| memory_of(&hit.item))).await?,
        Standpoint::Past(_) => BTreeMap::new(),
    };
    let gone_since = |hit: &Found| Some(mentions.get(&memory_of(&hit.item)?.id)?.since);
    let (doubtful, hits): (Vec<Found>, Vec<Found>) = hits.into_iter().partition(|hit| gone_since(hit).is_some());
    rejected.extend(doubtful.into_iter().filter_map(|hit| {
        let since = gone_since(&hit)?;
        Some(Rejected::hit(hit, Rejection::MentionsGone { since }))
    }));
    Ok(Relevant { hits, rejected, asks_for_nothing: false, missing, warnings })
}

/// What came nearest without being relevant enough, for whoever asks why it is not there.
///
/// # Errors
/// When the store or the index fails.
pub async fn near_misses(ctx: &Ctx, wanted: &Wanted, block: &Block) -> Result<Vec<Rejected>> {
    if block.asks_for_nothing {
        return Ok(Vec::new());
    }
    let known: Vec<_> = block
        .items
        .iter()
        .map(|item| item.piece.shown.clone())
        .chain(block.rejected.iter().map(|rejected| shown(&rejected.item)))
        .collect();
    let question =
        Question { limit: known.len() + NEAR_MISSES, min_relevance: 0.0, ..question(ctx, wanted, Standpoint::Now) };
    let recalled = recall_after(ctx, &question, &wanted.asked.before).await?;
    let enough = following_threshold(wanted.min_relevance);
    let mut found = block.items.iter().filter_map(|item| item.found.as_ref().map(|found| found.relevance));
    let speaks_up = found.any(|relevance| relevance >= wanted.min_relevance)
        || block.rejected.iter().any(|rejected| rejected.relevance.is_some_and(|own| own >= wanted.min_relevance));
    let threshold = if speaks_up { enough } else { wanted.min_relevance };
    let near = recalled.hits.into_iter().filter(|hit| hit.relevance < enough && !known.contains(&shown(&hit.item)));
    Ok(near.take(NEAR_MISSES).map(|hit| Rejected::hit(hit, Rejection::BelowThreshold { threshold })).collect())
}

/// The relevance that is enough for what comes along with a hit that reaches the threshold.
#[must_use]
pub fn following_threshold(min_relevance: f64) -> f64 {
    min_relevance * FOLLOWING
}

// The relevance that is enough beside the best of those hits that state something: what is far behind it is noise.
fn least_beside<'a>(hits: impl IntoIterator<Item = &'a Found>, prompt: &Prompt) -> f64 {
    let stating = hits.into_iter().filter(|hit| !prompt.is_left_open_by(&hit.item));
    FOLLOWING * stating.map(|hit| hit.relevance).fold(0.0, f64::max)
}

fn question(ctx: &Ctx, wanted: &Wanted, standpoint: Standpoint) -> Question {
    let settings = &ctx.config().settings.query;
    let hybrid = &settings.hybrid;
    let (filter, activity) = standpoint.narrow(Filter::default());
    Question {
        text: wanted.asked.text.clone(),
        vector: None,
        filter,
        activity,
        // The conversation knows what it said itself.
        exclude_sessions: wanted.session_id.iter().cloned().collect(),
        sources: wanted.sources.clone(),
        entities: Vec::new(),
        limit: wanted.max_items,
        min_relevance: wanted.min_relevance,
        // Whether the best one reaches the threshold is looked at here, so that what is left out can be told.
        following: 1.0,
        near: 0,
        weights: Weights::default(),
        fusion: Fusion::from_name(&hybrid.fusion).unwrap_or_default(),
        arms: Arms { vector: hybrid.enabled, ..Arms::default() },
        // It would only change the order within the block, and someone waits.
        rerank: if settings.rerank == "on" { Rerank::On } else { Rerank::Off },
        now: wanted.now,
    }
}

// Why a relevant hit is of no use; none if it is.
fn why_not(hit: &Found, prompt: &Prompt, shown: &ShownBefore) -> Option<Rejection> {
    if !is_trusted(&hit.item) {
        return Some(Rejection::Foreign);
    }
    if is_scratch(&hit.item) {
        return Some(Rejection::TaskNote);
    }
    if Injection::of_item(&hit.item) == Some(Injection::Never) {
        return Some(Rejection::Unwanted);
    }
    if shown.has(&hit.item) {
        return Some(Rejection::Shown);
    }
    if prompt.gains_nothing_from(&hit.item) {
        return Some(Rejection::StatesNothing);
    }
    let superseded = hit.outdated.as_ref().map(|old| Rejection::Superseded { since: old.since, by: old.by });
    superseded.or_else(|| hit.newer.map(|newer| Rejection::Newer { by: newer.id, since: newer.since }))
}

fn is_always_wanted(hit: &Found) -> bool {
    Injection::of_item(&hit.item) == Some(Injection::Always)
}

fn reject((why, hit): (Rejection, Found)) -> Rejected {
    Rejected::hit(hit, why)
}

/// Marks the pieces of files that are read because they are part of a workspace.
pub(super) async fn mark_repository(ctx: &Ctx, pieces: &mut [Piece]) -> Result<()> {
    if pieces.iter().all(|piece| matches!(piece.item, Item::Memory(_))) {
        return Ok(());
    }
    let places = ctx.store().await?.sources(ctx.view()).await?;
    for piece in pieces {
        let Item::Chunk(chunk) = &piece.item else { continue };
        let holds = |place: &&SourcePlace| Path::new(&chunk.path).starts_with(&place.path);
        // The innermost place decides: someone's notes may lie inside of a repository.
        let place = places.iter().filter(holds).max_by_key(|place| place.path.len());
        piece.of_repository = place.is_none_or(|place| place.kind == SourceKind::Workspace);
    }
    Ok(())
}

fn memory_of(item: &Item) -> Option<&Memory> {
    match item {
        Item::Memory(memory) => Some(memory),
        Item::Chunk(_) => None,
    }
}

fn is_scratch(item: &Item) -> bool {
    matches!(item, Item::Memory(memory) if memory.kind() == Kind::Scratch)
}
