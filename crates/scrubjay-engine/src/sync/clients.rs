//! Where clients keep their conversations and notes.

use std::path::{Path, PathBuf};

use scrubjay_core::scope::{Scope, View};
use scrubjay_ingest::transcript::packed::is_transcript;

use super::folder_projects::project_of;
use super::transcripts::Format;
use crate::clients::{CLIENTS, Client, Folder, Notes, Records};
use crate::{Ctx, EngineError, Result};

/// A folder of notes and whose they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotesFolder {
    /// The folder.
    pub path: PathBuf,
    /// Who may see what is in it.
    pub scope: Scope,
}

/// A client whose conversations can be read, and where it keeps them.
///
/// # Errors
/// When there is no such client, or it keeps nothing that can be read.
pub fn readable(name: &str) -> Result<(&'static Client, &'static Records)> {
    let known = || CLIENTS.iter().filter_map(|client| Some((client, client.records.as_ref()?)));
    known().find(|(client, _)| client.name == name).ok_or_else(|| {
        let names: Vec<&str> = known().map(|(client, _)| client.name).collect();
        EngineError::invalid(format!("`{name}` is not a client that can be read; use {}", names.join(" or ")))
    })
}

/// The folders of a client's transcripts, those that are there; the usual one if none is.
///
/// # Errors
/// When nobody's home folder is known, or its transcripts do not tell where they belong.
pub fn transcripts(ctx: &Ctx, name: &str) -> Result<Vec<PathBuf>> {
    let (client, records) = readable(name)?;
    if records.transcripts.is_empty() {
        return Err(EngineError::invalid(format!(
            "the conversations of {} do not tell which project they belong to; stand in the project and name the file with --path",
            client.title
        )));
    }
    let folder = folder(ctx, &client.folder)?;
    let folders: Vec<PathBuf> = records.transcripts.iter().map(|name| folder.join(name)).collect();
    let there: Vec<PathBuf> = folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
    Ok(if there.is_empty() { folders.into_iter().take(1).collect() } else { there })
}

/// The folders of a client's notes, and those of which it cannot be told whose they are. A
/// project's own are told apart by the folder that its conversations took place in,
/// or by one of these folders that it is named after.
///
/// # Errors
/// When nobody's home folder is known.
pub fn notes(ctx: &Ctx, name: &str, folders: &[PathBuf]) -> Result<(Vec<NotesFolder>, Vec<PathBuf>)> {
    let (client, records) = readable(name)?;
    let (mut found, mut nobodys) = (Vec::new(), Vec::new());
    let folder = folder(ctx, &client.folder)?;
    let (inside, name, folder_of) = match records.notes {
        Notes::None => return Ok((found, nobodys)),
        Notes::Shared(name) => {
            let path = folder.join(name);
            found.extend(path.is_dir().then_some(NotesFolder { path, scope: Scope::Global }));
            return Ok((found, nobodys));
        }
        Notes::ByProject { inside, name, project } => (inside, name, project),
    };
    let Ok(entries) = std::fs::read_dir(folder.join(inside)) else { return Ok((found, nobodys)) };
    let mut projects: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    projects.sort();
    let format = Format::named(client.name)?;
    for project in projects {
        let path = project.join(name);
        if !path.is_dir() {
            continue;
        }
        let is_named_after =
            |folder: &Path| folder_of(folder).is_some_and(|name| project.file_name() == Some(name.as_ref()));
        let named = || folders.iter().find(|folder| is_named_after(folder)).cloned();
        let Some(folder) = worked_in(&project, format).map(PathBuf::from).or_else(named) else {
            nobodys.push(path);
            continue;
        };
        let id = project_of(&folder, &ctx.known_projects()).parse().map_err(EngineError::defect)?;
        found.push(NotesFolder { path, scope: View::project(id).home() });
    }
    Ok((found, nobodys))
}

fn folder(ctx: &Ctx, folder: &Folder) -> Result<PathBuf> {
    if let Some(path) = folder.variable.and_then(|variable| ctx.variable(variable)) {
        return Ok(PathBuf::from(path));
    }
    match (ctx.variable("HOME"), folder.variable) {
        (Some(home), _) => Ok(Path::new(home).join(folder.below_home)),
        (None, Some(variable)) => {
            Err(EngineError::invalid(format!("neither {variable} nor HOME is set; name the folder")))
        }
        (None, None) => Err(EngineError::invalid("HOME is not set; name the folder")),
    }
}

// The folder that the conversations beside the notes took place in: the name of
// the folder tells it only roughly, their lines tell it exactly.
fn worked_in(project: &Path, format: Format) -> Option<String> {
    let entries = std::fs::read_dir(project).ok()?;
    let mut transcripts: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    transcripts.retain(|path| is_transcript(path));
    transcripts.sort();
    transcripts.iter().rev().take(5).find_map(|path| format.folder_in(path))
}
