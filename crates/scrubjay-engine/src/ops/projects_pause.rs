//! Pausing a project by its name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::pause::{PauseOutput, begin, meant};
use crate::{Ctx, Result};

/// Keep nothing and hand out nothing in a project for a while.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectsPauseInput {
    /// The project; the one at hand, if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "PROJECT"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// For how long, such as 30m, 2h or 1d; until it is resumed, if not given.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"value": "TIME"}))]
    pub for_time: Option<String>,
}

/// `projects.pause`.
pub struct ProjectsPause;

impl Operation for ProjectsPause {
    type Input = ProjectsPauseInput;
    type Output = PauseOutput;
    const NAME: &'static str = "projects.pause";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "pause"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = "  scrubjay projects pause app --for 2h";

    async fn run(ctx: &Ctx, input: ProjectsPauseInput) -> Result<PauseOutput> {
        begin(ctx, &meant(ctx, input.id.as_deref(), None, false).await?, input.for_time.as_deref()).await
    }
}
