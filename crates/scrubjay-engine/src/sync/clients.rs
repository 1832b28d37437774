//! Where clients keep their conversations and notes.

use std::path::{Path, PathBuf};

use scrubjay_core::scope::{Scope, View};
use scrubjay_ingest::transcript::packed::is_transcript;

use super::transcripts::{Format, project_of};
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

    /// The folder of its transcripts.
    ///
    /// # Errors
    /// When nobody's home folder is known.
    pub fn transcripts(self, ctx: &Ctx) -> Result<PathBuf> {
        let folder = self.folder(ctx)?;
        Ok(folder.join(match self {
            Self::ClaudeCode => "projects",
            Self::Codex => "sessions",
        }))
    }

    /// The folders of its notes. A project's own are told apart by the folder
    /// that its conversations took place in.
    ///
    /// # Errors
    /// When nobody's home folder is known.
    pub fn notes(self, ctx: &Ctx) -> Result<Vec<NotesFolder>> {
        let folder = self.folder(ctx)?;
        match self {
            Self::Codex => {
                let path = folder.join("memories");
                let found = path.is_dir().then_some(NotesFolder { path, scope: Scope::Global });
                Ok(found.into_iter().collect())
            }
            Self::ClaudeCode => {
                let mut found = Vec::new();
                let Ok(entries) = std::fs::read_dir(folder.join("projects")) else { return Ok(found) };
                let mut projects: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
                projects.sort();
                for project in projects {
                    let path = project.join("memory");
                    let Some(folder) = path.is_dir().then(|| worked_in(&project)).flatten() else { continue };
                    let id = project_of(Path::new(&folder)).parse().map_err(EngineError::invalid)?;
                    found.push(NotesFolder { path, scope: View::project(id).home() });
                }
                Ok(found)
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

// The folder that the conversations beside the notes took place in: the name of
// the folder tells it only roughly, their lines tell it exactly.
fn worked_in(project: &Path) -> Option<String> {
    let entries = std::fs::read_dir(project).ok()?;
    let mut transcripts: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    transcripts.retain(|path| is_transcript(path));
    transcripts.sort();
    transcripts.iter().rev().take(5).find_map(|path| Format::ClaudeCode.folder_in(path))
}
