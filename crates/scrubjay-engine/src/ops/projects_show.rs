//! One project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::projects::{ProjectRecord, records};
use crate::project_life::existing;
use crate::{Ctx, EngineError, Result};

/// Show a project: what it holds, what it is known by, and whether it is paused.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectsShowInput {
    /// The project; the one at hand, if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "PROJECT"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// `projects.show`.
pub struct ProjectsShow;

impl Operation for ProjectsShow {
    type Input = ProjectsShowInput;
    type Output = ProjectRecord;
    const NAME: &'static str = "projects.show";
    const RISK: Risk = Risk::Read;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "show"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = r#"  scrubjay projects show
  scrubjay projects show app"#;

    async fn run(ctx: &Ctx, input: ProjectsShowInput) -> Result<ProjectRecord> {
        let here = ctx.view().project_id().map(ToString::to_string);
        let name = match (input.id, here) {
            (Some(named), _) => existing(ctx, &named).await?.0.to_string(),
            (None, Some(here)) => here,
            (None, None) => return Err(EngineError::invalid("say which project; `scrubjay projects` lists them")),
        };
        let found = records(ctx).await?.into_iter().find(|project| project.id == name);
        // One that was never used is still the one at hand.
        Ok(found.unwrap_or_else(|| ProjectRecord { id: name, here: true, ..ProjectRecord::default() }))
    }
}
