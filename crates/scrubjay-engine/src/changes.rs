//! Following what changes: whoever wrote it, as far as a view sees it.
//!
//! A follower reads the store's own log of changes from where it stands, so it
//! notices what other processes write, too. It learns which memories are new,
//! changed or gone, never what they say.

use schemars::JsonSchema;
use scrubjay_store::item::Item;
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

/// Follows the changes that a view sees.
pub struct Follower {
    ctx: Ctx,
    position: u64,
}

impl Follower {
    /// Follows from now on.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn begin(ctx: Ctx) -> Result<Self> {
        let tail = ctx.store().await?.tail(Some(ctx.view()), u64::MAX >> 1, 1).await?;
        Ok(Self { ctx, position: tail.newest })
    }

    /// What changed since the last look; empty when nothing did.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn look(&mut self) -> Result<Vec<Changed>> {
        let tail = self.ctx.store().await?.tail(Some(self.ctx.view()), self.position, AT_ONCE).await?;
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
        Ok(tail.entries.into_iter().map(changed).collect())
    }
}
