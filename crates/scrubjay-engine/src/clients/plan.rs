//! How a client's files change when we are wired in or taken out.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::client::{Client, Event, Folder, Moment};
use super::list::CLIENTS;
use super::target::{read_regular, target};
use super::{json, toml};
use crate::{Ctx, EngineError, Result};

/// What surrounds a client on this machine.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The user's folder.
    pub user: PathBuf,
    /// Where our program lies.
    pub program: PathBuf,
    /// Our home folder, if it is not the usual one.
    pub home: Option<PathBuf>,
    /// The agent, if it is not the usual one.
    pub agent: Option<String>,
    /// Tool calls are kept too.
    pub tools: bool,
    /// Variables that move clients' folders, by name.
    pub variables: Vec<(String, PathBuf)>,
}

/// In or out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Wire us in.
    Install,
    /// Take us out.
    Uninstall,
}

/// A file as it is and as it would be; none means that there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The file, wherever links lead.
    pub path: PathBuf,
    /// The path that the client reads, if it is a link to the file.
    pub link: Option<PathBuf>,
    /// As it is.
    pub before: Option<String>,
    /// As it would be.
    pub after: Option<String>,
}

/// What a client has to do with us.
pub(super) struct Wiring {
    /// Is there if the client is.
    pub(super) folder: PathBuf,
    pub(super) edits: Vec<Edit>,
}

/// One thing to put into one file.
pub(super) enum Edit {
    /// Hooks among others' hooks.
    Hooks { path: PathBuf, hooks: Hooks },
    /// Our MCP server among others.
    Server { path: PathBuf, server: Server },
    /// A file that is all ours.
    Whole { path: PathBuf, text: String },
}

/// Hooks by event, and how the client writes them.
pub(super) struct Hooks {
    pub(super) by_event: Vec<(&'static str, Value)>,
    pub(super) shape: Shape,
}

/// How a client writes hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `{"hooks": {EVENT: [{"hooks": [HANDLER]}]}}`: handlers are in groups with a matcher.
    Nested,
    /// `{"version": 1, "hooks": {EVENT: [HANDLER]}}`.
    Flat,
    /// `{NAME: {EVENT: [HANDLER]}}`: everyone's hooks are under a name of their own.
    Named,
}

impl Hooks {
    pub(super) fn nested(by_event: Vec<(&'static str, Value)>) -> Self {
        Self { by_event, shape: Shape::Nested }
    }

    pub(super) fn flat(by_event: Vec<(&'static str, Value)>) -> Self {
        Self { by_event, shape: Shape::Flat }
    }

    pub(super) fn named(by_event: Vec<(&'static str, Value)>) -> Self {
        Self { by_event, shape: Shape::Named }
    }
}

/// Our MCP server, as a client writes it.
pub(super) enum Server {
    Json { section: &'static str, value: Value },
    Toml { command: String, arguments: Vec<String> },
}

/// How the client's files would change. Nothing is written.
///
/// # Errors
/// When a file cannot be read or is not what its client would read, or is not a
/// regular file inside of the user's own folders.
pub fn plan(client: &Client, around: &Surroundings, direction: Direction) -> Result<Vec<FileChange>> {
    let mut changes: Vec<FileChange> = Vec::new();
    for edit in (client.wiring)(around).edits {
        let path = edit.path();
        // Settings are often links into a folder of settings; the file is changed, and the link stays.
        let target = target(path, &around.own_folders())?;
        let (path, link) = (target.path, target.link);
        let known = changes.iter().position(|change| change.path == path);
        let at = match known {
            Some(at) => at,
            None => {
                let before = read_regular(&path)?;
                changes.push(FileChange { path, link, after: before.clone(), before });
                changes.len() - 1
            }
        };
        let change = &mut changes[at];
        change.after = edited(&edit, &change.path, change.after.as_deref(), direction)?;
    }
    Ok(changes)
}

/// Whether the client seems to be on this machine.
#[must_use]
pub fn is_present(client: &Client, around: &Surroundings) -> bool {
    (client.wiring)(around).folder.is_dir()
}

/// Whether we are wired in as we would do it now.
#[must_use]
pub fn is_wired(client: &Client, around: &Surroundings) -> bool {
    plan(client, around, Direction::Install)
        .is_ok_and(|changes| changes.iter().all(|change| change.before.is_some() && change.before == change.after))
}

/// Whether the client has a hook of ours for an event in its own settings, as another client or a plugin of it may ask.
#[must_use]
pub fn has_hook(client: &Client, around: &Surroundings, event: &Event) -> bool {
    (client.wiring)(around).edits.iter().any(|edit| match edit {
        Edit::Hooks { path, .. } | Edit::Whole { path, .. } => {
            let text =
                fs::metadata(path).ok().filter(fs::Metadata::is_file).and_then(|_| fs::read_to_string(path).ok());
            text.is_some_and(|text| json::has_hook(&text, client.name, event.name))
        }
        Edit::Server { .. } => false,
    })
}

/// The variables that move clients' folders.
#[must_use]
pub fn variables() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = CLIENTS.iter().filter_map(|client| client.folder.variable).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What a person has to add to which file, where we cannot: each file with its lines.
#[must_use]
pub fn lines_to_add(client: &Client, around: &Surroundings) -> Vec<(PathBuf, String)> {
    let mut files: Vec<(PathBuf, Option<String>)> = Vec::new();
    for edit in (client.wiring)(around).edits {
        let path = edit.path().to_owned();
        let at = files.iter().position(|(known, _)| *known == path).unwrap_or_else(|| {
            files.push((path.clone(), None));
            files.len() - 1
        });
        if let Ok(text) = edited(&edit, &path, files[at].1.as_deref(), Direction::Install) {
            files[at].1 = text;
        }
    }
    files.into_iter().filter_map(|(path, text)| Some((path, text?))).collect()
}

impl Edit {
    fn path(&self) -> &Path {
        match self {
            Self::Hooks { path, .. } | Self::Server { path, .. } | Self::Whole { path, .. } => path,
        }
    }
}

fn edited(edit: &Edit, path: &Path, text: Option<&str>, direction: Direction) -> Result<Option<String>> {
    let not_ours = |error: String| {
        EngineError::invalid(format!(
            "{} cannot be changed: {error}; mend it and try again, or change it by hand",
            path.display()
        ))
    };
    match (edit, direction) {
        (Edit::Whole { text, .. }, Direction::Install) => Ok(Some(text.clone())),
        (Edit::Whole { .. }, Direction::Uninstall) => Ok(None),
        (Edit::Hooks { hooks, .. }, _) => json::hooks(text, hooks, direction).map_err(not_ours),
        (Edit::Server { server: Server::Json { section, value }, .. }, _) => {
            json::server(text, section, value, direction).map_err(not_ours)
        }
        (Edit::Server { server: Server::Toml { command, arguments }, .. }, _) => {
            toml::server(text, command, arguments, direction).map_err(not_ours)
        }
    }
}

impl Surroundings {
    /// As far as the environment tells; none if it names no folder of the user.
    #[must_use]
    pub fn of(ctx: &Ctx) -> Option<Self> {
        let user = PathBuf::from(ctx.variable("HOME")?);
        let named = |name: &'static str| Some((name.to_owned(), PathBuf::from(ctx.variable(name)?)));
        Some(Self { user, variables: variables().into_iter().filter_map(named).collect(), ..Self::default() })
    }

    /// The folders in which links are followed: the user's, and those that
    /// variables name.
    fn own_folders(&self) -> Vec<&Path> {
        let named = self.variables.iter().map(|(_, folder)| folder.as_path());
        std::iter::once(self.user.as_path()).chain(named).collect()
    }

    /// A client's folder.
    pub(super) fn folder(&self, folder: &Folder) -> PathBuf {
        self.named_folder(folder).unwrap_or_else(|| self.user.join(folder.below_home))
    }

    /// A client's folder, if a variable names it.
    pub(super) fn named_folder(&self, folder: &Folder) -> Option<PathBuf> {
        let name = folder.variable?;
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// Our program.
    pub(super) fn program(&self) -> String {
        self.program.display().to_string()
    }

    /// The flags that lead to our home and agent.
    pub(super) fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        if let Some(home) = &self.home {
            flags.extend(["--home".to_owned(), home.display().to_string()]);
        }
        if let Some(agent) = &self.agent {
            flags.extend(["--agent".to_owned(), agent.clone()]);
        }
        flags
    }

    /// Words for our program, and the flags.
    pub(super) fn words(&self, words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).chain(self.flags()).collect()
    }

    /// The same as one line for a shell.
    pub(super) fn line(&self, words: &[&str]) -> String {
        let all = std::iter::once(self.program()).chain(self.words(words));
        all.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
    }

    /// The hooks that are wanted: those of tools only if tool calls are kept.
    pub(super) fn hooks(
        &self,
        events: &'static [Event],
        handler: impl Fn(&Event) -> Value,
    ) -> Vec<(&'static str, Value)> {
        let wanted = events.iter().filter(|event| match event.moment {
            Moment::Tool => self.tools,
            Moment::Permission => false,
            _ => true,
        });
        wanted.map(|event| (event.name, handler(event))).collect()
    }
}

fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:@".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
