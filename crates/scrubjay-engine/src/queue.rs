//! What is left to do later: which kinds of background work there are, and how a piece of it is queued.
//!
//! `crate::schedule` runs what is queued here. Work is queued once per kind and key: what comes in while a job waits is
//! done by that job.

use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;
use scrubjay_store::change::NewJob;
use serde_json::json;

use crate::{Ctx, Result};

/// The kinds of work, by their names in the store.
pub const LINK_ENTITIES: &str = "link_entities";
/// Giving vectors to what was stored.
pub const EMBED: &str = "embed";
/// Noticing which conversations have something new.
pub const NOTICE_SESSIONS: &str = "notice_sessions";
/// Drawing facts from a conversation.
pub const EXTRACT: &str = "extract";
/// Upkeep whose time has come.
pub const MAINTAIN: &str = "maintain";

/// When a conversation is to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// At once, whatever else is queued for it.
    Now,
    /// Not before this time.
    At(Timestamp),
}

/// A job for what was stored in a scope and has no vectors yet.
///
/// # Errors
/// When there is no randomness for its id.
pub fn embed(ctx: &Ctx, scope: &Scope) -> Result<NewJob> {
    in_scope(ctx, EMBED, scope)
}

/// A job for everything new in a scope that may name entities.
///
/// # Errors
/// When there is no randomness for its id.
pub fn link_entities(ctx: &Ctx, scope: &Scope) -> Result<NewJob> {
    in_scope(ctx, LINK_ENTITIES, scope)
}

/// A job for noticing which conversations of a scope have something new.
///
/// # Errors
/// When there is no randomness for its id.
pub fn notice_sessions(ctx: &Ctx, scope: &Scope) -> Result<NewJob> {
    in_scope(ctx, NOTICE_SESSIONS, scope)
}

/// A job for what is new in a conversation.
///
/// # Errors
/// When there is no randomness for its id.
pub fn extract(ctx: &Ctx, scope: &Scope, session_id: &str, urgency: Urgency) -> Result<NewJob> {
    // Two keys, because one that waits for its time must not hold up one that is urgent.
    let (when, run_after) = match urgency {
        Urgency::Now => ("now", ctx.now()),
        Urgency::At(time) => ("later", time),
    };
    Ok(NewJob {
        id: ctx.job_id()?,
        kind: EXTRACT.to_owned(),
        key: format!("{scope} {when} {session_id}"),
        scope: scope.clone(),
        payload: json!({"session_id": session_id}),
        run_after,
    })
}

/// A job for one piece of upkeep that was due at a time.
///
/// # Errors
/// When there is no randomness for its id.
pub fn maintain(ctx: &Ctx, work: &str, due: Timestamp) -> Result<NewJob> {
    Ok(NewJob {
        id: ctx.job_id()?,
        kind: MAINTAIN.to_owned(),
        key: work.to_owned(),
        scope: Scope::Global,
        payload: json!({"work": work, "due": due.millis()}),
        run_after: ctx.now(),
    })
}

// A job of a kind for everything new in a scope.
fn in_scope(ctx: &Ctx, kind: &str, scope: &Scope) -> Result<NewJob> {
    Ok(NewJob {
        id: ctx.job_id()?,
        kind: kind.to_owned(),
        key: scope.to_string(),
        scope: scope.clone(),
        payload: serde_json::Value::Null,
        run_after: ctx.now(),
    })
}

/// What must be done after something was written to a scope.
///
/// # Errors
/// When there is no randomness for ids.
pub fn after_writing(ctx: &Ctx, scope: &Scope) -> Result<Vec<NewJob>> {
    let mut jobs = Vec::new();
    // First, because a command waits for little work, and the model that finds names takes longer to load.
    if ctx.embeds() {
        jobs.push(embed(ctx, scope)?);
    }
    jobs.push(link_entities(ctx, scope)?);
    Ok(jobs)
}

/// What must be done after messages were captured in a scope.
///
/// # Errors
/// When there is no randomness for ids.
pub fn after_capturing(ctx: &Ctx, scope: &Scope) -> Result<Vec<NewJob>> {
    let mut jobs = after_writing(ctx, scope)?;
    if ctx.config().settings.extract.enabled && !matches!(scope, Scope::Task(..)) {
        jobs.push(notice_sessions(ctx, scope)?);
    }
    Ok(jobs)
}
