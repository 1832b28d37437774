//! Conversations.

use schemars::JsonSchema;
use scrubjay_store::query::Session;
use serde::{Deserialize, Serialize};

use super::entities::offset;
use super::list::limit;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::session_id;
use crate::pause::Paused;
use crate::{Ctx, Result};

/// List conversations, most recent first.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SessionsInput {
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
    /// Where to go on, as the last answer's `next` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Only this conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Part of the list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionsOutput {
    /// The conversations.
    pub sessions: Vec<SessionRecord>,
    /// Where to go on; null at the end.
    pub next: Option<String>,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionRecord {
    /// Its id, as the client names it.
    pub session_id: String,
    /// Where it took place.
    pub scope: String,
    /// The first message.
    pub first_seen: String,
    /// The last message.
    pub last_seen: String,
    /// When it was declared over.
    pub ended_at: Option<String>,
    /// How many messages were kept.
    pub messages: u64,
    /// Facts were drawn from everything up to this memory.
    pub consolidated_through: Option<String>,
    /// When facts were drawn from it to its end; null while it is open.
    #[serde(default)]
    pub completed_at: Option<String>,
    /// Whether it is paused: nothing is kept of it and nothing handed out in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
}

impl From<&Session> for SessionRecord {
    fn from(session: &Session) -> Self {
        Self {
            session_id: session.session_id.clone(),
            scope: session.scope.to_string(),
            first_seen: session.first_seen.to_string(),
            last_seen: session.last_seen.to_string(),
            ended_at: session.ended_at.map(|time| time.to_string()),
            messages: session.messages,
            consolidated_through: session.consolidated_through.map(|id| id.to_string()),
            completed_at: session.completed_at.map(|time| time.to_string()),
            paused: false,
        }
    }
}

/// `sessions`.
pub struct Sessions;

impl Operation for Sessions {
    type Input = SessionsInput;
    type Output = SessionsOutput;
    const NAME: &'static str = "sessions";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["sessions"], http: true, mcp: None };
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = "  scrubjay sessions -n 10";

    async fn run(ctx: &Ctx, input: SessionsInput) -> Result<SessionsOutput> {
        let pauses = ctx.pauses().list()?;
        let record = |session: &Session| {
            let own = Paused::Session(session.session_id.clone());
            let paused = pauses.holding(ctx.now()).any(|pause| pause.what == own);
            SessionRecord { paused, ..SessionRecord::from(session) }
        };
        if let Some(named) = input.session.as_deref() {
            let found = ctx.store().await?.session(ctx.view(), &session_id(ctx, named)).await?;
            return Ok(SessionsOutput { sessions: found.iter().map(record).collect(), next: None });
        }
        let offset = offset(input.cursor.as_deref())?;
        let limit = limit(input.limit, ctx.config().settings.query.list_limit)?;
        let mut sessions = ctx.store().await?.sessions(ctx.view(), limit + 1, offset).await?;
        let more = sessions.len() > limit;
        sessions.truncate(limit);
        Ok(SessionsOutput {
            sessions: sessions.iter().map(record).collect(),
            next: more.then(|| (offset + limit).to_string()),
        })
    }
}
