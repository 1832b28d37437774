//! What an agent should have before it for a task.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::session_id;
use super::receipts::{ReceiptItemRecord, item};
use super::tool::Tool;
use super::turn::{ToolResult, Turn};
use crate::context::{Assembled, LoopRequest, Message, TiersRequest, Work, loop_context, tiers_context};
use crate::record::round;
use crate::tiers::standing_in;
use crate::{Ctx, EngineError, Result};

/// Put together what an agent needs for a task, within a token budget.
///
/// Profile `loop`: code, past context, and the work at hand with as much of the conversation as fits, newest first. Profile `tiers`: what the task, the project and all projects hold, by importance and relevance. What did not fit is listed with the reason.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextInput {
    /// What is to be done.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TASK", "optional": true}))]
    pub task: String,
    /// How to put it together: loop or tiers.
    #[schemars(extend("enum" = ["loop", "tiers"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The conversation, oldest first: JSON lines with role and content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"lines": true, "value": "FILE"}))]
    pub conversation: Vec<Turn>,
    /// What tools gave back, oldest first: JSON lines with tool and content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"lines": true, "value": "FILE"}))]
    pub tool_results: Vec<ToolResult>,
    /// Something to keep to; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "constraint", "value": "TEXT"}))]
    pub constraints: Vec<String>,
    /// How many tokens there is room for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// The share of a part, NAME=SHARE, such as episodic=0.3; may be given several times.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-cli" = {"long": "share", "value": "NAME=SHARE"}))]
    pub shares: BTreeMap<String, f64>,
    /// The open task whose notes belong to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The conversation's id: what it said itself is not recalled, and its replies tell what was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How many of the first and last items of each tier stay whatever their rank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_ends: Option<usize>,
}

/// The context.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextOutput {
    /// The messages, in order.
    pub messages: Vec<Turn>,
    /// Their number of tokens.
    pub tokens: usize,
    /// How many there was room for.
    pub budget: usize,
    /// What each part had and took.
    pub tiers: BTreeMap<String, PartRecord>,
    /// What is not in it, and why.
    pub left_out: Vec<LeftOutRecord>,
    /// The tokens of what is in it beside those of what could have been, 0 to 1.
    pub compression_ratio: f64,
    /// The receipt; null if nothing was recalled.
    pub receipt: Option<String>,
    /// What was missing in the search.
    pub warnings: Vec<String>,
}

/// What one part had and took.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartRecord {
    /// Its share, in tokens.
    pub budget: usize,
    /// What it took; what others left is in it.
    pub tokens: usize,
    /// What was recalled into it.
    pub items: Vec<ReceiptItemRecord>,
}

/// Something that was left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutRecord {
    /// What it is: an id, or words.
    pub what: String,
    /// The part that it would have been in.
    pub tier: String,
    /// Why it is not there.
    pub reason: String,
    /// How many tokens it has.
    pub tokens: usize,
}

/// `context`.
pub struct Context;

impl Operation for Context {
    type Input = ContextInput;
    type Output = ContextOutput;
    const NAME: &'static str = "context";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["context"], http: true, mcp: Some("get_context") };
    const SYNCS_FILES: bool = true;
    const GROUP: Group = Group::Agent;
    const EXAMPLES: &'static str = r#"  scrubjay context "Fix the flaky test in billing"
  scrubjay context "Fix the flaky test" --conversation conversation.jsonl --budget 8000
  scrubjay context --profile tiers --json "Fix the flaky test" | jq .tiers"#;
    const TOOL: Tool = Tool {
        about: "Gather code, past work and facts for a task in one text. Call it once, before beginning a larger \
            task; for a single question use search_memory.",
        required: &["task"],
        optional: &["budget"],
    };

    async fn run(ctx: &Ctx, input: ContextInput) -> Result<ContextOutput> {
        let ctx = &match &input.task_id {
            Some(task) => standing_in(ctx, task).await?,
            None => ctx.clone(),
        };
        let assembled = match input.profile.as_deref() {
            None | Some("loop") => of_loop(ctx, input).await?,
            Some("tiers") => of_tiers(ctx, input).await?,
            Some(other) => return Err(EngineError::invalid(format!("`{other}` is not a profile; use loop or tiers"))),
        };
        Ok(output(assembled))
    }
}

async fn of_loop(ctx: &Ctx, input: ContextInput) -> Result<Assembled> {
    if input.task.trim().is_empty() {
        return Err(EngineError::invalid("say what is to be done: `scrubjay context \"Fix the flaky test\"`"));
    }
    if input.keep_ends.is_some() {
        return Err(EngineError::invalid("keep_ends belongs to the profile tiers"));
    }
    let work = Work {
        task: input.task,
        constraints: input.constraints,
        tool_results: input.tool_results.into_iter().map(|result| (result.tool, result.content)).collect(),
        conversation: input
            .conversation
            .into_iter()
            .map(|turn| Message { role: turn.role, content: turn.content })
            .collect(),
    };
    let session_id = input.session.map(|session| session_id(ctx, &session));
    let request = LoopRequest { work, budget: input.budget, shares: input.shares, session_id };
    loop_context(ctx, request).await
}

async fn of_tiers(ctx: &Ctx, input: ContextInput) -> Result<Assembled> {
    if !input.conversation.is_empty() || !input.tool_results.is_empty() || !input.constraints.is_empty() {
        let message =
            "conversation, tool results and constraints belong to the profile loop; tiers hold what was stored";
        return Err(EngineError::invalid(message));
    }
    let request = TiersRequest {
        task: input.task,
        budget: input.budget,
        shares: input.shares,
        keep_ends: input.keep_ends,
        session_id: input.session.map(|session| session_id(ctx, &session)),
    };
    tiers_context(ctx, request).await
}

/// A context as answers show it.
fn output(assembled: Assembled) -> ContextOutput {
    let parts = assembled.parts.into_iter().map(|part| {
        let mut items: Vec<ReceiptItemRecord> = part.items.iter().map(item).collect();
        for item in items.iter_mut().filter(|item| part.shortened.contains(&item.id)) {
            item.shortened = true;
        }
        (part.name.to_owned(), PartRecord { budget: part.budget, tokens: part.tokens, items })
    });
    ContextOutput {
        messages: assembled
            .messages
            .into_iter()
            .map(|message| Turn { role: message.role, content: message.content })
            .collect(),
        tokens: assembled.tokens,
        budget: assembled.budget,
        tiers: parts.collect(),
        left_out: assembled
            .left_out
            .into_iter()
            .map(|left| LeftOutRecord {
                what: left.what,
                tier: left.section.to_owned(),
                reason: left.reason.to_owned(),
                tokens: left.tokens,
            })
            .collect(),
        compression_ratio: round(assembled.compression_ratio),
        receipt: assembled.receipt,
        warnings: assembled.warnings,
    }
}
