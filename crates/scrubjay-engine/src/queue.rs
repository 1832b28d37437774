//! How background work is queued, and what is queued after every write.
//!
//! `crate::schedule` runs what is queued here. Work is queued once per kind and key: what comes in while a job waits is
//! done by that job. A kind that is not queued by a write is queued by whoever knows that it is due, from its own file.

use scrubjay_core::scope::Scope;
use scrubjay_store::change::NewJob;

use crate::{Ctx, Result};

/// Linking what was stored to the names in it.
pub const LINK_ENTITIES: &str = "link_entities";
/// Giving vectors to what was stored.
pub const EMBED: &str = "embed";
/// Noticing which conversations have something new.
pub const NOTICE_SESSIONS: &str = "notice_sessions";

/// A kind of work that follows a write.
struct FollowUp {
    kind: &'static str,
    /// Whether it follows a write like this.
    follows: fn(&Ctx, &Scope, Write) -> bool,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Write {
    /// Messages of a conversation.
    Messages,
    /// Anything else.
    Other,
}

/// What follows writes, in the order in which it is queued. Vectors come first, because a command waits for little work,
/// and the model that finds names takes longer to load.
const FOLLOW_UPS: &[FollowUp] = &[
    FollowUp { kind: EMBED, follows: |ctx, _, _| ctx.embeds() },
    FollowUp { kind: LINK_ENTITIES, follows: |_, _, _| true },
    FollowUp {
        kind: NOTICE_SESSIONS,
        follows: |ctx, scope, write| {
            let is_conversation = write == Write::Messages && !matches!(scope, Scope::Task(..));
            is_conversation && ctx.config().settings.extract.enabled
        },
    },
];

/// A job of a kind for everything new in a scope.
///
/// # Errors
/// When there is no randomness for its id.
pub fn in_scope(ctx: &Ctx, kind: &str, scope: &Scope) -> Result<NewJob> {
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
    after(ctx, scope, Write::Other)
}

/// What must be done after messages were captured in a scope.
///
/// # Errors
/// When there is no randomness for ids.
pub fn after_capturing(ctx: &Ctx, scope: &Scope) -> Result<Vec<NewJob>> {
    after(ctx, scope, Write::Messages)
}

fn after(ctx: &Ctx, scope: &Scope, write: Write) -> Result<Vec<NewJob>> {
    let following = FOLLOW_UPS.iter().filter(|next| (next.follows)(ctx, scope, write));
    following.map(|next| in_scope(ctx, next.kind, scope)).collect()
}
