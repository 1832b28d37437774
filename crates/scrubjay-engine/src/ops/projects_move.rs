//! Moving memories to another project.

use schemars::JsonSchema;
use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::Scope;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::projects_rename::ProjectMoved;
use crate::project_life::named;
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Move memories of this project to another one.
///
/// Their history goes along. The other project need not exist yet.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsMoveInput {
    /// The memories.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
    /// The project that they are to belong to.
    pub to: String,
}

/// `projects.move`.
pub struct ProjectsMove;

impl Operation for ProjectsMove {
    type Input = ProjectsMoveInput;
    type Output = ProjectMoved;
    const NAME: &'static str = "projects.move";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "move"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = "  scrubjay projects move fact_2b7e91c4 --to shop";

    async fn run(ctx: &Ctx, input: ProjectsMoveInput) -> Result<ProjectMoved> {
        let Some(from) = ctx.view().project_id().cloned() else {
            return Err(EngineError::invalid("say from which project with --project ID"));
        };
        let to = named(ctx, &input.to)?;
        let mut ids: Vec<MemoryId> = input.ids.iter().map(|id| memory_id(id)).collect::<Result<_>>()?;
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Err(EngineError::invalid("say which memories to move, by id"));
        }
        let store = ctx.store().await?;
        for id in &ids {
            let memory = store.get(ctx.view(), *id).await?.ok_or_else(|| super::show::missing(&id.to_string()))?;
            if !matches!(memory.scope, Scope::Project(_)) {
                return Err(EngineError::invalid(format!(
                    "{id} lives in {}; only what belongs to a project moves to another",
                    memory.scope
                )));
            }
        }
        let stamp = ctx.stamp(Self::NAME)?;
        let run = Some(stamp.run.to_string());
        let memories = store.move_memories(stamp, &from, &to, Some(ids)).await?.len() as u64;
        ctx.index().await?.bring_up_to_date(&*store, true).await?;
        Ok(ProjectMoved { from: from.to_string(), to: to.to_string(), memories, dry_run: false, run })
    }
}
