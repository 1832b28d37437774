//! Background work, done now.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::schedule::drain;
use crate::{Ctx, Result};

/// Do the background work that is due, now.
///
/// It ends when nothing is due any more. Work that failed waits for its next try, and is not waited for.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JobsRunInput {
    /// Stop taking new jobs after this many milliseconds; when nothing is due any more, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_ms: Option<u64>,
}

/// What got done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobsRunOutput {
    /// Jobs done.
    pub done: usize,
    /// Tries that failed.
    pub failed: usize,
    /// Jobs that wait for a model that is away.
    pub postponed: usize,
    /// Jobs that are still due.
    pub left: usize,
}

/// `jobs.run`.
pub struct JobsRun;

impl Operation for JobsRun {
    type Input = JobsRunInput;
    type Output = JobsRunOutput;
    const NAME: &'static str = "jobs.run";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["jobs", "run"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = "  scrubjay jobs run";

    async fn run(ctx: &Ctx, input: JobsRunInput) -> Result<JobsRunOutput> {
        let drained = drain(ctx, input.budget_ms.map_or(Duration::MAX, Duration::from_millis)).await?;
        Ok(JobsRunOutput {
            done: drained.done,
            failed: drained.failed,
            postponed: drained.postponed,
            left: drained.left,
        })
    }
}
