//! Lifting something into a wider scope.

use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::Scope;
use scrubjay_store::change::NewMemory;

use crate::capture::{Draft, prepare};
use crate::{Ctx, EngineError, Result};

/// The memory that a promotion makes: new, in the wider scope, derived from the
/// one that is promoted. Where its text came from stays known.
///
/// # Errors
/// When the target is not wider.
pub fn promoted(
    ctx: &Ctx,
    memory: &Memory,
    target: Scope,
    memory_type: Option<String>,
    importance: Option<f64>,
) -> Result<NewMemory> {
    let wider = match (&memory.scope, &target) {
        (Scope::Task(..), Scope::Project(_) | Scope::Global) | (Scope::Project(_), Scope::Global) => true,
        (Scope::Task(..) | Scope::Project(_) | Scope::Global, _) => false,
    };
    if !wider {
        let message = format!("{} lives in {}; it can only be promoted to something wider", memory.id, memory.scope);
        return Err(EngineError::invalid(message));
    }
    if !memory.is_active() {
        return Err(EngineError::invalid(format!("{} has ended; restore it first", memory.id)));
    }
    let kind = if memory.kind() == Kind::Reflection { Kind::Reflection } else { Kind::Fact };
    let draft = Draft {
        kind,
        scope: target,
        content: memory.content.clone(),
        memory_type: Some(memory_type.unwrap_or_else(|| memory.memory_type.to_string())),
        session_id: memory.session_id.clone(),
        role: None,
        importance: importance.or(Some(memory.importance.value())),
        confidence: Some(memory.confidence.value()),
        event_time: Some(memory.event_time),
        origin: memory.origin.clone(),
        tags: memory.tags.clone(),
        source_ids: vec![memory.id],
        attributes: memory.attributes.clone(),
        client_id: None,
        explicit: ctx.actor() == "user",
    };
    prepare(ctx, draft)
}
