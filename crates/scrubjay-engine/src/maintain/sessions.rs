//! Going through conversations that nobody went through yet.

use scrubjay_core::scope::Scope;
use scrubjay_store::query::{Session, WaitingSession};

use crate::consolidate::{Consolidated, Extent, consolidate_each};
use crate::{Ctx, Result};

/// How many conversations a night goes through.
const SESSIONS: usize = 1000;

/// Which conversations are gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// Those that are over: ended, or quiet for `maintain.idle_minutes`.
    Over,
    /// All of them.
    All,
}

/// The conversations of a scope with something that no facts were drawn from yet.
///
/// # Errors
/// When the store fails.
pub async fn waiting(ctx: &Ctx, scope: &Scope, which: Waiting) -> Result<Vec<WaitingSession>> {
    let idle_ms = i64::try_from(ctx.config().settings.maintain.idle_minutes * 60_000).unwrap_or(i64::MAX);
    let quiet_since = ctx.now().plus_millis(-idle_ms);
    // Whoever asks for all of them gets all of them.
    let limit = if which == Waiting::All { usize::MAX } else { SESSIONS };
    let mut found = ctx.store().await?.waiting_sessions(scope, None, limit).await?;
    if which == Waiting::Over {
        found.retain(|one| one.session.ended_at.is_some() || one.session.last_seen <= quiet_since);
    }
    Ok(found)
}

/// Goes through them, and notes which of the others are over.
///
/// # Errors
/// When the store or a model fails; conversations that were done stay done.
pub async fn consolidate_all(ctx: &Ctx, scope: &Scope, which: Waiting, extent: Extent) -> Result<Vec<Consolidated>> {
    let waiting = waiting(ctx, scope, which).await?;
    let sessions: Vec<Session> = waiting.into_iter().map(|one| one.session).collect();
    let done = consolidate_each(ctx, &sessions, extent).await?;
    if extent == Extent::Apply {
        // Facts were drawn from these while they went on.
        let open = ctx.store().await?.open_sessions(scope, ctx.now(), SESSIONS).await?;
        consolidate_each(ctx, &open, extent).await?;
    }
    Ok(done)
}
