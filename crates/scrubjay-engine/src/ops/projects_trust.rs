//! A person lets a folder join the project that its file names.

use scrubjay_core::count::counted;
use std::path::PathBuf;

use schemars::JsonSchema;
use scrubjay_core::scope::View;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::project::{self, Claim, How};
use crate::{Ctx, EngineError, Result};

/// Let a folder join the project that its `.scrubjay.toml` names.
///
/// That file comes with the repository, so anyone could have written it: until you say so, the folder is a project of its own. Once trusted, agents that work there are given the memories of that project and add to them. Clones and worktrees of the same repository are trusted together.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectsTrustInput {
    /// The folder; the one you stand in, if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "FOLDER"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// You have looked at the file and trust the folder with memories that are there already.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
    /// Take it back: the folder is a project of its own again.
    pub revoke: bool,
}

/// What holds from now on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsTrustOutput {
    /// The project that the folder belongs to now.
    pub project: String,
    /// The project's folder.
    pub folder: String,
    /// Whether anything changed.
    pub changed: bool,
}

/// `projects.trust`.
pub struct ProjectsTrust;

impl Operation for ProjectsTrust {
    type Input = ProjectsTrustInput;
    type Output = ProjectsTrustOutput;
    const NAME: &'static str = "projects.trust";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "trust"], http: false, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = r#"  scrubjay projects trust .
  scrubjay projects trust --revoke ."#;

    async fn run(ctx: &Ctx, input: ProjectsTrustInput) -> Result<ProjectsTrustOutput> {
        if !ctx.is_person() {
            return Err(EngineError::refused("only a person trusts a folder; run `scrubjay projects trust` in it"));
        }
        let trusted = ctx.trusted_names();
        let folder = folder(ctx, input.folder.as_deref())?;
        let found = project::detect(&folder, &trusted)?;
        let changed = match (&found.claim, input.revoke) {
            (Some(claim), false) => {
                if !input.yes {
                    check_empty(ctx, claim).await?;
                }
                trusted.trust(ctx, claim)?
            }
            (None, true) if found.how == How::ConfigFile => {
                let claim = project::claim_of(&found.root, &found.id);
                trusted.distrust(ctx, &claim)?
            }
            (None, false) if found.how != How::ConfigFile => {
                return Err(EngineError::invalid(format!(
                    "no .scrubjay.toml names a project for {}; it is `{}` already",
                    found.root.display(),
                    found.id
                )));
            }
            _ => false,
        };
        let now = project::locate(&folder, &ctx.known_projects())?;
        Ok(ProjectsTrustOutput { project: now.id, folder: now.root.display().to_string(), changed })
    }
}

/// The folder that is meant.
pub(super) fn folder(ctx: &Ctx, given: Option<&str>) -> Result<PathBuf> {
    match (given, ctx.folder()) {
        (Some(given), _) if given.trim().is_empty() => {
            Err(EngineError::invalid("the folder has no name; use . for the one you stand in"))
        }
        (Some(given), Some(here)) => Ok(here.join(given)),
        (Some(given), None) => Ok(PathBuf::from(given)),
        (None, Some(here)) => Ok(here.to_owned()),
        (None, None) => Err(EngineError::invalid("say which folder is meant")),
    }
}

// Whoever joins a project that is new gets nothing by it.
async fn check_empty(ctx: &Ctx, claim: &Claim) -> Result<()> {
    let project = claim.project.parse().map_err(EngineError::invalid)?;
    let view = View::project(project).without_global();
    let counts = ctx.store().await?.counts(&view).await?;
    let memories = counts.active.iter().map(|(.., count)| count).sum::<u64>() + counts.ended;
    if memories == 0 {
        return Ok(());
    }
    Err(EngineError::refused(format!(
        "the project `{}` holds {}, which agents in this folder would be given; if you trust it, repeat with --yes",
        claim.project,
        counted(memories, "memory", "memories")
    )))
}
