//! Ending the pause of a project by its name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::pause::meant;
use super::resume::{ResumeOutput, end};
use crate::{Ctx, Result};

/// Keep and hand out again in a project that was paused.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectsResumeInput {
    /// The project; the one at hand, if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "PROJECT"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// `projects.resume`.
pub struct ProjectsResume;

impl Operation for ProjectsResume {
    type Input = ProjectsResumeInput;
    type Output = ResumeOutput;
    const NAME: &'static str = "projects.resume";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "resume"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = "  scrubjay projects resume app";

    async fn run(ctx: &Ctx, input: ProjectsResumeInput) -> Result<ResumeOutput> {
        end(ctx, Some(&meant(ctx, input.id.as_deref(), None, false).await?))
    }
}
