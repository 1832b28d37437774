//! Where nothing is kept and nothing handed out, because a person said so.
//!
//! A small file in the home folder, read by every hook and every capture, so that it holds without a daemon and whoever
//! asks. Spans that are over stay in it: what was said then is not taken in later from a transcript either.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use scrubjay_core::error::ErrorCode;
use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::clean::clean_id;
use crate::config::{PROJECT_FILE_NAME, project_file};
use crate::list_file::ListFile;
use crate::{Ctx, EngineError, Result};

/// How many spans that are over are kept.
const AT_MOST: usize = 500;

/// What is paused, in one home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pauses {
    file: ListFile<Vec<Pause>>,
}

impl Ctx {
    /// What is paused.
    #[must_use]
    pub fn pauses(&self) -> Pauses {
        Pauses::of(&self.home().path)
    }
}

/// What a pause is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Paused {
    /// Everything.
    All,
    /// A project.
    Project(String),
    /// A conversation.
    Session(String),
}

impl Paused {
    /// The command that ends it, wherever one stands.
    #[must_use]
    pub fn resume(&self) -> String {
        match self {
            Self::All => "scrubjay resume --all".to_owned(),
            Self::Project(project) => format!("scrubjay resume --project {project}"),
            Self::Session(session) => format!("scrubjay resume --session {session}"),
        }
    }
}

impl std::fmt::Display for Paused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => formatter.write_str("everything"),
            Self::Project(project) => write!(formatter, "project {project}"),
            Self::Session(session) => write!(formatter, "session {session}"),
        }
    }
}

/// A span in which nothing is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// What it is about.
    pub what: Paused,
    /// Since when.
    pub since: String,
    /// Until when; none while nobody has said.
    pub until: Option<String>,
}

impl Pause {
    /// Whether it holds at this time.
    #[must_use]
    pub fn holds_at(&self, at: Timestamp) -> bool {
        let since: Option<Timestamp> = self.since.parse().ok();
        let until: Option<Timestamp> = self.until.as_deref().and_then(|until| until.parse().ok());
        // A time that cannot be read must not let anything through.
        since.is_none_or(|since| since <= at) && until.is_none_or(|until| at < until)
    }
}

/// All pauses, as they were read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PauseList(Vec<Pause>);

impl PauseList {
    /// The pause that covers something said at a time in a project and a conversation.
    #[must_use]
    pub fn covering(&self, project: Option<&str>, session: Option<&str>, at: Timestamp) -> Option<&Pause> {
        self.0.iter().find(|pause| {
            let is_about = match &pause.what {
                Paused::All => true,
                Paused::Project(paused) => project == Some(paused),
                Paused::Session(paused) => session == Some(paused),
            };
            is_about && pause.holds_at(at)
        })
    }

    /// The same for a scope.
    #[must_use]
    pub fn covering_scope(&self, scope: &Scope, session: Option<&str>, at: Timestamp) -> Option<&Pause> {
        self.covering(scope.project().map(|project| project.as_str()), session, at)
    }

    /// Those that hold at a time.
    pub fn holding(&self, at: Timestamp) -> impl Iterator<Item = &Pause> {
        self.0.iter().filter(move |pause| pause.holds_at(at))
    }
}

impl Pauses {
    /// Those of this home. Nothing is read yet.
    #[must_use]
    pub fn of(home: &Path) -> Self {
        Self { file: ListFile::at(home.join("paused.json")) }
    }

    /// All of them.
    ///
    /// # Errors
    /// When the file cannot be read: then nobody knows whether anything may be kept.
    pub fn list(&self) -> Result<PauseList> {
        self.file.read().map(PauseList)
    }

    /// Begins a pause, until a time if one is given. One that holds already is replaced.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn begin(&self, ctx: &Ctx, what: &Paused, until: Option<Timestamp>) -> Result<Pause> {
        let now = ctx.now();
        let until = until.map(|until| until.to_string());
        let begun = self.file.change("pause", ctx.uuid()?, |all| {
            let held = all.iter().position(|pause| pause.what == *what && pause.holds_at(now));
            let since = held.map_or_else(|| now.to_string(), |at| all.remove(at).since);
            let pause = Pause { what: what.clone(), since, until };
            all.push(pause.clone());
            let surplus = all.len().saturating_sub(AT_MOST);
            let mut over = 0;
            all.retain(|pause| {
                let goes = over < surplus && !pause.holds_at(now);
                over += usize::from(goes);
                !goes
            });
            Some(pause)
        })?;
        begun.ok_or_else(|| EngineError::told(ErrorCode::Internal, "a pause was not written"))
    }

    /// Ends the pauses of something that hold now, or all of them. Says which.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn end(&self, ctx: &Ctx, what: Option<&Paused>) -> Result<Vec<Pause>> {
        let now = ctx.now();
        let ended = self.file.change("resume", ctx.uuid()?, |all| {
            let mut ended = Vec::new();
            for pause in all.iter_mut().filter(|pause| pause.holds_at(now)) {
                if what.is_none_or(|what| pause.what == *what) {
                    pause.until = Some(now.to_string());
                    ended.push(pause.clone());
                }
            }
            (!ended.is_empty()).then_some(ended)
        })?;
        Ok(ended.unwrap_or_default())
    }

    /// Lets pauses of a project hold for what it became.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn follow(&self, ctx: &Ctx, from: &str, into: &str) -> Result<()> {
        let (old, new) = (Paused::Project(from.to_owned()), Paused::Project(into.to_owned()));
        self.file.change("pause", ctx.uuid()?, |all| {
            let more: Vec<Pause> = all
                .iter()
                .filter(|pause| pause.what == old)
                .map(|pause| Pause { what: new.clone(), ..pause.clone() })
                .collect();
            let is_any = !more.is_empty();
            all.extend(more);
            is_any.then_some(())
        })?;
        Ok(())
    }
}

/// Says where nothing is kept or handed out now, and why: by a pause, by `enabled = false` in the settings, or in the
/// `.scrubjay.toml` of a folder that the project is known to have.
pub struct Quiet {
    pauses: PauseList,
    now: Timestamp,
    off: Option<String>,
    known: crate::project::KnownProjects,
    redact: bool,
    files: BTreeMap<String, Option<PathBuf>>,
}

impl Quiet {
    /// What holds in this context.
    ///
    /// # Errors
    /// When nobody can tell, because the list of pauses cannot be read.
    pub fn of(ctx: &Ctx) -> Result<Self> {
        let settings = &ctx.config().settings;
        let origin = ctx.config().origins.get("enabled").map(ToString::to_string).unwrap_or_default();
        Ok(Self {
            pauses: ctx.pauses().list()?,
            now: ctx.now(),
            off: (!settings.enabled).then(|| format!("switched off (enabled = false, {origin})")),
            known: ctx.known_projects(),
            redact: settings.capture.redact,
            files: BTreeMap::new(),
        })
    }

    /// Why nothing is kept of what is said in a scope and a conversation at a time (now, if none is known), or handed out
    /// there; none if it is.
    pub fn reason(&mut self, scope: &Scope, session: Option<&str>, at: Option<Timestamp>) -> Option<String> {
        if let Some(off) = &self.off {
            return Some(off.clone());
        }
        let session = session.map(|session| clean_id(session, self.redact));
        if let Some(pause) = self.pauses.covering_scope(scope, session.as_deref(), at.unwrap_or(self.now)) {
            return Some(told(pause));
        }
        let project = scope.project()?.to_string();
        let file = self.switched_off_by(project)?;
        Some(format!("switched off by {} (enabled = false)", file.display()))
    }

    fn switched_off_by(&mut self, project: String) -> Option<PathBuf> {
        if let Some(file) = self.files.get(&project) {
            return file.clone();
        }
        let known = self.known.all().unwrap_or_default();
        let folders = known.iter().filter(|one| one.is(&project)).flat_map(|one| &one.folders);
        let mut files = folders.map(|folder| folder.path.join(PROJECT_FILE_NAME));
        let found = files.find(|file| project_file(file).is_ok_and(|read| read.is_off));
        self.files.insert(project, found.clone());
        found
    }
}

/// A pause in words.
#[must_use]
pub fn told(pause: &Pause) -> String {
    match &pause.until {
        Some(until) => {
            let until =
                until.parse::<Timestamp>().map_or_else(|_| until.clone(), |time| format!("{} UTC", time.minute()));
            format!("{} is paused until {until}", pause.what)
        }
        None => format!("{} is paused until `{}`", pause.what, pause.what.resume()),
    }
}
