//! The context of an agent's loop: code, past context, and the work at hand.

use std::collections::BTreeMap;

use scrubjay_core::filter::Filter;
use scrubjay_core::memory::Memory;
use scrubjay_core::source::Source;
use scrubjay_store::item::Item;
use scrubjay_store::query::Activity;

use super::assemble::{Assembled, Plan, assemble, shares};
use super::injection::Injection;
use super::left_out::LeftOut;
use super::piece::{Piece, is_trusted};
use super::section::Section;
use super::settings::vocabulary;
use super::working::Work;
use crate::capture::clean;
use crate::gone::gone_mentions;
use crate::search::{Arms, FileState, Found, Fusion, Question, Rerank, Weights, beginning, recall};
use crate::sync::{Looking, with_fresh_files};
use crate::{Ctx, Result};

/// Hits looked at for each wanted one.
const SPARE: usize = 3;

/// The longest beginning of a task that is looked for, in characters.
const TASK: usize = 600;

/// What the loop's context is made from.
#[derive(Debug, Clone, Default)]
pub struct LoopRequest {
    /// What the agent works on.
    pub work: Work,
    /// How many tokens there is room for; the settings' number if not given.
    pub budget: Option<usize>,
    /// Shares that differ from the settings'.
    pub shares: BTreeMap<String, f64>,
    /// The conversation.
    pub session_id: Option<String>,
}

/// Puts the context of an agent's loop together.
///
/// # Errors
/// When a share makes no sense, or the store or the index fails.
pub async fn loop_context(ctx: &Ctx, request: LoopRequest) -> Result<Assembled> {
    let settings = &ctx.config().settings.context.agent_loop;
    let shares = shares(
        &[
            ("working", settings.share_working),
            ("episodic", settings.share_episodic),
            ("semantic", settings.share_semantic),
        ],
        &request.shares,
    )?;
    let task = clean(&request.work.task, ctx.config().settings.capture.redact).text;
    let task: String = task.chars().take(TASK).collect();
    let vocabulary = vocabulary(ctx);
    let mut warnings = Vec::new();
    let mut episodic =
        Section { name: "episodic", heading: "[Relevant past context]", per_piece: 0.5, ..Section::default() };
    let mut semantic =
        Section { name: "semantic", heading: "[Relevant code from codebase]", per_piece: 0.34, ..Section::default() };
    if !task.is_empty() {
        let past = [Source::Facts, Source::Sessions, Source::Memory];
        let hits = search(ctx, &task, &request, &past, settings.max_episodes, &mut warnings).await?;
        let untrusted = |hit: &&Found| !is_trusted(&hit.item);
        episodic.turned_away = hits
            .iter()
            .filter(untrusted)
            .map(|hit| {
                let what = super::piece::shown(&hit.item).to_string();
                LeftOut::new(what, "episodic", "from a tool or the web", vocabulary.count(hit.item.text()))
            })
            .collect();
        let memory = |hit: &Found| match &hit.item {
            Item::Memory(memory) => Some((**memory).clone()),
            Item::Chunk(_) => None,
        };
        let found: Vec<Memory> = hits.iter().filter_map(memory).collect();
        let gone = gone_mentions(ctx, &found).await?;
        let is_there = |hit: &Found| memory(hit).is_none_or(|memory| !gone.contains_key(&memory.id));
        let is_wanted = |hit: &Found| Injection::of_item(&hit.item) != Some(Injection::Never);
        let useful = hits
            .iter()
            .filter(|hit| is_trusted(&hit.item) && hit.outdated.is_none() && is_wanted(hit) && is_there(hit));
        episodic.pieces = useful.take(settings.max_episodes).map(Piece::episode).collect();
        let hits =
            search(ctx, &task, &request, &[Source::Code, Source::Docs], settings.max_chunks, &mut warnings).await?;
        let chunks = hits.iter().filter(|hit| matches!(hit.item, Item::Chunk(_)));
        semantic.pieces = chunks.take(settings.max_chunks).map(Piece::file).collect();
    }
    let plan = Plan {
        profile: "loop",
        budget: super::settings::check_budget(request.budget.unwrap_or(settings.budget_tokens))?,
        tool_results: settings.tool_results,
        sections: vec![semantic, episodic],
        shares,
        session_id: request.session_id.clone(),
        warnings,
        work: Some(request.work),
    };
    assemble(ctx, plan, vocabulary).await
}

async fn search(
    ctx: &Ctx,
    task: &str,
    request: &LoopRequest,
    sources: &[Source],
    wanted: usize,
    warnings: &mut Vec<String>,
) -> Result<Vec<Found>> {
    let settings = &ctx.config().settings;
    if wanted == 0 {
        return Ok(Vec::new());
    }
    let question = Question {
        text: beginning(task).to_owned(),
        vector: None,
        filter: Filter::default(),
        activity: Activity::Active,
        // The conversation at hand is part of the work.
        exclude_sessions: request.session_id.iter().cloned().collect(),
        sources: sources.to_vec(),
        entities: Vec::new(),
        limit: wanted * SPARE,
        min_relevance: settings.context.agent_loop.min_score,
        following: 1.0,
        near: 0,
        weights: Weights::default(),
        fusion: Fusion::from_name(&settings.query.hybrid.fusion).unwrap_or_default(),
        arms: Arms { vector: settings.query.hybrid.enabled, ..Arms::default() },
        rerank: Rerank::Off,
        now: ctx.now(),
    };
    let looking = Looking { sources, conversation: request.session_id.as_deref(), ..Looking::default() };
    let mut recalled = with_fresh_files(ctx, looking, || recall(ctx, &question)).await?;
    recalled.hits.retain(|hit| hit.file != FileState::Gone);
    recalled.warnings.retain(|warning| !warnings.contains(warning));
    warnings.append(&mut recalled.warnings);
    Ok(recalled.hits)
}
