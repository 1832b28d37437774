//! Makes the block that each captured prompt would have got.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::memory::Memory;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use scrubjay_store::context::ShownText;

use super::prompts::{newest, said_before};
use super::receipts::add_receipts;
use super::report::{Replay, ReplayedItem, ReplayedPrompt};
use crate::context::{Block, Injected, InjectionQuery, Wanted, inject_in_past};
use crate::search::Prompt;
use crate::{Ctx, EngineError, Result};

/// How much of an item is told, in characters.
const BEGINNING: usize = 200;

/// What to replay.
#[derive(Debug, Clone, Copy)]
pub struct ReplayRequest {
    /// Only what happened at or after this time.
    pub since: Option<Timestamp>,
    /// How many prompts at most, the newest of them.
    pub limit: usize,
    /// All projects, instead of the one at hand.
    pub all_projects: bool,
}

/// Asks captured prompts again. Nothing is written: the store is opened for reading only.
///
/// # Errors
/// When there is no store, or it or the index fails.
pub async fn replay(ctx: &Ctx, request: ReplayRequest) -> Result<Replay> {
    let mut warnings = BTreeSet::new();
    let ctx = without_outside_models(ctx, &mut warnings).reading_only().await?;
    let mut injections = Default::default();
    let mut prompts: Vec<(Ctx, Memory)> = Vec::new();
    for view in views(&ctx, request.all_projects).await? {
        let here = ctx.at(view)?;
        add_receipts(&here, request.since, &mut injections).await?;
        let own = newest(&here, request.since, request.limit).await?;
        prompts.extend(own.into_iter().map(|prompt| (here.clone(), prompt)));
    }
    prompts.sort_by_key(|(_, prompt)| (prompt.event_time, prompt.id));
    let prompts = prompts.split_off(prompts.len().saturating_sub(request.limit));
    let mut replayed = Vec::with_capacity(prompts.len());
    let mut shown: BTreeMap<(Scope, Option<String>), Vec<ShownText>> = BTreeMap::new();
    for (number, (here, prompt)) in (1..).zip(&prompts) {
        let shown = shown.entry((prompt.scope.clone(), prompt.session_id.clone())).or_default();
        let (wanted, block) = ask_again(here, prompt, shown).await?;
        // Without a conversation nobody knows what was shown before.
        if prompt.session_id.is_some() {
            shown.extend(block.items.iter().map(shown_text));
        }
        warnings.extend(block.warnings.iter().cloned());
        replayed.push(record(prompt, &wanted.asked, &block));
        ctx.progress().step("replaying", number, Some(prompts.len() as u64));
    }
    Ok(Replay { prompts: replayed, injections, warnings: warnings.into_iter().collect() })
}

// A call to a model of someone else costs something and has to be noted, and nothing can be.
fn without_outside_models(ctx: &Ctx, warnings: &mut BTreeSet<String>) -> Ctx {
    let provider = &ctx.config().settings.embedding.provider;
    if !ctx.embeds() || provider == "builtin" {
        return ctx.clone();
    }
    warnings.insert(format!(
        "prompts are not sent to the embedder `{provider}`, since nothing is noted here; the search goes without meaning"
    ));
    let mut config = ctx.config().clone();
    config.settings.query.hybrid.enabled = false;
    ctx.with_config(config)
}

async fn views(ctx: &Ctx, all_projects: bool) -> Result<Vec<View>> {
    if !all_projects {
        return Ok(vec![ctx.view().clone()]);
    }
    ctx.need_owner("going through all projects")?;
    let scopes = ctx.store().await?.all_scopes().await?;
    let view = |scope: Scope| match scope {
        Scope::Global => Some(View::global()),
        Scope::Project(project) => Some(View::project(project)),
        Scope::Task(..) => None,
    };
    Ok(scopes.into_iter().filter_map(view).collect())
}

async fn ask_again(ctx: &Ctx, prompt: &Memory, shown: &[ShownText]) -> Result<(Wanted, Block)> {
    let settings = &ctx.config().settings;
    let (count, redact) = (settings.inject.messages, settings.capture.redact);
    let recent = vec![prompt.content.clone()];
    let mut asked = InjectionQuery::of(&recent, redact);
    if asked.is_empty() || asked.wants_more() {
        asked = InjectionQuery::following(said_before(ctx, prompt, count).await?, recent, count, redact);
    }
    let sources = settings.inject.sources.iter().map(|name| name.parse().map_err(EngineError::invalid));
    let wanted = Wanted {
        asked,
        session_id: prompt.session_id.clone(),
        max_items: settings.inject.max_items,
        max_tokens: settings.inject.max_tokens,
        min_relevance: settings.inject.min_score,
        sources: sources.collect::<Result<_>>()?,
        reflection: settings.inject.reflection,
        now: prompt.event_time,
    };
    let block = inject_in_past(ctx, &wanted, shown).await?;
    Ok((wanted, block))
}

fn shown_text(item: &Injected) -> ShownText {
    let text = Some(TextHash::of_message(item.piece.item.text()));
    ShownText { item: item.piece.shown.clone(), text }
}

fn record(prompt: &Memory, asked: &InjectionQuery, block: &Block) -> ReplayedPrompt {
    let item = |item: &Injected| ReplayedItem {
        id: item.piece.shown.to_string(),
        relevance: item.piece.relevance,
        beginning: beginning(&item.lines),
    };
    ReplayedPrompt {
        id: prompt.id.to_string(),
        scope: prompt.scope.to_string(),
        session_id: prompt.session_id.clone(),
        at: prompt.event_time,
        text: prompt.content.clone(),
        asks_for_nothing: Prompt::new(&asked.text).asks_for_nothing(!asked.before.is_empty()),
        tokens: block.tokens,
        items: block.items.iter().map(item).collect(),
    }
}

fn beginning(lines: &str) -> String {
    lines.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(BEGINNING).collect()
}
