//! The occasions on which files are looked at.

use crate::config::Settings;
use crate::{EngineError, Result};

/// What sets a look at files off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// A session begins: notes.
    SessionStart,
    /// A search is made and something may have changed: notes, and whatever is
    /// known to be out of date.
    Search,
    /// Files changed while they were watched.
    Watch,
    /// A transcript grew: transcripts.
    SessionDelta,
    /// Time passed: everything.
    Interval,
    /// Someone asked: everything.
    Force,
}

impl Trigger {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::SessionStart, Self::Search, Self::Watch, Self::SessionDelta, Self::Interval, Self::Force];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Search => "search",
            Self::Watch => "watch",
            Self::SessionDelta => "session-delta",
            Self::Interval => "interval",
            Self::Force => "force",
        }
    }

    /// The trigger with this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self> {
        let known = || Self::ALL.map(Self::name).join(", ");
        let unknown = || EngineError::invalid(format!("`{name}` is not a trigger; use one of {}", known()));
        Self::ALL.into_iter().find(|trigger| trigger.name() == name).ok_or_else(unknown)
    }

    /// Whether the settings want it, and what they say about it.
    #[must_use]
    pub fn setting(self, settings: &Settings) -> (bool, String) {
        let sync = &settings.sync;
        match self {
            Self::SessionStart => (sync.on_session_start, "notes, when a session begins".to_owned()),
            Self::Search => (sync.on_search, format!("before a search, for at most {} ms", sync.search_budget_ms)),
            Self::Watch => (sync.watch, format!("{} ms after the last change", sync.watch_debounce_ms)),
            Self::SessionDelta => {
                let sessions = &sync.sessions;
                let (bytes, messages) = (sessions.delta_bytes, sessions.delta_messages);
                let wanted = settings.sources.iter().any(|source| source == "sessions");
                (wanted, format!("{bytes} bytes, {messages} messages or {} s of silence", sessions.idle_seconds))
            }
            Self::Interval => match sync.interval_minutes {
                0 => (false, "sync.interval_minutes is 0".to_owned()),
                minutes => (true, format!("every {minutes} minutes")),
            },
            Self::Force => (true, "scrubjay sync, scrubjay index".to_owned()),
        }
    }
}
