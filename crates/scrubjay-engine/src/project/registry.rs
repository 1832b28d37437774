//! What every project of an agent was ever known by.
//!
//! A small file in the home folder, read whenever a folder's project is asked for and written when something new is
//! learned: so that a project keeps its memories when its remote is added or changed, or its folder moves. It stands
//! beside the store, because which project a folder belongs to is asked before any store is opened.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::detect::{Detected, How};
use super::history::root_commit;
use super::identity::{first_commit, folder_identity, log_beginning};
use super::trust::TrustedNames;
use crate::list_file::ListFile;
use crate::{Ctx, Result};

/// How many folders, remotes and former names of one project are kept; the oldest go.
const AT_MOST: usize = 60;

/// How many changes of a person's can be taken back.
const STEPS: usize = 30;

/// What is known about projects, in one home and for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownProjects {
    /// The names that people let repositories give themselves.
    pub trusted: TrustedNames,
    file: ListFile<Registry>,
}

/// The file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Registry {
    pub(super) projects: Vec<KnownProject>,
    steps: Vec<Step>,
}

/// A project and what it was known by.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownProject {
    /// Its id.
    pub id: String,
    /// Ids that lead to it: those that it had before, and those of projects that became part of it.
    pub former_ids: Vec<String>,
    /// The addresses of its remotes.
    pub remotes: Vec<String>,
    /// Its folders on this machine.
    pub folders: Vec<KnownFolder>,
    /// The first commits of its repositories.
    pub first_commits: Vec<String>,
    /// How the logs of its repositories begin, which tells this very repository from other clones.
    pub log_beginnings: Vec<String>,
}

/// A folder that a project had.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownFolder {
    /// Where it was.
    pub path: PathBuf,
    /// What tells the folder from another one at the same place.
    pub identity: Option<String>,
    /// Whether its history was walked for its first commit.
    pub walked: bool,
}

// What a person's change replaced, so that it can be taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Step {
    run: String,
    // The projects concerned, as they were.
    before: Vec<KnownProject>,
    // The ids of all projects concerned, those that are new included.
    concerned: Vec<String>,
}

impl KnownProject {
    /// Whether it has this id, or had it.
    #[must_use]
    pub fn is(&self, id: &str) -> bool {
        self.id == id || self.former_ids.iter().any(|former| former == id)
    }

    /// The folders that are still there. One whose place another folder has taken is not.
    pub fn folders_here(&self) -> impl Iterator<Item = &Path> {
        let is_here = |known: &&KnownFolder| {
            known.path.exists() && (known.identity.is_none() || folder_identity(&known.path) == known.identity)
        };
        self.folders.iter().filter(is_here).map(|known| known.path.as_path())
    }

    /// The folder where it was last seen, if all its folders are gone.
    #[must_use]
    pub fn gone_from(&self) -> Option<&Path> {
        let last = self.folders.last()?;
        self.folders_here().next().is_none().then_some(last.path.as_path())
    }

    // Takes over what another one was known by.
    fn absorb(&mut self, other: Self) {
        self.former_ids.push(other.id);
        self.former_ids.extend(other.former_ids);
        self.remotes.extend(other.remotes);
        self.folders.extend(other.folders);
        self.first_commits.extend(other.first_commits);
        self.log_beginnings.extend(other.log_beginnings);
        self.tidy();
    }

    // Each thing once, and the newest of them.
    fn tidy(&mut self) {
        let id = self.id.clone();
        self.former_ids.retain(|former| *former != id);
        newest(&mut self.former_ids, String::clone);
        newest(&mut self.remotes, String::clone);
        newest(&mut self.folders, |folder| folder.path.clone());
        newest(&mut self.first_commits, String::clone);
        newest(&mut self.log_beginnings, String::clone);
    }
}

impl KnownProjects {
    /// Those of this home and agent. Nothing is read yet.
    #[must_use]
    pub fn of(home: &Path, agent: &str) -> Self {
        let file = ListFile::at(home.join("projects").join(format!("{agent}.json")));
        Self { trusted: TrustedNames::of(home), file }
    }

    /// All of them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn all(&self) -> Result<Vec<KnownProject>> {
        Ok(self.file.read()?.projects)
    }

    /// The id that a name leads to: the name itself, unless the project has another one by now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn canonical(&self, name: &str) -> Result<String> {
        Ok(canonical(&self.all()?, name))
    }

    /// Whether a project of this id was ever seen. One that cannot be read is not.
    #[must_use]
    pub fn knows(&self, id: &str) -> bool {
        self.all().is_ok_and(|projects| projects.iter().any(|project| project.id == id))
    }

    /// The project that had a folder which is gone, or a folder around it.
    #[must_use]
    pub fn project_of_gone(&self, folder: &Path) -> Option<String> {
        let projects = self.all().ok()?;
        let had = |above: &Path| {
            let has = |project: &&KnownProject| project.folders.iter().any(|known| known.path == above);
            projects.iter().rev().find(has).map(|project| project.id.clone())
        };
        folder.ancestors().find_map(had)
    }

    /// Notes what a folder's project is known by here, if any of that is new. True if something was.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn learn(&self, ctx: &Ctx, found: &Detected) -> Result<bool> {
        // Looked at first without the lock: mostly there is nothing to learn.
        if note(&mut self.file.read()?.projects, found).is_none() {
            return Ok(false);
        }
        Ok(self.file.change("projects", ctx.uuid()?, |registry| note(&mut registry.projects, found))?.is_some())
    }

    /// Notes the first commit of a repository whose own log does not tell it, as a fresh clone's does not. It is walked
    /// for once in each folder, which may take as long as `at_most`, so nobody may be waiting. True if it was learned.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn learn_history(&self, ctx: &Ctx, found: &Detected, at_most: Duration) -> Result<bool> {
        let Some(repository) = found.keys.repository.as_deref() else { return Ok(false) };
        let wants = |project: &KnownProject| {
            let is_unknown = |known: &KnownFolder| known.path == found.keys.folder && !known.walked;
            project.id == found.id && project.first_commits.is_empty() && project.folders.iter().any(is_unknown)
        };
        if !self.all()?.iter().any(wants) {
            return Ok(false);
        }
        let commit = root_commit(repository, at_most);
        let learned = self.file.change("projects", ctx.uuid()?, |registry| {
            let project = registry.projects.iter_mut().find(|project| wants(project))?;
            for known in project.folders.iter_mut().filter(|known| known.path == found.keys.folder) {
                known.walked = true;
            }
            project.first_commits.extend(commit.clone());
            Some(commit.is_some())
        })?;
        Ok(learned.unwrap_or(false))
    }

    /// Makes one project part of another, or gives it another id if there is no project of that one. `run` is what
    /// takes it back.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn merge(&self, ctx: &Ctx, run: &str, from: &str, into: &str) -> Result<()> {
        self.step(ctx, run, &[from, into], |projects| {
            let new = |id: &str| KnownProject { id: id.to_owned(), ..KnownProject::default() };
            let gone = take(projects, from).unwrap_or_else(|| new(from));
            let mut kept = take(projects, into).unwrap_or_else(|| new(into));
            kept.absorb(gone);
            // The name is its own again, whoever had it before.
            for other in projects.iter_mut() {
                other.former_ids.retain(|former| former != into);
            }
            projects.push(kept);
        })
    }

    /// Notes that a folder belongs to a project, because a person said so.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn note_folder(&self, ctx: &Ctx, found: &Detected, project: &str) -> Result<()> {
        let adopted = Detected { id: project.to_owned(), ..found.clone() };
        self.file.change("projects", ctx.uuid()?, |registry| note(&mut registry.projects, &adopted))?;
        Ok(())
    }

    /// Forgets a project.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn forget(&self, ctx: &Ctx, project: &str) -> Result<()> {
        self.file.change("projects", ctx.uuid()?, |registry| {
            let gone = take(&mut registry.projects, project);
            registry.steps.retain(|step| !step.concerned.iter().any(|id| id == project));
            gone.map(|_| ())
        })?;
        Ok(())
    }

    /// Takes a person's change back, as a change of its own (`again`) that can be taken back too. False if the run made
    /// none that is still known.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn take_back(&self, ctx: &Ctx, run: &str, again: &str) -> Result<bool> {
        let done = self.file.change("projects", ctx.uuid()?, |registry| {
            let at = registry.steps.iter().position(|step| step.run == run)?;
            let step = registry.steps.remove(at);
            let is_concerned = |project: &KnownProject| step.concerned.contains(&project.id);
            let before = registry.projects.iter().filter(|project| is_concerned(project)).cloned().collect();
            registry.projects.retain(|project| !is_concerned(project));
            registry.projects.extend(step.before);
            registry.steps.push(Step { run: again.to_owned(), before, concerned: step.concerned });
            Some(())
        })?;
        Ok(done.is_some())
    }

    fn step(&self, ctx: &Ctx, run: &str, ids: &[&str], change: impl FnOnce(&mut Vec<KnownProject>)) -> Result<()> {
        self.file.change("projects", ctx.uuid()?, |registry| {
            let before = registry.projects.iter().filter(|project| ids.contains(&project.id.as_str())).cloned();
            let step = Step {
                run: run.to_owned(),
                before: before.collect(),
                concerned: ids.iter().map(|id| (*id).to_owned()).collect(),
            };
            change(&mut registry.projects);
            registry.steps.push(step);
            let surplus = registry.steps.len().saturating_sub(STEPS);
            registry.steps.drain(..surplus);
            Some(())
        })?;
        Ok(())
    }
}

/// The id that a name leads to.
pub(super) fn canonical(projects: &[KnownProject], name: &str) -> String {
    let by_id = projects.iter().find(|project| project.id == name);
    by_id
        .or_else(|| projects.iter().find(|project| project.is(name)))
        .map_or_else(|| name.to_owned(), |one| one.id.clone())
}

// Notes what is new; none if nothing is.
fn note(projects: &mut Vec<KnownProject>, found: &Detected) -> Option<()> {
    let at = match projects.iter().position(|project| project.id == found.id) {
        Some(at) => at,
        None => {
            projects.push(KnownProject { id: found.id.clone(), ..KnownProject::default() });
            projects.len() - 1
        }
    };
    let before = projects[at].clone();
    let project = &mut projects[at];
    let keys = &found.keys;
    if let Some(remote) = keys.remote.as_ref().filter(|_| found.how != How::ConfigFile)
        && !project.remotes.contains(remote)
    {
        project.remotes.push(remote.clone());
    }
    let identity = folder_identity(&keys.folder);
    if !project.folders.iter().any(|known| known.path == keys.folder && known.identity == identity) {
        project.folders.retain(|known| known.path != keys.folder);
        project.folders.push(KnownFolder { path: keys.folder.clone(), identity, walked: false });
    }
    let repository = keys.repository.as_deref();
    // A log's beginning changes when git drops its oldest lines.
    if let Some(beginning) = repository.and_then(log_beginning).filter(|one| !project.log_beginnings.contains(one)) {
        project.log_beginnings.push(beginning);
        project.first_commits.extend(repository.and_then(first_commit));
    }
    project.tidy();
    (*project != before || before == KnownProject { id: found.id.clone(), ..KnownProject::default() }).then_some(())
}

fn take(projects: &mut Vec<KnownProject>, id: &str) -> Option<KnownProject> {
    let at = projects.iter().position(|project| project.id == id)?;
    Some(projects.remove(at))
}

fn newest<T, K: Ord>(list: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let mut seen = BTreeSet::new();
    list.reverse();
    list.retain(|one| seen.insert(key(one)));
    list.truncate(AT_MOST);
    list.reverse();
}
