//! Ending a pause.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::pause::{PauseOutput, meant};
use crate::pause::Paused;
use crate::{Ctx, Result};

/// Keep and hand out again what `pause` held back: in this project, in a conversation, or everywhere.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResumeInput {
    /// Only this conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Every pause, whatever it is about.
    pub all: bool,
}

/// What ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResumeOutput {
    /// The pauses that ended.
    pub resumed: Vec<PauseOutput>,
    /// Those that still hold, here or elsewhere.
    pub still_paused: Vec<PauseOutput>,
}

/// `resume`.
pub struct Resume;

impl Operation for Resume {
    type Input = ResumeInput;
    type Output = ResumeOutput;
    const NAME: &'static str = "resume";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["resume"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = r#"  scrubjay resume
  scrubjay resume --session standup"#;

    async fn run(ctx: &Ctx, input: ResumeInput) -> Result<ResumeOutput> {
        if input.all && input.session.is_none() {
            return end(ctx, None);
        }
        end(ctx, Some(&meant(ctx, None, input.session.as_deref(), input.all).await?))
    }
}

/// Ends the pauses of something, or all of them.
pub(super) fn end(ctx: &Ctx, what: Option<&Paused>) -> Result<ResumeOutput> {
    let pauses = ctx.pauses();
    let resumed = pauses.end(ctx, what)?;
    let list = pauses.list()?;
    Ok(ResumeOutput {
        resumed: resumed.iter().map(PauseOutput::from).collect(),
        still_paused: list.holding(ctx.now()).map(PauseOutput::from).collect(),
    })
}
