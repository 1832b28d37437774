//! Background work, seen.

use schemars::JsonSchema;
use scrubjay_store::model::Batch;
use scrubjay_store::query::{Job, JobState};
use serde::{Deserialize, Serialize};

use super::list::limit;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::{Ctx, EngineError, Result};

/// List background work: what waits, what runs, what failed too often.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JobsInput {
    /// Only jobs in this state.
    #[schemars(extend("enum" = ["queued", "running", "parked"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
}

/// The jobs, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobsOutput {
    /// The jobs.
    pub jobs: Vec<JobRecord>,
    /// What a provider's batch service works on, for the owner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub batches: Vec<BatchRecord>,
}

/// Texts that a provider's batch service makes vectors of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchRecord {
    /// Our name for it.
    pub name: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// How many texts.
    pub items: usize,
    /// Whether the provider said that it has it.
    pub accepted: bool,
    /// How often it was submitted.
    pub tries: u32,
    /// When it was made.
    pub created_at: String,
    /// When something became of it last.
    pub updated_at: String,
}

impl From<&Batch> for BatchRecord {
    fn from(batch: &Batch) -> Self {
        Self {
            name: batch.name.clone(),
            provider: batch.provider.clone(),
            model: batch.model.clone(),
            items: batch.items.as_array().map_or(0, Vec::len),
            accepted: batch.remote_id.is_some(),
            tries: batch.tries,
            created_at: batch.created_at.to_string(),
            updated_at: batch.updated_at.to_string(),
        }
    }
}

/// A piece of background work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobRecord {
    /// Its id.
    pub id: String,
    /// What kind of work.
    pub kind: String,
    /// Whose work it is.
    pub scope: String,
    /// `queued`, `running` or `parked`.
    pub state: String,
    /// How often it was tried.
    pub tries: u32,
    /// Not before this time.
    pub run_after: String,
    /// Why the last try failed.
    pub last_error: Option<String>,
    /// When it was queued.
    pub created_at: String,
}

impl From<&Job> for JobRecord {
    fn from(job: &Job) -> Self {
        Self {
            id: job.id.to_string(),
            kind: job.kind.clone(),
            scope: job.scope.to_string(),
            state: job.state.name().to_owned(),
            tries: job.tries,
            run_after: job.run_after.to_string(),
            last_error: job.last_error.clone(),
            created_at: job.created_at.to_string(),
        }
    }
}

/// `jobs`.
pub struct Jobs;

impl Operation for Jobs {
    type Input = JobsInput;
    type Output = JobsOutput;
    const NAME: &'static str = "jobs";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["jobs"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = r#"  scrubjay jobs
  scrubjay jobs --state parked"#;

    async fn run(ctx: &Ctx, input: JobsInput) -> Result<JobsOutput> {
        let state = input.state.as_deref().map(state).transpose()?;
        let store = ctx.store().await?;
        let jobs = store.jobs(ctx.view(), state, limit(input.limit, 100usize)?).await?;
        // A batch holds texts of all projects.
        let is_told = state.is_none() && ctx.need_owner("seeing batches of all projects").is_ok();
        let batches = if is_told { store.batches().await? } else { Vec::new() };
        Ok(JobsOutput {
            jobs: jobs.iter().map(JobRecord::from).collect(),
            batches: batches.iter().map(BatchRecord::from).collect(),
        })
    }
}

fn state(text: &str) -> Result<JobState> {
    JobState::ALL
        .into_iter()
        .find(|state| state.name() == text)
        .ok_or_else(|| EngineError::invalid(format!("`{text}` is not a state; use queued, running or parked")))
}
