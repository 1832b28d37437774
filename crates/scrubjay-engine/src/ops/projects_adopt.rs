//! A person says which project a folder is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::projects_rename::ProjectMoved;
use super::projects_trust::folder;
use crate::project::{How, locate};
use crate::project_life::{existing, merge};
use crate::sync::with_home;
use crate::{Ctx, EngineError, Result};

/// Say that this folder is a project that is known already, for one whose folder moved or whose remote changed.
///
/// What was kept here meanwhile becomes part of it. From then on the folder, and its remote if it has one, lead to that project.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectsAdoptInput {
    /// The project, as `scrubjay projects` shows it.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "PROJECT"}))]
    pub id: String,
    /// The folder, by its whole path if it is not seen from where you stand; the one you stand in, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// `projects.adopt`.
pub struct ProjectsAdopt;

impl Operation for ProjectsAdopt {
    type Input = ProjectsAdoptInput;
    type Output = ProjectMoved;
    const NAME: &'static str = "projects.adopt";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects", "adopt"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = "  scrubjay projects adopt shop-1a2b3c4d";

    async fn run(ctx: &Ctx, input: ProjectsAdoptInput) -> Result<ProjectMoved> {
        if !ctx.is_person() {
            return Err(EngineError::refused(
                "only a person says which project a folder is; run `scrubjay projects adopt` in it",
            ));
        }
        let (project, _) = existing(ctx, &input.id).await?;
        let known = ctx.known_projects();
        let named = input.folder.as_deref().map(|folder| with_home(ctx, folder));
        let folder = folder(ctx, named.as_deref())?;
        // Whoever asks over HTTP stands nowhere, so a path from somewhere would lead from the daemon's own folder.
        if !folder.is_absolute() || !folder.is_dir() {
            return Err(EngineError::invalid(format!(
                "there is no folder {} on this machine; give its whole path",
                folder.display()
            )));
        }
        let found = locate(&folder, &known)?;
        if found.id == project.as_str() {
            return Err(EngineError::invalid(format!("{} is `{project}` already", found.root.display())));
        }
        if found.how == How::ConfigFile {
            return Err(EngineError::invalid(format!(
                "{} is named `{}` by its .scrubjay.toml; change the name there",
                found.root.display(),
                found.id
            )));
        }
        let from = found.id.parse().map_err(EngineError::defect)?;
        let stamp = ctx.stamp(Self::NAME)?;
        let run = stamp.run.to_string();
        let memories = merge(ctx, stamp, &from, &project).await?;
        known.note_folder(ctx, &found, project.as_str())?;
        Ok(ProjectMoved { from: found.id, to: project.to_string(), memories, dry_run: false, run: Some(run) })
    }
}
