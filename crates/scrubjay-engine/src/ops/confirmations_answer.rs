//! Answering what waits.

use schemars::JsonSchema;
use scrubjay_core::id::ConfirmationId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::confirmations_list::place_of;
use super::operation::{Access, Operation, Risk, Surfaces};
use crate::tiers::{Answer, answer};
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
