//! Writes that a person must allow.
//!
//! A write that needs consent and has none is kept as what it is: an operation
//! with its input. Nothing of it is applied until someone answers yes; then the
//! operation runs, standing where it was asked from. Its texts are emptied as
//! soon as the matter is settled.

use scrubjay_core::id::ConfirmationId;
use scrubjay_core::memory::{MemoryType, OriginKind};
use scrubjay_core::scope::{Scope, View};
use scrubjay_store::context::{Confirmation, ConfirmationState, Settlement};
use serde_json::Value;

use crate::{Ctx, EngineError, Result, ops};

const HOUR_MS: i64 = 3_600_000;

/// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Do it.
    Yes,
    /// Drop it.
    No,
}

/// Whether a memory of this type, scope and origin needs a person's consent: what
/// holds in every project and steers every agent, and a preference that a tool or
/// a web page put into someone's mouth.
#[must_use]
pub fn is_high_risk(scope: &Scope, memory_type: &MemoryType, origin: OriginKind) -> bool {
    memory_type.as_str() == "preference" && (*scope == Scope::Global || origin.is_foreign())
}

/// The same as a question of the caller: whether it may be done without asking.
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

/// Answers a confirmation; yes runs the operation. Gives the confirmation as it
/// stands then.
///
/// # Errors
/// When whoever answers is not the owner in person, there is none, it is settled
/// already, or the operation fails; then it waits again.
pub async fn answer(ctx: &Ctx, id: ConfirmationId, answer: Answer) -> Result<Confirmation> {
    if !ctx.is_person() {
        let message = "only the owner answers confirmations, in person; `scrubjay confirmations` at a terminal does";
        return Err(EngineError::refused(message));
    }
    let store = ctx.store().await?;
    store.expire_confirmations(ctx.now()).await?;
    let missing =
        || EngineError::not_found(format!("there is no {id} here; `scrubjay confirmations` lists what waits"));
    let found = store.confirmation(ctx.view(), id).await?.ok_or_else(missing)?;
    let interrupted = found.state == ConfirmationState::Accepted && found.result.is_none();
    if found.state != ConfirmationState::Waiting && !(interrupted && answer == Answer::Yes) {
        return Err(EngineError::refused(format!("{id} is {} already", found.state.name())));
    }
    let step = |from, to, result| Settlement { from, to, at: ctx.now(), by: ctx.actor().to_owned(), result };
    let settle =
        |settlement| async { Ok::<_, EngineError>(store.settle_confirmation(ctx.view(), id, settlement).await?) };
    match answer {
        Answer::No => {
            if !settle(step(ConfirmationState::Waiting, ConfirmationState::Refused, None)).await? {
                return Err(EngineError::refused(format!("{id} was answered meanwhile")));
            }
        }
        Answer::Yes => {
            // Whoever takes it first does it; a crash after this leaves it to be
            // answered again, and doing it twice changes nothing.
            let taken =
                interrupted || settle(step(ConfirmationState::Waiting, ConfirmationState::Accepted, None)).await?;
            if !taken {
                return Err(EngineError::refused(format!("{id} was answered meanwhile")));
            }
            match run(ctx, &found).await {
                Ok(result) => {
                    settle(step(ConfirmationState::Accepted, ConfirmationState::Accepted, Some(result))).await?;
                }
                Err(error) => {
                    settle(step(ConfirmationState::Accepted, ConfirmationState::Waiting, None)).await?;
                    return Err(error);
                }
            }
        }
    }
    store.confirmation(ctx.view(), id).await?.ok_or_else(missing)
}

async fn run(ctx: &Ctx, confirmation: &Confirmation) -> Result<Value> {
    let entry = ops::find(&confirmation.operation).ok_or_else(|| {
        EngineError::refused(format!("there is no operation `{}` any more; answer no", confirmation.operation))
    })?;
    let there = ctx.at(View::of(&confirmation.scope))?.with_consent();
    let mut input = confirmation.input.clone();
    // A key makes remembering idempotent.
    if confirmation.operation == "remember" && input.get("id").is_none() {
        input["id"] = Value::String(confirmation.id.to_string());
    }
    entry.call(&there, input).await
}
