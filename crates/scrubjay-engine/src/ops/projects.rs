//! Listing projects.

use schemars::JsonSchema;
use scrubjay_store::query::ProjectCounts;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::pause::PauseList;
use crate::project::KnownProject;
use crate::{Ctx, Result};

/// List the projects: what each holds, when it was last used, its folders, and whether it is paused.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ProjectsInput {
    /// Those too that were only seen and hold nothing.
    pub all: bool,
}

/// The projects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsOutput {
    /// The last used first.
    pub projects: Vec<ProjectRecord>,
}

/// A project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectRecord {
    /// Its id.
    pub id: String,
    /// Active facts.
    pub facts: u64,
    /// Active episodes: what was said and done.
    pub episodes: u64,
    /// Active reflections.
    pub reflections: u64,
    /// Memories that ended, of any kind; they can be restored.
    pub ended: u64,
    /// Conversations.
    pub sessions: u64,
    /// Indexed files.
    pub documents: u64,
    /// When something was last said or learned there.
    pub last_used: Option<String>,
    /// Its folders on this machine.
    pub folders: Vec<ProjectFolder>,
    /// The addresses of its remotes.
    pub remotes: Vec<String>,
    /// Other ids that lead to it.
    pub former_ids: Vec<String>,
    /// Whether nothing is kept or handed out there now.
    pub paused: bool,
    /// Until when; null if nobody has said, or if it is not paused.
    pub paused_until: Option<String>,
    /// Whether it is the one at hand.
    pub here: bool,
}

/// A folder that a project has or had.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectFolder {
    /// Where.
    pub path: String,
    /// Whether it is gone.
    pub missing: bool,
}

/// `projects`.
pub struct Projects;

impl Operation for Projects {
    type Input = ProjectsInput;
    type Output = ProjectsOutput;
    const NAME: &'static str = "projects";
    const RISK: Risk = Risk::Read;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["projects"], http: true, mcp: None };
    const GROUP: Group = Group::Projects;
    const EXAMPLES: &'static str = "  scrubjay projects";

    async fn run(ctx: &Ctx, input: ProjectsInput) -> Result<ProjectsOutput> {
        let mut projects = records(ctx).await?;
        projects.retain(|project| input.all || project.here || project.paused || holds_something(project));
        Ok(ProjectsOutput { projects })
    }
}

/// All projects that hold something or were seen, the last used first.
pub(super) async fn records(ctx: &Ctx) -> Result<Vec<ProjectRecord>> {
    let known = ctx.known_projects().all()?;
    let pauses = ctx.pauses().list()?;
    let mut counts = ctx.store().await?.projects().await?;
    for seen in &known {
        if !counts.iter().any(|counts| counts.project == seen.id) {
            counts.push(ProjectCounts { project: seen.id.clone(), ..ProjectCounts::default() });
        }
    }
    counts.sort_by(|a, b| (b.last_used, &a.project).cmp(&(a.last_used, &b.project)));
    Ok(counts.into_iter().map(|counts| record(ctx, counts, &known, &pauses)).collect())
}

fn record(ctx: &Ctx, counts: ProjectCounts, known: &[KnownProject], pauses: &PauseList) -> ProjectRecord {
    let seen = known.iter().find(|known| known.id == counts.project).cloned().unwrap_or_default();
    let pause = pauses.covering(Some(&counts.project), None, ctx.now());
    let folder = |path: &std::path::Path| ProjectFolder { path: path.display().to_string(), missing: !path.exists() };
    ProjectRecord {
        facts: counts.facts,
        episodes: counts.episodes,
        reflections: counts.reflections,
        ended: counts.ended,
        sessions: counts.sessions,
        documents: counts.documents,
        last_used: counts.last_used.map(|time| time.to_string()),
        folders: seen.folders.iter().map(|known| folder(&known.path)).collect(),
        remotes: seen.remotes,
        former_ids: seen.former_ids,
        paused: pause.is_some(),
        paused_until: pause.and_then(|pause| pause.until.clone()),
        here: ctx.view().project_id().is_some_and(|here| here.as_str() == counts.project),
        id: counts.project,
    }
}

fn holds_something(project: &ProjectRecord) -> bool {
    project.facts + project.episodes + project.reflections + project.ended + project.documents > 0
}
