//! Which project a line of a transcript belongs to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use scrubjay_core::scope::{Scope, View};
use scrubjay_ingest::transcript::Record;

use crate::capture::clean_id;
use crate::project::{self, KnownProjects};
use crate::{Ctx, Result};

/// The project of a folder that may be gone by now.
pub(super) fn project_of(folder: &Path, trusted: &KnownProjects) -> String {
    match project::locate(folder, trusted) {
        Ok(detected) => detected.id,
        Err(_) => trusted.project_of_gone(folder).unwrap_or_else(|| project::id_of_path(folder)),
    }
}

/// The projects of folders, each looked at once.
pub(super) struct Projects {
    trusted: KnownProjects,
    known: BTreeMap<String, String>,
    // Folders in which Scrubjay is switched off.
    off: BTreeSet<String>,
    of_sessions: BTreeMap<String, Option<String>>,
}

impl Projects {
    /// Those of the context's agent.
    pub(super) fn of(ctx: &Ctx) -> Self {
        Self {
            trusted: ctx.known_projects(),
            known: BTreeMap::new(),
            off: BTreeSet::new(),
            of_sessions: BTreeMap::new(),
        }
    }

    /// The project of a folder.
    pub(super) fn id(&mut self, folder: &str) -> String {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let located = project::locate(Path::new(folder), &self.trusted);
        if located.is_ok_and(|found| found.switched_off_by.is_some()) {
            self.off.insert(folder.to_owned());
        }
        let id = project_of(Path::new(folder), &self.trusted);
        self.known.insert(folder.to_owned(), id.clone());
        id
    }

    /// Whether Scrubjay is switched off in the folder that a line names.
    pub(super) fn is_off(&mut self, record: &Record) -> bool {
        let Some(folder) = record.project_path.as_deref() else { return false };
        self.id(folder);
        self.off.contains(folder)
    }

    /// The project in which a conversation began, if exactly one has it: what is said later must not become visible to
    /// all because the place itself belongs to no project.
    pub(super) async fn of_session(&mut self, ctx: &Ctx, session: &str) -> Result<Option<String>> {
        let session = clean_id(session, ctx.config().settings.capture.redact);
        if let Some(known) = self.of_sessions.get(&session) {
            return Ok(known.clone());
        }
        let store = ctx.store().await?;
        let mut found = Vec::new();
        for scope in store.all_scopes().await? {
            let Scope::Project(project) = scope else { continue };
            let view = View::project(project.clone()).without_global();
            if store.session(&view, &session).await?.is_some() {
                found.push(project.to_string());
            }
        }
        let only = if found.len() == 1 { found.pop() } else { None };
        self.of_sessions.insert(session, only.clone());
        Ok(only)
    }
}
