//! What a hook leaves in the spool when it cannot store it at once.

use std::path::PathBuf;

use scrubjay_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::answer::Hooked;
use super::messages::messages;
use crate::capture::clean_id;
use crate::clients::{Moment, Occasion};
use crate::config::Settings;
use crate::ops::Message;
use crate::spool::{Label, Spool};
use crate::{EngineError, Result};

/// What a hook leaves behind: cleaned, because it lies on disk.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Spooled {
    /// The project it stood in.
    pub project: Option<String>,
    /// What was said.
    pub messages: Vec<Message>,
    /// The session that ended, if one did.
    pub ended: Option<String>,
    /// The settings could not be read then; they decide when it is taken in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub settings_unread: bool,
    /// Nobody knows which project it belongs to; a person says so when it is tried again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub project_unknown: bool,
}

impl Spooled {
    /// What a hook has to leave behind under these settings; none if there is nothing to keep.
    #[must_use]
    pub fn of(settings: &Settings, hooked: &Hooked, occasion: &Occasion, project: Option<String>) -> Option<Self> {
        let messages = messages(settings, hooked, occasion);
        let is_over = occasion.moment == Moment::SessionEnd && settings.hooks.enabled && !occasion.session.is_empty();
        let ended = is_over.then(|| clean_id(&occasion.session, settings.capture.redact));
        let spooled = Self { project, messages, ended, ..Self::default() };
        (!spooled.messages.is_empty() || spooled.ended.is_some()).then_some(spooled)
    }

    /// The same while nobody knows the settings: whatever they might want kept, without any secret.
    #[must_use]
    pub fn without_settings(hooked: &Hooked, occasion: &Occasion, project: Option<String>) -> Option<Self> {
        let mut settings = Settings::default();
        settings.hooks.tools = true;
        let spooled = Self::of(&settings, hooked, occasion, project)?;
        Some(Self { settings_unread: true, ..spooled })
    }

    /// Writes it to the spool. It is on disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, spool: &Spool, at: Timestamp, id: Uuid) -> Result<PathBuf> {
        spool.put(at, id, &self.bytes()?)
    }

    /// Writes it to where the spool sets things aside, with the reason.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put_aside(&self, spool: &Spool, at: Timestamp, id: Uuid, reason: &str) -> Result<PathBuf> {
        let project = self.project.clone().filter(|_| !self.project_unknown);
        spool.put_aside(at, id, &self.bytes()?, &Label::new(reason, at, project))
    }

    fn bytes(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|source| EngineError::Encode { operation: "hook", source })
    }
}
