//! Where clients keep their conversations and notes.

use std::path::{Path, PathBuf};

use scrubjay_core::scope::{Scope, View};
use scrubjay_ingest::transcript::packed::is_transcript;

use super::folder_projects::project_of;
use super::transcripts::Format;
use crate::{Ctx, EngineError, Result};

/// A program whose conversations can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

/// A folder of notes and whose they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotesFolder {
    /// The folder.
    pub path: PathBuf,
    /// Who may see what is in it.
    pub scope: Scope,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ClaudeCode, Self::Codex];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// The client with this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        let known = || Self::ALL.map(Self::name).join(" or ");
        let unknown = || EngineError::invalid(format!("`{name}` is not a client that can be read; use {}", known()));
        Self::ALL.into_iter().find(|client| client.name() == name).ok_or_else(unknown)
    }

    /// How its transcripts are written.
    #[must_use]
    pub fn format(self) -> Format {
        match self {
            Self::ClaudeCode => Format::ClaudeCode,
            Self::Codex => Format::Codex,
        }
    }

    /// The folders of its transcripts, those that are there; the usual one if none is.
    ///
    /// # Errors
    /// When nobody's home folder is known.
    pub fn transcripts(self, ctx: &Ctx) -> Result<Vec<PathBuf>> {
        let folder = self.folder(ctx)?;
        let names = match self {
            Self::ClaudeCode => &["projects"][..],
            Self::Codex => &["sessions", "archived_sessions"],
        };
        let folders: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        let there: Vec<PathBuf> = folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
        Ok(if there.is_empty() { folders.into_iter().take(1).collect() } else { there })
    }

    /// The folders of its notes, and those of which it cannot be told whose they are. A
    /// project's own are told apart by the folder that its conversations took place in,
    /// or by one of these folders that it is named after.
    ///
    /// # Errors
    /// When nobody's home folder is known.
    pub fn notes(self, ctx: &Ctx, folders: &[PathBuf]) -> Result<(Vec<NotesFolder>, Vec<PathBuf>)> {
        let folder = self.folder(ctx)?;
        match self {
            Self::Codex => {
                let path = folder.join("memories");
                let found = path.is_dir().then_some(NotesFolder { path, scope: Scope::Global });
                Ok((found.into_iter().collect(), Vec::new()))
            }
            Self::ClaudeCode => {
                let (mut found, mut nobodys) = (Vec::new(), Vec::new());
                let Ok(entries) = std::fs::read_dir(folder.join("projects")) else { return Ok((found, nobodys)) };
                let mut projects: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
                projects.sort();
                for project in projects {
                    let path = project.join("memory");
                    if !path.is_dir() {
                        continue;
                    }
                    let named = || folders.iter().find(|folder| is_named_after(&project, folder)).cloned();
                    let Some(folder) = worked_in(&project).map(PathBuf::from).or_else(named) else {
                        nobodys.push(path);
                        continue;
                    };
                    let id = project_of(&folder, &ctx.known_projects()).parse().map_err(EngineError::invalid)?;
                    found.push(NotesFolder { path, scope: View::project(id).home() });
                }
                Ok((found, nobodys))
            }
        }
    }

    fn folder(self, ctx: &Ctx) -> Result<PathBuf> {
        let (variable, folder) = match self {
            Self::ClaudeCode => ("CLAUDE_CONFIG_DIR", ".claude"),
            Self::Codex => ("CODEX_HOME", ".codex"),
        };
        if let Some(path) = ctx.variable(variable) {
            return Ok(PathBuf::from(path));
        }
        match ctx.variable("HOME") {
            Some(home) => Ok(Path::new(home).join(folder)),
            None => Err(EngineError::invalid(format!("neither {variable} nor HOME is set; name the folder"))),
        }
    }
}

// Claude Code calls a project's folder by the path of the project, with a hyphen for all that is no letter or digit.
fn is_named_after(project: &Path, folder: &Path) -> bool {
    let Some(folder) = folder.to_str() else { return false };
    let name: String = folder.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    project.file_name().is_some_and(|project| project == name.as_str())
}

// The folder that the conversations beside the notes took place in: the name of
// the folder tells it only roughly, their lines tell it exactly.
fn worked_in(project: &Path) -> Option<String> {
    let entries = std::fs::read_dir(project).ok()?;
    let mut transcripts: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    transcripts.retain(|path| is_transcript(path));
    transcripts.sort();
    transcripts.iter().rev().take(5).find_map(|path| Format::ClaudeCode.folder_in(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_notes_is_named_after_its_project() {
        for (name, folder, expected) in [
            ("-srv-ada-my-app", "/srv/ada/my_app", true),
            ("-srv-ada-my-app", "/srv/ada/my.app", true),
            ("-srv-ada-my-app", "/srv/ada/my", false),
        ] {
            assert_eq!(is_named_after(&Path::new("projects").join(name), Path::new(folder)), expected, "{folder}");
        }
    }
}
