//! Following what changes: whoever wrote it, as far as a view sees it.
//!
//! A follower reads the store's own log of changes from where it stands, so it
//! notices what other processes write, too. It learns which memories are new,
//! changed or gone, and which sessions were completed, never what they say.

use schemars::JsonSchema;
use scrubjay_store::item::Item;
use scrubjay_store::query::Session;
use serde::{Deserialize, Serialize};

use crate::{Ctx, Result};

/// How many changes are looked at in one go.
const AT_ONCE: usize = 256;

/// Something that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    /// The memory; none for a piece of a file and for what is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The memory's kind, `chunk`, or `gone`.
    pub kind: String,
    /// Where it lives or lived.
    pub scope: String,
    /// Whether it is active now.
    pub active: bool,
}

/// A session from which facts were drawn to its end: it was declared over, another of its project began, or it was
/// quiet for long. One that goes on afterwards is completed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionCompleted {
    /// Its id, as the client names it.
    pub session_id: String,
    /// Where it took place.
    pub scope: String,
    /// How many messages were kept.
    pub messages: u64,
    /// When it was completed.
    pub completed_at: String,
}

/// What a follower learns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A memory or a piece of a file changed.
    Changed(Changed),
    /// A session was completed.
    SessionCompleted(SessionCompleted),
}

impl Event {
    /// Its name on the wire.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Changed(_) => "changed",
            Self::SessionCompleted(_) => "session_completed",
        }
    }
}

/// Follows the changes that a view sees.
pub struct Follower {
    ctx: Ctx,
    position: u64,
    completed: u64,
}

impl Follower {
    /// Follows from now on.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn begin(ctx: Ctx) -> Result<Self> {
        let store = ctx.store().await?;
        let tail = store.tail(Some(ctx.view()), u64::MAX >> 1, 1).await?;
        let completed = store.completed_sessions(ctx.view(), u64::MAX >> 1, 1).await?;
        Ok(Self { ctx, position: tail.newest, completed: completed.through })
    }

    /// What changed since the last look; empty when nothing did.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn look(&mut self) -> Result<Vec<Event>> {
        let store = self.ctx.store().await?;
        // Read first, so that a session is not announced before the facts that came of it.
        let completed = store.completed_sessions(self.ctx.view(), self.completed, AT_ONCE).await?;
        let tail = store.tail(Some(self.ctx.view()), self.position, AT_ONCE).await?;
        self.position = self.position.max(tail.through);
        let changed = |entry: scrubjay_store::item::TailEntry| {
            let scope = entry.scope.to_string();
            match entry.row.map(|row| row.item) {
                Some(Item::Memory(memory)) => Changed {
                    id: Some(memory.id.to_string()),
                    kind: memory.kind().to_string(),
                    scope,
                    active: memory.ended.is_none(),
                },
                Some(Item::Chunk(_)) => Changed { id: None, kind: "chunk".to_owned(), scope, active: true },
                None => Changed { id: None, kind: "gone".to_owned(), scope, active: false },
            }
        };
        let mut events: Vec<Event> = tail.entries.into_iter().map(changed).map(Event::Changed).collect();
        // As long as there is more in the log, the facts may be among it.
        if events.len() < AT_ONCE {
            self.completed = self.completed.max(completed.through);
            events.extend(completed.sessions.iter().map(announced).map(Event::SessionCompleted));
        }
        Ok(events)
    }
}

fn announced(session: &Session) -> SessionCompleted {
    SessionCompleted {
        session_id: session.session_id.clone(),
        scope: session.scope.to_string(),
        messages: session.messages,
        completed_at: session.completed_at.unwrap_or(session.last_seen).to_string(),
    }
}
