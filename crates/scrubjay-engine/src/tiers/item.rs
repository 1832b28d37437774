//! Making an item of a tier.

use scrubjay_core::memory::{Attributes, Kind, Memory, Origin, OriginKind};
use scrubjay_core::scope::Scope;

use crate::capture::{Draft, check_size, clean, prepare};
use crate::{Ctx, EngineError, Result};

/// An item as a tier describes it.
#[derive(Debug, Clone)]
pub struct NewItem {
    /// Where it is to live.
    pub scope: Scope,
    /// Its type, which gives its importance.
    pub memory_type: &'static str,
    /// What it says.
    pub content: String,
    /// Its labels.
    pub tags: Vec<String>,
    /// Free metadata, such as stage or tool.
    pub attributes: Attributes,
    /// Where the text came from.
    pub origin: OriginKind,
}

/// Makes the item: cleaned like any text, checked, with an id of its own.
///
/// # Errors
/// When there is nothing left to keep, or a value is out of range.
pub fn make(ctx: &Ctx, new: NewItem) -> Result<Memory> {
    check_size(ctx, &new.content)?;
    let redact = ctx.config().settings.capture.redact;
    let cleaned = clean(&new.content, redact);
    if cleaned.text.is_empty() {
        return Err(EngineError::invalid("there is nothing to keep: the text is empty, private or our own"));
    }
    let kind = if matches!(new.scope, Scope::Task(..)) { Kind::Scratch } else { Kind::Fact };
    let draft = Draft {
        kind,
        scope: new.scope,
        content: cleaned.text,
        memory_type: Some(new.memory_type.to_owned()),
        session_id: None,
        role: None,
        importance: None,
        confidence: None,
        event_time: None,
        origin: Origin::from(new.origin),
        tags: new.tags,
        source_ids: Vec::new(),
        attributes: crate::capture::clean_attributes(new.attributes, redact),
        client_id: None,
        explicit: ctx.actor() == "user",
    };
    Ok(prepare(ctx, draft)?.memory)
}
