//! Background work, dropped.

use schemars::JsonSchema;
use scrubjay_core::id::JobId;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::{Ctx, EngineError, Result};

/// Drop a job that is not running.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct JobsCancelInput {
    /// The job.
    #[schemars(extend("x-cli" = {"id": "job", "positional": "one", "value": "ID"}))]
    pub id: String,
}

/// The job that was dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobsCancelOutput {
    /// Its id.
    pub id: String,
}

/// `jobs.cancel`.
pub struct JobsCancel;

impl Operation for JobsCancel {
    type Input = JobsCancelInput;
    type Output = JobsCancelOutput;
    const NAME: &'static str = "jobs.cancel";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["jobs", "cancel"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = "  scrubjay jobs cancel job_2b7e91c4";

    async fn run(ctx: &Ctx, input: JobsCancelInput) -> Result<JobsCancelOutput> {
        let id: JobId = input.id.parse().map_err(EngineError::invalid)?;
        if !ctx.store().await?.cancel_job(ctx.view(), id).await? {
            return Err(EngineError::not_found(format!(
                "there is no job {id} here that could be dropped; `scrubjay jobs` lists them"
            )));
        }
        Ok(JobsCancelOutput { id: id.to_string() })
    }
}
