//! What hooks left behind, thrown away.

use schemars::JsonSchema;
use scrubjay_core::count::counted;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::spool::folder;
use crate::{Ctx, EngineError, Result};

/// Delete for good what was set aside.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpoolDiscardInput {
    /// What to delete, as `spool` calls it.
    #[schemars(extend("x-cli" = {"positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
    /// Really delete it.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// What was deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpoolDiscardOutput {
    /// As it was called.
    pub ids: Vec<String>,
}

/// `spool.discard`.
pub struct SpoolDiscard;

impl Operation for SpoolDiscard {
    type Input = SpoolDiscardInput;
    type Output = SpoolDiscardOutput;
    const NAME: &'static str = "spool.discard";
    const RISK: Risk = Risk::Destroy;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["spool", "discard"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = "  scrubjay spool discard --yes 0000000000000-0.json";

    async fn run(ctx: &Ctx, input: SpoolDiscardInput) -> Result<SpoolDiscardOutput> {
        if input.ids.is_empty() {
            return Err(EngineError::invalid("say what to delete; `scrubjay spool` lists what was set aside"));
        }
        let spool = folder(ctx);
        let known = spool.aside();
        if let Some(id) = input.ids.iter().find(|id| known.iter().all(|found| &found.id != *id)) {
            let message = format!("nothing called `{id}` was set aside; `scrubjay spool` lists what was");
            return Err(EngineError::not_found(message));
        }
        if !input.yes {
            let what = counted(input.ids.len() as u64, "message or file", "messages or files");
            let message = format!("this deletes {what} for good; repeat with --yes");
            return Err(EngineError::refused(message));
        }
        for id in &input.ids {
            spool.discard(id)?;
        }
        Ok(SpoolDiscardOutput { ids: input.ids })
    }
}
