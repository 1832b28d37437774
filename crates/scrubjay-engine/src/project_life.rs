//! What becomes of projects as wholes: merged, renamed, adopted, moved, destroyed.
//!
//! The store moves the memories, the list of known projects gets their keys, places that are read go along, and pauses
//! keep holding. Only the owner gets here.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::{ProjectId, Scope, View};
use scrubjay_store::change::Stamp;
use scrubjay_store::query::{Activity, ListQuery, ProjectCounts};
use scrubjay_store::source::SourcePlace;

use crate::project::{self, LostProject};
use crate::{Ctx, EngineError, Result};

/// How many projects an ambiguous name is told to be.
const CANDIDATES: usize = 5;

/// Documents listed at a time.
const PAGE: usize = 500;

/// Every operation that changes which project something belongs to, for whoever takes one back.
pub(crate) const OPERATIONS: [&str; 4] = ["projects.rename", "projects.merge", "projects.move", "projects.adopt"];

/// Reads a project's id, in whatever way it was known before.
pub(crate) fn named(ctx: &Ctx, name: &str) -> Result<ProjectId> {
    project::validate_slug(name.trim())?;
    ctx.known_projects().canonical(name.trim())?.parse().map_err(EngineError::invalid)
}

/// A project that holds something or was seen somewhere, by its id, one that it had before, or the beginning of its id if
/// no other begins so.
pub(crate) async fn existing(ctx: &Ctx, name: &str) -> Result<(ProjectId, ProjectCounts)> {
    let project = named(ctx, name)?;
    let (mut held, known) = (ctx.store().await?.projects().await?, ctx.known_projects().all()?);
    held.extend(known.iter().map(|seen| ProjectCounts { project: seen.id.clone(), ..ProjectCounts::default() }));
    // Whoever holds something comes first, with what it holds.
    if let Some(counts) = held.iter().find(|counts| counts.project == project.as_str()) {
        return Ok((project, counts.clone()));
    }
    let mut meant: Vec<&str> = held.iter().map(|counts| counts.project.as_str()).collect();
    meant.retain(|id| id.starts_with(project.as_str()));
    meant.sort_unstable();
    meant.dedup();
    match meant.as_slice() {
        [] => Err(EngineError::not_found(format!("no project `{name}`; `scrubjay projects` lists them"))),
        [one] => {
            let counts = held.iter().find(|counts| counts.project == *one).cloned().unwrap_or_default();
            Ok((one.parse().map_err(EngineError::defect)?, counts))
        }
        several => {
            let shown: Vec<String> = several.iter().take(CANDIDATES).map(|id| format!("`{id}`")).collect();
            Err(EngineError::invalid(format!("several projects begin with `{name}`; say which: {}", shown.join(", "))))
        }
    }
}

/// A project that may be paused: one that is there, as [`existing`] finds it, or one that is still to come. A store that
/// cannot be read does not stand in the way.
pub(crate) async fn existing_or_new(ctx: &Ctx, name: &str) -> Result<ProjectId> {
    match existing(ctx, name).await {
        Ok((project, _)) => Ok(project),
        Err(error) if error.code() == ErrorCode::InvalidInput => Err(error),
        Err(_) => named(ctx, name),
    }
}

/// How many memories wait under the id of a project that the folder at hand may be; none if something is kept in the
/// project at hand, or nothing waits.
///
/// # Errors
/// When the store fails.
pub async fn waiting_under(ctx: &Ctx, lost: &LostProject) -> Result<Option<u64>> {
    let Some(here) = ctx.view().project_id() else { return Ok(None) };
    let all = ctx.store().await?.projects().await?;
    let memories = |id: &str| all.iter().find(|counts| counts.project == id).map_or(0, ProjectCounts::memories);
    let waiting = memories(&lost.id);
    Ok((waiting > 0 && memories(here.as_str()) == 0).then_some(waiting))
}

/// Makes one project part of another, or of one that does not exist yet. Says how many memories moved.
pub(crate) async fn merge(ctx: &Ctx, stamp: Stamp, from: &ProjectId, into: &ProjectId) -> Result<u64> {
    let store = ctx.store().await?;
    if let Some(task) = store.tasks(&View::project(from.clone()), true, 1).await?.first() {
        return Err(EngineError::refused(format!(
            "the task `{}` of `{from}` is still open; end it first with `scrubjay task end {} --project {from}`",
            task.id, task.id
        )));
    }
    let run = stamp.run.to_string();
    let moved = store.move_memories(stamp, from, into, None).await?.len() as u64;
    ctx.known_projects().merge(ctx, &run, from.as_str(), into.as_str())?;
    ctx.pauses().follow(ctx, from.as_str(), into.as_str())?;
    move_places(ctx, from, into, |_| true).await?;
    ctx.index().await?.bring_up_to_date(&*store, true).await?;
    Ok(moved)
}

/// Takes back what a run of ours changed beside the memories; `again` is the run that does it, and takes that back.
pub(crate) async fn take_back(ctx: &Ctx, run: &str, operation: &str, again: &str) -> Result<()> {
    let is_ours = OPERATIONS.contains(&operation);
    let known = ctx.known_projects();
    // Whoever may not move anything has taken back something else.
    if !(is_ours || operation == "undo") || ctx.need_owner("moving memories").is_err() {
        return Ok(());
    }
    let is_known = known.take_back(ctx, run, again)?;
    if is_known {
        for place in ctx.store().await?.all_sources().await? {
            let Ok(found) = project::locate(place.path.as_ref(), &known) else { continue };
            let Some(here) = place.scope.project().filter(|here| here.as_str() != found.id) else { continue };
            let back: ProjectId = found.id.parse().map_err(EngineError::defect)?;
            move_places(ctx, &here.clone(), &back, |one| one.path == place.path).await?;
        }
    }
    if is_ours || is_known {
        let store = ctx.store().await?;
        ctx.index().await?.bring_up_to_date(&*store, true).await?;
    }
    Ok(())
}

// Places are read again in their new project; what was indexed of them is derived and goes.
async fn move_places(
    ctx: &Ctx,
    from: &ProjectId,
    into: &ProjectId,
    is_meant: impl Fn(&SourcePlace) -> bool,
) -> Result<()> {
    let store = ctx.store().await?;
    let (left, reached) = (Scope::Project(from.clone()), Scope::Project(into.clone()));
    for place in store.all_sources().await? {
        if place.scope != left || !is_meant(&place) {
            continue;
        }
        store.put_source(SourcePlace { scope: reached.clone(), dirty: true, ..place.clone() }).await?;
        store.remove_source(&place.scope, place.kind, &place.path).await?;
        let prefix = format!("{}/", place.path.trim_end_matches('/'));
        loop {
            let page = store.documents(&left, &prefix, None, PAGE).await?;
            if page.is_empty() {
                break;
            }
            store.remove_documents(&left, page.into_iter().map(|document| document.path).collect(), None).await?;
        }
    }
    Ok(())
}

/// Every memory of a project, with those of its tasks, ended ones too: by the view that sees them.
pub(crate) async fn memories(ctx: &Ctx, project: &ProjectId) -> Result<Vec<(View, Vec<MemoryId>)>> {
    let store = ctx.store().await?;
    let mut found = Vec::new();
    for scope in store.all_scopes().await? {
        if scope.project() != Some(project) {
            continue;
        }
        let view = View::of(&scope);
        let mut ids = Vec::new();
        let mut query = ListQuery { activity: Activity::Any, limit: 1000, ..ListQuery::default() };
        loop {
            let page = store.list(&view, query.clone()).await?;
            ids.extend(page.memories.iter().filter(|memory| memory.scope == scope).map(|memory| memory.id));
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
        if !ids.is_empty() {
            found.push((view, ids));
        }
    }
    Ok(found)
}
