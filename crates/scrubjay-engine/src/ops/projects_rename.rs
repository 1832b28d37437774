//! Giving a project another id.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::project::validate_slug;
use crate::project_life::{existing, merge};
use crate::{Ctx, EngineError, Result};

/// Give a project another id; its folders and remotes lead to the new one, and so does the old id.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsRenameInput {
    /// The project.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "PROJECT"}))]
    pub id: String,
    /// What it is to be called: a-z, 0-9, `.`, `_` and `-`.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "NAME"}))]
    pub name: String,
}

/// What moved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectMoved {
    /// The project that they left.
    pub from: String,
    /// The project that they belong to now.
    pub to: String,
    /// How many memories.
    pub memories: u64,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
    /// The run, for undoing it whole.
    pub run: Option<String>,
}

/// `projects.rename`.
pub struct ProjectsRename;

impl Operation for ProjectsRename {
    type Input = ProjectsRenameInput;
    type Output = ProjectMoved;
    const NAME: &'static str = "projects.rename";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "rename"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = "  scrubjay projects rename app storefront";

    async fn run(ctx: &Ctx, input: ProjectsRenameInput) -> Result<ProjectMoved> {
        let name = validate_slug(input.name.trim())?.to_owned();
        let (from, _) = existing(ctx, &input.id).await?;
        if from.as_str() == name {
            return Err(EngineError::invalid(format!("`{from}` is called that already")));
        }
        let holds = ctx.store().await?.projects().await?.iter().any(|counts| counts.project == name);
        if holds || ctx.known_projects().all()?.iter().any(|known| known.id == name) {
            return Err(EngineError::invalid(format!(
                "there is a project `{name}` already; `scrubjay projects merge {from} {name}` makes one of both"
            )));
        }
        let to = name.parse().map_err(EngineError::invalid)?;
        let stamp = ctx.stamp(Self::NAME)?;
        let run = Some(stamp.run.to_string());
        let memories = merge(ctx, stamp, &from, &to).await?;
        Ok(ProjectMoved { from: from.to_string(), to: name, memories, dry_run: false, run })
    }
}
