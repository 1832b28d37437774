//! Destroying a project.

use schemars::JsonSchema;
use scrubjay_core::count::counted;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::purge::destroy;
use crate::project_life::{existing, memories};
use crate::{Ctx, EngineError, Result};

/// Destroy a project for good: its memories, conversations, indexed files, names and history.
///
/// What was made from it elsewhere goes, too. Hashes stay, so that the same texts are not learned again there. Backups made earlier still hold it. This cannot be undone.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsPurgeInput {
    /// The project.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "PROJECT"}))]
    pub id: String,
    /// Only say how much would be destroyed.
    #[serde(default)]
    pub dry_run: bool,
    /// Really destroy it.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// What was destroyed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsPurgeOutput {
    /// The project.
    pub project: String,
    /// Memories of any kind, those of its tasks and what was made from them included.
    pub memories: u64,
    /// Conversations.
    pub sessions: u64,
    /// Indexed files; the files themselves are not touched.
    pub documents: u64,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
    /// What still holds copies.
    pub warnings: Vec<String>,
}

/// `projects.purge`.
pub struct ProjectsPurge;

impl Operation for ProjectsPurge {
    type Input = ProjectsPurgeInput;
    type Output = ProjectsPurgeOutput;
    const NAME: &'static str = "projects.purge";
    const RISK: Risk = Risk::Destroy;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "purge"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = r#"  scrubjay projects purge app --dry-run
  scrubjay projects purge app --yes"#;

    async fn run(ctx: &Ctx, input: ProjectsPurgeInput) -> Result<ProjectsPurgeOutput> {
        let (project, counts) = existing(ctx, &input.id).await?;
        let doomed = memories(ctx, &project).await?;
        let mut output = ProjectsPurgeOutput {
            project: project.to_string(),
            memories: 0,
            sessions: counts.sessions,
            documents: counts.documents,
            dry_run: input.dry_run,
            warnings: Vec::new(),
        };
        if input.dry_run || !input.yes {
            for (view, ids) in doomed {
                let store = ctx.store().await?;
                output.memories += store.purge(&view, ctx.stamp(Self::NAME)?, ids, true).await?.memories.len() as u64;
            }
            if input.dry_run {
                return Ok(output);
            }
            return Err(EngineError::refused(format!(
                "this destroys the project `{project}` for good: {}, {} and {}; repeat with --yes, or look first with \
                 --dry-run",
                counted(output.memories, "memory", "memories"),
                counted(output.sessions, "conversation", "conversations"),
                counted(output.documents, "indexed file", "indexed files")
            )));
        }
        for (view, ids) in doomed {
            let there = ctx.at(view)?;
            let destroyed = destroy(&there, Self::NAME, ids).await?;
            output.memories += destroyed.ids.len() as u64;
            output.warnings = destroyed.warnings;
        }
        ctx.store().await?.clear_project(&project).await?;
        ctx.known_projects().forget(ctx, project.as_str())?;
        Ok(output)
    }
}
