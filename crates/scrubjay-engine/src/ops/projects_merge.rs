//! Making one project of two.

use schemars::JsonSchema;
use scrubjay_core::count::counted;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::projects_rename::ProjectMoved;
use crate::project_life::{existing, merge};
use crate::{Ctx, EngineError, Result};

/// Make a project part of another: its memories, conversations, folders and remotes become the other's.
///
/// Whoever works in either sees everything from then on. Undo takes it apart again.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsMergeInput {
    /// The project that goes.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "FROM"}))]
    pub from: String,
    /// The project that stays.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "INTO"}))]
    pub into: String,
    /// Only say how much would move.
    #[serde(default)]
    pub dry_run: bool,
    /// Really do it.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// `projects.merge`.
pub struct ProjectsMerge;

impl Operation for ProjectsMerge {
    type Input = ProjectsMergeInput;
    type Output = ProjectMoved;
    const NAME: &'static str = "projects.merge";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "merge"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = r#"  scrubjay projects merge app shop --dry-run
  scrubjay projects merge app shop --yes"#;

    async fn run(ctx: &Ctx, input: ProjectsMergeInput) -> Result<ProjectMoved> {
        let (from, leaving) = existing(ctx, &input.from).await?;
        let (into, staying) = existing(ctx, &input.into).await?;
        if from == into {
            return Err(EngineError::invalid(format!("`{from}` is one project already")));
        }
        let (memories, there) = (leaving.memories(), staying.memories());
        let mut output =
            ProjectMoved { from: from.to_string(), to: into.to_string(), memories, dry_run: input.dry_run, run: None };
        if input.dry_run {
            return Ok(output);
        }
        if !input.yes {
            return Err(EngineError::refused(format!(
                "this moves {} of `{from}` to `{into}`, which holds {there}; repeat with --yes, or look first with \
                 --dry-run",
                counted(memories, "memory", "memories")
            )));
        }
        let stamp = ctx.stamp(Self::NAME)?;
        output.run = Some(stamp.run.to_string());
        output.memories = merge(ctx, stamp, &from, &into).await?;
        Ok(output)
    }
}
