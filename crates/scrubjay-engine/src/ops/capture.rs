//! Keeping what was said.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::capture::capture;
pub use crate::capture::{CaptureResult, Message};
use crate::{Ctx, Result};

/// Keep messages of a conversation.
///
/// Every message becomes an episode. Secrets and `<private>` passages are taken out first. A message that was kept before, recognised by its id or else by session, role and text, is not kept twice.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct CaptureInput {
    /// The messages, in order.
    pub messages: Vec<Message>,
}

/// What became of the messages, in their order.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct CaptureOutput {
    /// One entry per message.
    pub results: Vec<CaptureResult>,
}

/// `capture`.
pub struct Capture;

impl Operation for Capture {
    type Input = CaptureInput;
    type Output = CaptureOutput;
    const NAME: &'static str = "capture";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["capture"], http: true, mcp: None };
    const GROUP: Group = Group::Recall;
    const EXAMPLES: &'static str = r#"Standard input has one message per line:
  {"session_id":"standup","role":"user","content":"We ship on Friday"}
Each may also have time, id, type, origin, project and attributes. Each line is answered by one line,
after it is on disk.

  scrubjay capture < conversation.jsonl
  my-agent --log-json | scrubjay capture --json
  scrubjay capture --session standup --role user "We ship on Friday""#;

    async fn run(ctx: &Ctx, input: CaptureInput) -> Result<CaptureOutput> {
        Ok(CaptureOutput { results: capture(ctx, input.messages).await? })
    }
}
