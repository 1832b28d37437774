//! What hooks left behind, once more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::spool::folder;
use crate::{Ctx, Result};

/// Put what was set aside back into the spool, to be taken in.
///
/// What cannot be used then is set aside again. A message whose project nobody knows goes to the project at hand.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpoolRetryInput {
    /// What to try again, as `spool` calls it; everything that can be, if not given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
}

/// What was put back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpoolRetryOutput {
    /// What waits to be taken in now.
    pub ids: Vec<String>,
    /// What could not be put back, and why.
    pub warnings: Vec<String>,
}

/// `spool.retry`.
pub struct SpoolRetry;

impl Operation for SpoolRetry {
    type Input = SpoolRetryInput;
    type Output = SpoolRetryOutput;
    const NAME: &'static str = "spool.retry";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["spool", "retry"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = "  scrubjay spool retry";

    async fn run(ctx: &Ctx, input: SpoolRetryInput) -> Result<SpoolRetryOutput> {
        let spool = folder(ctx);
        let project = ctx.view().project_id().map(ToString::to_string);
        let mut output = SpoolRetryOutput::default();
        if input.ids.is_empty() {
            for found in spool.aside() {
                match spool.retry(&found.id, project.as_deref()) {
                    Ok(()) => output.ids.push(found.id),
                    Err(error) => output.warnings.push(error.to_string()),
                }
            }
            return Ok(output);
        }
        for id in input.ids {
            spool.retry(&id, project.as_deref())?;
            output.ids.push(id);
        }
        Ok(output)
    }
}
