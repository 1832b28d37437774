//! A conversation is over.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::session_id;
use super::sessions::SessionRecord;
use crate::schedule::jobs::{Extract, Urgency};
use crate::{Ctx, EngineError, Result};

/// Declare a conversation over. A later message reopens it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionEndInput {
    /// The conversation's id.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "SESSION"}))]
    pub session_id: String,
    /// Take its end back: it is open again. Facts that were drawn from it meanwhile stay.
    pub reopen: bool,
}

/// The conversation as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionEndOutput {
    /// The conversation.
    pub session: SessionRecord,
}

/// `session.end`.
pub struct SessionEnd;

impl Operation for SessionEnd {
    type Input = SessionEndInput;
    type Output = SessionEndOutput;
    const NAME: &'static str = "session.end";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["sessions", "end"], http: true, mcp: None };
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = "  scrubjay sessions end standup";

    async fn run(ctx: &Ctx, input: SessionEndInput) -> Result<SessionEndOutput> {
        let store = ctx.store().await?;
        let session_id = session_id(ctx, &input.session_id);
        if input.reopen {
            store.reopen_session(ctx.view(), &session_id).await?;
        } else {
            store.end_session(ctx.view(), &session_id, ctx.now()).await?;
        }
        let session = store.session(ctx.view(), &session_id).await?;
        let session =
            session.ok_or_else(|| EngineError::not_found(format!("there is no session `{session_id}` here")))?;
        if ctx.config().settings.extract.enabled && !input.reopen {
            // What was said is gone through now instead of a few minutes later.
            let job = Extract::job(ctx, &session.scope, &session.session_id, Urgency::Now)?;
            store.enqueue(vec![job], ctx.now()).await?;
        }
        Ok(SessionEndOutput { session: SessionRecord::from(&session) })
    }
}
