//! A finished task in a few sentences.

use schemars::JsonSchema;
use scrubjay_core::memory::{Memory, OriginKind};
use scrubjay_store::query::Part;
use serde::{Deserialize, Serialize};

use super::consolidate::extent;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::session_id;
use crate::reflect::{TASK_COMPLETE, TaskTurn, summarize};
use crate::{Ctx, EngineError, Result};

/// How many messages of a conversation are looked at.
const MESSAGES: usize = 1000;

/// Sum up a finished task in two or three sentences.
///
/// They are kept as an episode of type task_complete. Without a chat model they are sentences of the conversation itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SummarizeInput {
    /// What the task was.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TASK"}))]
    pub task: String,
    /// The conversation in which it was done, if it was captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The conversation itself, if it was not: messages with role and content, as JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"json": true, "value": "JSON"}))]
    pub messages: Vec<SummarizeMessage>,
    /// Only show the sentences.
    pub dry_run: bool,
}

/// One message of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummarizeMessage {
    /// Who said it.
    pub role: String,
    /// What was said.
    pub content: String,
}

/// The summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SummarizeOutput {
    /// The sentences.
    pub content: String,
    /// Who wrote them: `extractive`, or a model.
    pub by: String,
    /// The episode; null if it was not kept.
    pub id: Option<String>,
    /// The run, for undoing it.
    pub run: Option<String>,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

/// `summarize`.
pub struct Summarize;

impl Operation for Summarize {
    type Input = SummarizeInput;
    type Output = SummarizeOutput;
    const NAME: &'static str = "summarize";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["summarize"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = r#"  scrubjay summarize --session standup "fix the login test"
  scrubjay summarize --dry-run --session standup "fix the login test""#;

    async fn run(ctx: &Ctx, input: SummarizeInput) -> Result<SummarizeOutput> {
        if input.task.trim().is_empty() {
            return Err(EngineError::invalid(
                "say what the task was: scrubjay summarize fix the login test --session S",
            ));
        }
        let session = input.session.map(|session| session_id(ctx, &session));
        let (scope, turns) = match (&session, input.messages.is_empty()) {
            (Some(_), false) => return Err(EngineError::invalid("give a session or messages, not both")),
            (None, true) => {
                return Err(EngineError::invalid(
                    "say where it was done: --session S, or --messages with the messages",
                ));
            }
            (Some(session_id), true) => {
                let store = ctx.store().await?;
                let session = store.session(ctx.view(), session_id).await?;
                let session = session
                    .ok_or_else(|| EngineError::not_found(format!("there is no session `{session_id}` here")))?;
                let all = store.episodes(&session.scope, session_id, Part::After(None), MESSAGES).await?;
                // A summary that was kept in the session is not part of what was said.
                let is_spoken = |memory: &Memory| memory.is_active() && memory.memory_type.as_str() != TASK_COMPLETE;
                let spoken = all.into_iter().filter(is_spoken);
                let turn = |memory: Memory| TaskTurn {
                    role: memory.role.unwrap_or_default(),
                    content: memory.content,
                    origin: memory.origin.kind,
                    episode: Some(memory.id),
                };
                (session.scope, spoken.map(turn).collect())
            }
            (None, false) => {
                let turn = |message: SummarizeMessage| TaskTurn {
                    origin: OriginKind::of_role(&message.role),
                    role: message.role,
                    content: message.content,
                    episode: None,
                };
                (ctx.view().home(), input.messages.into_iter().map(turn).collect::<Vec<_>>())
            }
        };
        let extent = extent(input.dry_run);
        let summary = summarize(ctx, &scope, session.as_deref(), input.task.trim(), &turns, extent).await?;
        Ok(SummarizeOutput {
            content: summary.content,
            by: summary.by,
            id: summary.id.map(|id| id.to_string()),
            run: summary.run.map(|run| run.to_string()),
            warnings: summary.warnings,
        })
    }
}
