//! What a conversation was shown before.

use std::collections::BTreeSet;

use scrubjay_core::memory::Memory;
use scrubjay_core::text::TextHash;
use scrubjay_store::context::{Shown, ShownText};
use scrubjay_store::item::Item;

use super::piece::shown;
use crate::{Ctx, Result};

/// What a conversation was shown before.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShownBefore {
    texts: BTreeSet<TextHash>,
    /// Things of which it is not known with which text they were shown.
    items: BTreeSet<Shown>,
}

impl ShownBefore {
    /// By a conversation; nothing if there is none.
    pub(crate) async fn by_session(ctx: &Ctx, session_id: Option<&str>) -> Result<Self> {
        let Some(session_id) = session_id else { return Ok(Self::default()) };
        Ok(Self::of(ctx.store().await?.shown(ctx.view(), session_id).await?))
    }

    /// What is listed.
    pub(super) fn of(shown: Vec<ShownText>) -> Self {
        let mut before = Self::default();
        for ShownText { item, text } in shown {
            match text {
                Some(text) => drop(before.texts.insert(text)),
                None => drop(before.items.insert(item)),
            }
        }
        before
    }

    /// How much it is.
    pub(super) fn count(&self) -> usize {
        self.texts.len() + self.items.len()
    }

    /// The same text need not be shown twice, and another one of the same thing is new.
    pub(super) fn has(&self, item: &Item) -> bool {
        self.texts.contains(&TextHash::of_message(item.text())) || self.items.contains(&shown(item))
    }

    /// The same of a memory.
    pub(crate) fn has_memory(&self, memory: &Memory) -> bool {
        let text = TextHash::of_message(&memory.content);
        self.texts.contains(&text) || self.items.contains(&Shown::Memory(memory.id))
    }
}
