//! Answering what waits.

use schemars::JsonSchema;
use scrubjay_core::id::ConfirmationId;
use scrubjay_core::scope::View;
use scrubjay_store::context::{Confirmation, ConfirmationState, Settlement};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::confirmations_list::place_of;
use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::registry::find;
use crate::{Ctx, EngineError, Result};

/// Say yes or no to something that waits for your confirmation.
///
/// Yes does it, where it was asked from. No drops it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmationsAnswerInput {
    /// The confirmation.
    #[schemars(extend("x-cli" = {"id": "confirmation", "positional": "one", "value": "CONFIRMATION"}))]
    pub id: String,
    /// yes or no.
    #[schemars(extend("enum" = ["yes", "no"], "x-cli" = {"positional": "one", "value": "ANSWER"}))]
    pub answer: String,
}

/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmationsAnswerOutput {
    /// The confirmation.
    pub id: String,
    /// `accepted` or `refused`.
    pub state: String,
    /// The operation that waited.
    pub operation: String,
    /// What it answered; null if it was refused.
    pub result: Value,
}

/// `confirmations.answer`.
pub struct ConfirmationsAnswer;

impl Operation for ConfirmationsAnswer {
    type Input = ConfirmationsAnswerInput;
    type Output = ConfirmationsAnswerOutput;
    const NAME: &'static str = "confirmations.answer";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["confirmations", "answer"], http: true, mcp: None };
    const GROUP: Group = Group::Tasks;
    const EXAMPLES: &'static str = "  scrubjay confirmations answer conf_2b7e91c4 yes";

    async fn run(ctx: &Ctx, input: ConfirmationsAnswerInput) -> Result<ConfirmationsAnswerOutput> {
        let id: ConfirmationId = input.id.trim().parse().map_err(EngineError::invalid)?;
        let said = match input.answer.as_str() {
            "yes" => Answer::Yes,
            "no" => Answer::No,
            other => return Err(EngineError::invalid(format!("`{other}` is no answer; say yes or no"))),
        };
        let settled = answer(&place_of(ctx, id).await?, id, said).await?;
        Ok(ConfirmationsAnswerOutput {
            id: id.to_string(),
            state: settled.state.name().to_owned(),
            operation: settled.operation,
            result: settled.result.unwrap_or_default(),
        })
    }
}

// What a person says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
}

// Answers a confirmation; yes runs the operation. Gives the confirmation as it stands then. Fails when whoever answers
// is not the owner in person, there is none, it is settled already, or the operation fails; then it waits again.
async fn answer(ctx: &Ctx, id: ConfirmationId, answer: Answer) -> Result<Confirmation> {
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
    let entry = find(&confirmation.operation).ok_or_else(|| {
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
