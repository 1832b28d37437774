//! The walk from a folder up to the project it belongs to.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::git::{self, Repository};
use super::remote::{is_relative_path, name_of, normalise_remote};
use super::slug::{slug_of, validate_slug};
use super::trust::TrustedNames;
use crate::config::{PROJECT_FILE_NAME, ignored, project_file, shown};
use crate::project_error::ProjectError;

/// The project a folder belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// The project's id, a slug.
    pub id: String,
    /// The project's folder here: where its configuration file or its `.git` is, else the start folder.
    pub root: PathBuf,
    /// What the id was made from.
    pub how: How,
    /// The nearest `.scrubjay.toml` on the way up to the root, if there is one.
    pub config_file: Option<PathBuf>,
    /// The name that its `.scrubjay.toml` gives and nothing backs, if there is one. It does not count.
    pub claim: Option<Claim>,
    /// What it can be known again by.
    pub keys: ProjectKeys,
    /// The file that switches Scrubjay off here (`enabled = false`), if one does.
    pub switched_off_by: Option<PathBuf>,
    /// A project whose folder is gone and which this may be; only a person can say.
    pub lost: Option<LostProject>,
    /// What was passed over and why, for people.
    pub warnings: Vec<String>,
}

/// What a project can be known again by.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectKeys {
    /// The address of its remote, in its one form.
    pub remote: Option<String>,
    /// The folder that stands for it on this machine: the main worktree, else the folder itself.
    pub folder: PathBuf,
    /// The folder with the repository's own files, if it is one.
    pub(super) repository: Option<PathBuf>,
}

impl ProjectKeys {
    /// Whether the folder is a repository.
    #[must_use]
    pub fn is_repository(&self) -> bool {
        self.repository.is_some()
    }
}

/// A project whose folder is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostProject {
    /// Its id.
    pub id: String,
    /// Where it was last seen.
    pub folder: PathBuf,
}

/// A name that a `.scrubjay.toml` gives its project. The file came with the repository, so the name counts only if the
/// repository's own remote leads to it or a person has said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The name.
    pub project: String,
    /// Who gives it: the repository by its remote, else the folder.
    pub claimant: String,
}

/// What a project's id was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The name in its `.scrubjay.toml`, which its remote or a person backs.
    ConfigFile,
    /// The address of its git remote.
    GitRemote,
    /// The path of a folder: the main worktree of a repository without remote, or a folder outside of git.
    Folder,
}

/// Finds the project of a folder: the nearest folder at or above it that has a `.scrubjay.toml` with a `project`
/// or a `.git`; the start folder itself when there is neither. A file that cannot be used is passed over, a name that
/// nothing backs does not count (its folder is then a project of its own), and a `.git` that makes no sense makes its
/// folder the project; a warning says so.
pub fn detect(start: &Path, trusted: &TrustedNames) -> Result<Detected, ProjectError> {
    let start = start_folder(start)?;
    let (mut config_file, mut switched_off_by) = (None, None);
    let mut warnings = Vec::new();
    for folder in start.ancestors() {
        if let Some(ProjectFile { file, name, is_off }) = named_by_file(folder, &mut warnings) {
            let shown_file = shown(&file);
            if is_off {
                switched_off_by.get_or_insert_with(|| file.clone());
            }
            config_file.get_or_insert(file);
            if let Some(project) = name {
                let root = folder.to_owned();
                let claimant = claimant_of(folder);
                if claimant.leads_to(&project) || trusted.has(&claimant.key, &project, &mut warnings) {
                    let named = Named::by_file(project, folder);
                    return Ok(named.detected(root, config_file, switched_off_by, None, warnings));
                }
                let named = own_name(folder, &mut warnings);
                let id = &named.id;
                warnings.push(format!(
                    "{shown_file} names the project `{project}`, which nobody has said it may join; until then this is \
                     the project `{id}`. If you trust this folder with the memories of `{project}`, run `scrubjay \
                     projects trust` in it"
                ));
                let claim = Some(Claim { project, claimant: claimant.key });
                return Ok(named.detected(root, config_file, switched_off_by, claim, warnings));
            }
        }
        if has_git(folder) {
            let named = named_by_git(folder, &mut warnings);
            return Ok(named.detected(folder.to_owned(), config_file, switched_off_by, None, warnings));
        }
    }
    Ok(Named::by_folder(&start).detected(start, config_file, switched_off_by, None, warnings))
}

// A project's id, what it was made from, and what it can be known again by.
struct Named {
    id: String,
    how: How,
    keys: ProjectKeys,
}

impl Named {
    // A folder in a repository may be a project of its own, so the repository's keys are not its keys.
    fn by_file(id: String, folder: &Path) -> Self {
        let keys = ProjectKeys { folder: folder.to_owned(), ..ProjectKeys::default() };
        Self { id, how: How::ConfigFile, keys }
    }

    fn by_folder(folder: &Path) -> Self {
        let keys = ProjectKeys { folder: folder.to_owned(), ..ProjectKeys::default() };
        Self { id: folder_id(folder), how: How::Folder, keys }
    }

    fn detected(
        self,
        root: PathBuf,
        config_file: Option<PathBuf>,
        switched_off_by: Option<PathBuf>,
        claim: Option<Claim>,
        warnings: Vec<String>,
    ) -> Detected {
        let Self { id, how, keys } = self;
        Detected { id, root, how, config_file, claim, keys, switched_off_by, lost: None, warnings }
    }
}

/// The claim that a folder's file makes with a name.
#[must_use]
pub fn claim_of(folder: &Path, project: &str) -> Claim {
    Claim { project: project.to_owned(), claimant: claimant_of(folder).key }
}

/// The id that a folder had when nothing but its path told: for one that is gone or cannot be read.
#[must_use]
pub fn id_of_path(folder: &Path) -> String {
    folder_id(folder)
}

/// The start with all links resolved, so that the walk up follows the real folders; a file's folder for a file.
fn start_folder(start: &Path) -> Result<PathBuf, ProjectError> {
    let failed = |source| ProjectError::Start { start: start.to_owned(), source };
    let found = fs::canonicalize(start).map_err(failed)?;
    if found.is_dir() {
        return Ok(found);
    }
    match found.parent() {
        Some(parent) => Ok(parent.to_owned()),
        None => Err(failed(io::ErrorKind::NotADirectory.into())),
    }
}

// A folder's `.scrubjay.toml`.
struct ProjectFile {
    file: PathBuf,
    // The name that it gives.
    name: Option<String>,
    // Whether it says `enabled = false`.
    is_off: bool,
}

/// The folder's `.scrubjay.toml`, if it has a usable one, and what it says. It came with a repository, so whatever is
/// wrong with it is passed over.
fn named_by_file(folder: &Path, warnings: &mut Vec<String>) -> Option<ProjectFile> {
    let file = folder.join(PROJECT_FILE_NAME);
    if fs::symlink_metadata(&file).is_err() {
        return None;
    }
    let read = match project_file(&file) {
        Ok(read) => read,
        Err(error) => {
            warnings.push(ignored(&error));
            return None;
        }
    };
    let name = match read.project {
        Ok(None) => None,
        Ok(Some((id, origin))) => match validate_slug(&id) {
            Ok(_) => Some(id),
            Err(error) => {
                warnings.push(format!("{origin}: `project` is ignored: {error}"));
                None
            }
        },
        // The rest of the file may be sound.
        Err(error) => {
            warnings.push(format!("a project's name is ignored: {error}"));
            None
        }
    };
    Some(ProjectFile { file, name, is_off: read.is_off })
}

fn has_git(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(".git")).is_ok()
}

/// The name that a folder has when its file does not count.
fn own_name(folder: &Path, warnings: &mut Vec<String>) -> Named {
    if has_git(folder) { named_by_git(folder, warnings) } else { Named::by_folder(folder) }
}

struct Claimant {
    /// Its remote or main folder, and where in there the file lies.
    key: String,
    /// The id that the remote leads to.
    of_remote: Option<String>,
}

impl Claimant {
    fn leads_to(&self, project: &str) -> bool {
        self.of_remote.as_deref() == Some(project)
    }
}

/// Who gives a name: the repository that the folder is in, so that its clones and worktrees are trusted together, else
/// the folder. What is wrong with the repository is told by whoever names the project.
fn claimant_of(folder: &Path) -> Claimant {
    let repository = folder.ancestors().find(|above| has_git(above));
    let opened = repository.and_then(|root| Some((root, git::open(root).ok()?)));
    let Some((root, Repository { remote, main_folder, .. })) = opened else {
        return Claimant { key: format!("folder {}", folder.to_string_lossy()), of_remote: None };
    };
    let below = folder.strip_prefix(root).unwrap_or(Path::new(""));
    match remote {
        Some(remote) => {
            let remote = normalised(&remote, &main_folder);
            let of_remote = Some(slug_of(name_of(&remote), remote.as_bytes()));
            Claimant { key: format!("remote {remote} {}", below.to_string_lossy()).trim_end().to_owned(), of_remote }
        }
        None => Claimant { key: format!("folder {}", main_folder.join(below).to_string_lossy()), of_remote: None },
    }
}

fn named_by_git(folder: &Path, warnings: &mut Vec<String>) -> Named {
    let repository = match git::open(folder) {
        Ok(repository) => repository,
        Err(reason) => {
            let dot_git = folder.join(".git");
            warnings.push(format!("{} is not used: {reason}; the project is named after its folder", shown(&dot_git)));
            return Named::by_folder(folder);
        }
    };
    let Repository { remote, main_folder, common, warnings: more } = repository;
    warnings.extend(more);
    let remote = remote.map(|remote| normalised(&remote, &main_folder));
    let (id, how) = match &remote {
        Some(remote) => (slug_of(name_of(remote), remote.as_bytes()), How::GitRemote),
        None => (folder_id(&main_folder), How::Folder),
    };
    Named { id, how, keys: ProjectKeys { remote, folder: main_folder, repository: Some(common) } }
}

/// The address of the remote of a folder that was the root of a repository, if it still is.
pub(super) fn remote_of(folder: &Path) -> Option<String> {
    let Repository { remote, main_folder, .. } = git::open(folder).ok()?;
    Some(normalised(&remote?, &main_folder))
}

fn normalised(remote: &str, main_folder: &Path) -> String {
    if !is_relative_path(remote) {
        return normalise_remote(remote);
    }
    let local = git::without_dots(&main_folder.join(remote.trim()));
    normalise_remote(&local.to_string_lossy())
}

/// The id of a folder: its name, and a hash of its whole path. A clone whose remote is the path of a local repository
/// without remote gets the same id as that repository.
fn folder_id(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    slug_of(&name, folder.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests;
