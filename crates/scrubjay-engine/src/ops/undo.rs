//! Taking a change back.

use schemars::JsonSchema;
use scrubjay_core::id::RunId;
use scrubjay_store::change::UndoTarget;
use serde::{Deserialize, Serialize};

use super::operation::{Operation, Risk, Surfaces};
use super::pick::memory_id;
use crate::{Ctx, EngineError, Result, project_life};

/// Undo the last change, the last change of a memory, or a whole run.
///
/// Repeating it goes further back. Undoing a run that was itself an undo does the change again.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UndoInput {
    /// A memory's id or a run's; the last change here if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "ID"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// What was undone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndoOutput {
    /// The run that was undone.
    pub undone: String,
    /// Its operation.
    pub operation: String,
    /// The memories it had changed.
    pub ids: Vec<String>,
    /// How many changes were taken back.
    pub changes: usize,
    /// The run of this undo; undoing it does the change again.
    pub run: String,
}

/// `undo`.
pub struct Undo;

impl Operation for Undo {
    type Input = UndoInput;
    type Output = UndoOutput;
    const NAME: &'static str = "undo";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["undo"], http: true, mcp: None };

    async fn run(ctx: &Ctx, input: UndoInput) -> Result<UndoOutput> {
        let target = match input.target.as_deref() {
            None => UndoTarget::Last,
            Some(text) if text.starts_with("run_") => {
                UndoTarget::Run(text.parse::<RunId>().map_err(EngineError::invalid)?)
            }
            Some(text) => UndoTarget::Memory(memory_id(text)?),
        };
        let stamp = ctx.stamp(Self::NAME)?;
        let run = stamp.run.to_string();
        let undone = ctx.store().await?.undo(ctx.view(), stamp, target).await?;
        project_life::take_back(ctx, &undone.run.to_string(), &undone.operation, &run).await?;
        Ok(UndoOutput {
            undone: undone.run.to_string(),
            operation: undone.operation,
            ids: undone.memories.iter().map(ToString::to_string).collect(),
            changes: undone.changes,
            run,
        })
    }
}
