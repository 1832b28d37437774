//! Bringing back what ended.

use schemars::JsonSchema;
use scrubjay_store::change::Change;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Make memories active again that were forgotten, corrected, evicted or faded.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct RestoreInput {
    /// The memories.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
}

/// What is active again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RestoreOutput {
    /// The memories.
    pub ids: Vec<String>,
}

/// `restore`.
pub struct Restore;

impl Operation for Restore {
    type Input = RestoreInput;
    type Output = RestoreOutput;
    const NAME: &'static str = "restore";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["restore"], http: true, mcp: None };
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = "  scrubjay restore fact_90d1f3a7";

    async fn run(ctx: &Ctx, input: RestoreInput) -> Result<RestoreOutput> {
        if input.ids.is_empty() {
            return Err(EngineError::invalid("say what to restore; `scrubjay list --ended` shows what ended"));
        }
        let mut changes = Vec::with_capacity(input.ids.len());
        for id in &input.ids {
            changes.push(Change::Reopen { id: memory_id(id)? });
        }
        ctx.store().await?.apply(ctx.view(), ctx.stamp(Self::NAME)?, changes, Vec::new()).await?;
        Ok(RestoreOutput { ids: input.ids })
    }
}
