//! Facts that a person must allow: a preference for all projects never comes about by itself.

use scrubjay_core::id::ConfirmationId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_store::change::NewMemory;
use scrubjay_store::context::{Confirmation, ConfirmationState};
use uuid::Uuid;

use crate::tiers::RememberInput;
use crate::{Ctx, EngineError, Result};

const HOUR_MS: i64 = 3_600_000;

/// The question whether to keep a fact. Its id follows from what it asks, so that nobody is asked twice, and what was
/// refused is not asked again.
pub(super) fn question(ctx: &Ctx, new: &NewMemory) -> Result<Confirmation> {
    let memory = &new.memory;
    let mut input = RememberInput::of(memory);
    input.attributes.remove("review");
    input.attributes.remove("run");
    let input = serde_json::to_value(input).map_err(|source| EngineError::Encode { operation: "remember", source })?;
    let mut hash = blake3::Hasher::new();
    hash.update(memory.content.as_bytes());
    for id in &memory.source_ids {
        hash.update(id.uuid().as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize().as_bytes()[..16]);
    let hours = i64::try_from(ctx.config().settings.confirmations.expire_hours).unwrap_or(i64::MAX / HOUR_MS);
    Ok(Confirmation {
        id: ConfirmationId::from(Uuid::from_bytes(bytes)),
        scope: Scope::Global,
        operation: "remember".to_owned(),
        input,
        question: format!("Keep “{}” as a {} for all projects", memory.content, memory.memory_type),
        actor: ctx.actor().to_owned(),
        created_at: ctx.now(),
        expires_at: ctx.now().plus_millis(hours.saturating_mul(HOUR_MS)),
        state: ConfirmationState::Waiting,
        answered_at: None,
        answered_by: None,
        result: None,
    })
}

/// Puts questions where people find them, each once.
pub(super) async fn ask(ctx: &Ctx, questions: &[Confirmation]) -> Result<()> {
    let store = ctx.store().await?;
    for question in questions {
        if store.confirmation(&View::global(), question.id).await?.is_none() {
            store.put_confirmation(question.clone()).await?;
        }
    }
    Ok(())
}
