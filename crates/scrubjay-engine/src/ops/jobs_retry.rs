//! Background work, once more.

use schemars::JsonSchema;
use scrubjay_core::id::JobId;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::{Ctx, EngineError, Result};

/// Queue jobs again that failed too often.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JobsRetryInput {
    /// The job; all that are parked if not given.
    #[schemars(extend("x-cli" = {"id": "job", "positional": "optional", "value": "ID"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// What was queued.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobsRetryOutput {
    /// How many jobs.
    pub queued: usize,
}

/// `jobs.retry`.
pub struct JobsRetry;

impl Operation for JobsRetry {
    type Input = JobsRetryInput;
    type Output = JobsRetryOutput;
    const NAME: &'static str = "jobs.retry";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["jobs", "retry"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = r#"  scrubjay jobs retry
  scrubjay jobs retry job_2b7e91c4"#;

    async fn run(ctx: &Ctx, input: JobsRetryInput) -> Result<JobsRetryOutput> {
        let id = input.id.map(|text| text.parse::<JobId>()).transpose().map_err(EngineError::invalid)?;
        Ok(JobsRetryOutput { queued: ctx.store().await?.retry_jobs(ctx.view(), id, ctx.now()).await? })
    }
}
