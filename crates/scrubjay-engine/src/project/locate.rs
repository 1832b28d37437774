//! From a folder to the project that it is known to belong to.

use std::path::Path;

use super::detect::{Detected, How, LostProject, detect, remote_of};
use super::history::holds_commit;
use super::identity::{first_commit, folder_identity, log_beginning};
use super::registry::{KnownFolder, KnownProject, KnownProjects, canonical};
use super::slug::slug_of;
use crate::project_error::ProjectError;

/// Finds the project of a folder as [`detect`] does, and then the one that its remote, its folder or its first commit is
/// known by: the same although a remote was added, its address changed or the folder moved. A repository that only
/// shares its first commit with another that is still there is a fork, and another project. Where that cannot be told,
/// the answer names the project that it may be.
///
/// # Errors
/// When the folder cannot be looked at.
pub fn locate(start: &Path, known: &KnownProjects) -> Result<Detected, ProjectError> {
    let mut found = detect(start, &known.trusted)?;
    match known.all() {
        Ok(projects) => {
            let (id, lost) = resolve(&projects, &found);
            found.id = id;
            found.lost = lost;
        }
        Err(error) => found.warnings.push(error.to_string()),
    }
    Ok(found)
}

fn resolve(projects: &[KnownProject], found: &Detected) -> (String, Option<LostProject>) {
    let own = canonical(projects, &found.id);
    if found.how == How::ConfigFile {
        return (own, None);
    }
    let keys = &found.keys;
    let by_remote = |remote: &String| projects.iter().find(|project| project.remotes.contains(remote));
    if let Some(project) = keys.remote.as_ref().and_then(by_remote) {
        return (project.id.clone(), None);
    }
    let here = Here::new(found);
    // A copy that became a project of its own stays one when what it was copied from goes.
    let is_its_folder = |project: &&KnownProject| here.is_folder_of(project) && is_surely(project, &here);
    let known = projects.iter().find(is_its_folder);
    if let Some(project) = known.or_else(|| projects.iter().find(|project| is_surely(project, &here))) {
        return (project.id.clone(), None);
    }
    // Another folder has taken the place of a project that went elsewhere, or of another repository: its path alone would
    // give it that one's id.
    let is_taken = found.how == How::Folder && projects.iter().any(|project| project.id == own);
    let own = if is_taken { here.own_id() } else { own };
    let lost = projects.iter().rev().filter(|project| project.id != own).find_map(|project| may_be(project, &here));
    (own, lost)
}

// The folder in question, and what tells it from others.
struct Here<'a> {
    found: &'a Detected,
    identity: Option<String>,
    first_commit: Option<String>,
    log_beginning: Option<String>,
}

impl<'a> Here<'a> {
    fn new(found: &'a Detected) -> Self {
        let repository = found.keys.repository.as_deref();
        let (first_commit, log_beginning) = (repository.and_then(first_commit), repository.and_then(log_beginning));
        Self { found, identity: folder_identity(&found.keys.folder), first_commit, log_beginning }
    }

    // An id that no other folder at the same place has.
    fn own_id(&self) -> String {
        let folder = &self.found.keys.folder;
        let mut told = folder.as_os_str().as_encoded_bytes().to_vec();
        for part in [&self.identity, &self.first_commit].into_iter().flatten() {
            told.extend([0, 0].iter().chain(part.as_bytes()));
        }
        slug_of(&folder.file_name().unwrap_or_default().to_string_lossy(), &told)
    }

    // It is the very folder that the project had, perhaps under another name.
    fn is_folder_of(&self, project: &KnownProject) -> bool {
        self.identity.is_some() && project.folders.iter().any(|folder| folder.identity == self.identity)
    }

    // It is the very repository that the project had, moved to another disk or brought back from a backup.
    fn is_repository_of(&self, project: &KnownProject) -> bool {
        self.log_beginning.as_ref().is_some_and(|beginning| project.log_beginnings.contains(beginning))
    }

    fn shares_first_commit(&self, project: &KnownProject) -> bool {
        self.first_commit.as_ref().is_some_and(|commit| project.first_commits.contains(commit))
    }

    // A clone's own log does not tell how its history began, but what is in it can be looked up.
    fn holds_history_of(&self, project: &KnownProject) -> bool {
        let Some(repository) = self.found.keys.repository.as_deref().filter(|_| self.first_commit.is_none()) else {
            return self.shares_first_commit(project);
        };
        project.first_commits.iter().any(|commit| holds_commit(repository, commit))
    }

    // Someone else at the same place: another repository, with another beginning.
    fn began_otherwise(&self, project: &KnownProject) -> bool {
        self.first_commit.is_some() && !project.first_commits.is_empty() && !self.shares_first_commit(project)
    }
}

// Whether a folder whose remote nobody knows, or which has none, is this project's.
fn is_surely(project: &KnownProject, here: &Here<'_>) -> bool {
    let keys = &here.found.keys;
    let was_never_published = project.remotes.is_empty();
    let was_here = || project.folders.iter().any(|folder| folder.path == keys.folder);
    // Its remote was added or changed in place, or the folder was moved; or a history that nobody else has is here now,
    // and gone from where it was.
    let speaks = here.is_folder_of(project)
        || here.is_repository_of(project)
        || (was_never_published && (here.holds_history_of(project) || (keys.remote.is_none() && was_here())));
    speaks && !here.began_otherwise(project) && !lives_elsewhere(project, &keys.folder)
}

// Whether the project goes on in another folder, as it is known: then what shares its past is a copy or a fork.
fn lives_elsewhere(project: &KnownProject, folder: &Path) -> bool {
    // A person may have made two folders one project: each of them is it, unless it has a remote of its own by now.
    let is_known = |known: &KnownFolder| known.path == folder && known.identity == folder_identity(folder);
    if project.folders.iter().any(|known| known.identity.is_some() && is_known(known)) && remote_of(folder).is_none() {
        return false;
    }
    let is_alive = |known: &KnownFolder| {
        // Another folder may have taken its place since.
        let is_it = known.path.exists() && (known.identity.is_none() || folder_identity(&known.path) == known.identity);
        is_it
            && match remote_of(&known.path) {
                Some(remote) => project.remotes.contains(&remote),
                None => project.remotes.is_empty(),
            }
    };
    project.folders.iter().any(|known| known.path != folder && is_alive(known))
}

// The project as one that this folder may be, if something speaks for it: it was this folder's before, or all its
// folders are gone.
fn may_be(project: &KnownProject, here: &Here<'_>) -> Option<LostProject> {
    let keys = &here.found.keys;
    let lost = |folder: &Path| LostProject { id: project.id.clone(), folder: folder.to_owned() };
    if here.is_folder_of(project) {
        return Some(lost(&keys.folder));
    }
    let name = keys.folder.file_name();
    let has_its_name = || name.is_some() && project.folders.iter().any(|folder| folder.path.file_name() == name);
    let gone_from = project.gone_from()?;
    let speaks = here.holds_history_of(project) || (has_its_name() && !here.began_otherwise(project));
    speaks.then(|| lost(gone_from))
}
