//! Protecting what is certain.

use schemars::JsonSchema;
use scrubjay_core::memory::{Confidence, DecayRate, Kind};
use scrubjay_store::change::{Applied, Change, Patch};
use serde::{Deserialize, Serialize};

use super::MemoryRecord;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::tool::Tool;
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Confirm a fact, so that it never fades.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmInput {
    /// The fact that is certain.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "ID"}, "x-mcp" = "The fact's id, from search_memory."))]
    pub id: String,
}

/// The fact as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmOutput {
    /// The fact.
    pub memory: MemoryRecord,
}

/// `confirm`.
pub struct Confirm;

impl Operation for Confirm {
    type Input = ConfirmInput;
    type Output = ConfirmOutput;
    const NAME: &'static str = "confirm";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["confirm"], http: true, mcp: Some("confirm_fact") };
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = "  scrubjay confirm fact_2b7e91c4";
    const TOOL: Tool =
        Tool { about: "Protect a fact that proved right, so that it never fades.", required: &["id"], optional: &[] };

    async fn run(ctx: &Ctx, input: ConfirmInput) -> Result<ConfirmOutput> {
        let id = memory_id(&input.id)?;
        let store = ctx.store().await?;
        let memory = store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(&input.id))?;
        if memory.kind() != Kind::Fact {
            return Err(EngineError::invalid(format!(
                "{id} is an {}; only facts fade, so only facts are confirmed",
                memory.kind()
            )));
        }
        if !memory.is_active() {
            return Err(EngineError::refused(format!("{id} ended; `scrubjay restore {id}` makes it active first")));
        }
        let patch = Patch {
            confidence: Some(Confidence::FULL.value()),
            decay_rate: Some(DecayRate::PROTECTED.value()),
            ..Patch::default()
        };
        let change = Change::Update { id, expected_version: Some(memory.version), patch: Box::new(patch) };
        let applied = store.apply(ctx.view(), ctx.stamp(Self::NAME)?, vec![change], Vec::new()).await?;
        match applied.into_iter().next() {
            Some(Applied::Memory(memory)) => Ok(ConfirmOutput { memory: MemoryRecord::at(&memory, ctx.now()) }),
            _ => Err(EngineError::defect("nothing was changed")),
        }
    }
}
