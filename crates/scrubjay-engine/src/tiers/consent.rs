//! Writes that a person must allow.
//!
//! A write that needs consent and has none is kept as what it is: an operation
//! with its input. Nothing of it is applied until someone answers yes; then the
//! operation runs, standing where it was asked from. Its texts are emptied as
//! soon as the matter is settled.

use scrubjay_core::id::ConfirmationId;
use scrubjay_core::memory::{MemoryType, OriginKind};
use scrubjay_core::scope::Scope;
use scrubjay_store::context::{Confirmation, ConfirmationState};
use serde_json::Value;

use crate::confine::is_high_risk;
use crate::{Ctx, EngineError, Result};

const HOUR_MS: i64 = 3_600_000;

/// Whether something may be done without asking a person.
pub trait Ask {
    /// Whether the owner has consented: by answering a confirmation, or by saying
    /// so in person. An agent or a token that says yes for someone counts for
    /// nothing.
    fn has_consent(&self, yes: bool) -> bool;

    /// Whether a write of this type in this scope has to wait for the owner: it
    /// is out of the caller's reach, or steers every agent and nobody consented.
    fn must_ask(&self, scope: &Scope, memory_type: &MemoryType, origin: OriginKind, yes: bool) -> bool;
}

impl Ask for Ctx {
    fn has_consent(&self, yes: bool) -> bool {
        self.need_owner("consent").is_ok() && (self.is_consented() || (yes && self.actor() == "user"))
    }

    fn must_ask(&self, scope: &Scope, memory_type: &MemoryType, origin: OriginKind, yes: bool) -> bool {
        !self.may_write(scope, memory_type) || (is_high_risk(scope, memory_type, origin) && !self.has_consent(yes))
    }
}

/// How many questions of callers who are not the owner may wait at once in one
/// place; the owner has to read them all.
const PROPOSALS: usize = 100;

/// Puts an operation off until the owner answers. The input must be clean.
///
/// # Errors
/// When the store fails, or too much waits already.
pub async fn ask(ctx: &Ctx, operation: &str, input: Value, question: String) -> Result<ConfirmationId> {
    let now = ctx.now();
    if ctx.need_owner("asking without end").is_err() {
        let store = ctx.store().await?;
        let waiting = store.confirmations(ctx.view(), Some(ConfirmationState::Waiting), PROPOSALS).await?;
        if waiting.iter().filter(|one| one.expires_at > now).count() >= PROPOSALS {
            let message = format!("{PROPOSALS} questions to the owner wait here already; propose this after an answer");
            return Err(EngineError::refused(message));
        }
    }
    let hours = i64::try_from(ctx.config().settings.confirmations.expire_hours).unwrap_or(i64::MAX / HOUR_MS);
    let id = ConfirmationId::from(ctx.uuid()?);
    let confirmation = Confirmation {
        id,
        scope: ctx.view().home(),
        operation: operation.to_owned(),
        input,
        question,
        actor: ctx.actor().to_owned(),
        created_at: now,
        expires_at: now.plus_millis(hours.saturating_mul(HOUR_MS)),
        state: ConfirmationState::Waiting,
        answered_at: None,
        answered_by: None,
        result: None,
    };
    ctx.store().await?.put_confirmation(confirmation).await?;
    Ok(id)
}
