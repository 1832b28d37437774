//! Beginning a task.

use schemars::JsonSchema;
use scrubjay_core::scope::TaskId;
use scrubjay_store::context::Task;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::capture::{clean, clean_id};
use crate::tiers::{current, new_task_id};
use crate::{Ctx, EngineError, Result};

/// Begin a task with notes of its own.
///
/// Its notes are seen from within the task alone and are gone when it ends; `promote` keeps one. With the name of a task that is over and without a title, that one is open again.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskBeginInput {
    /// What is to be done.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TITLE", "stdin": true}))]
    pub title: String,
    /// A name for it: a-z 0-9 . _ -; made from the title, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The conversation it is done in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRecord {
    /// Its name within the project.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// Its project.
    pub project: String,
    /// The scope of its notes.
    pub scope: String,
    /// The conversation it is done in.
    pub session_id: Option<String>,
    /// When it began.
    pub started_at: String,
    /// When it ended; null while it is open.
    pub ended_at: Option<String>,
}

impl From<&Task> for TaskRecord {
    fn from(task: &Task) -> Self {
        Self {
            id: task.id.to_string(),
            title: task.title.clone(),
            project: task.project.to_string(),
            scope: format!("task/{}/{}", task.project, task.id),
            session_id: task.session_id.clone(),
            started_at: task.started_at.to_string(),
            ended_at: task.ended_at.map(|at| at.to_string()),
        }
    }
}

/// `task.begin`.
pub struct TaskBegin;

impl Operation for TaskBegin {
    type Input = TaskBeginInput;
    type Output = TaskRecord;
    const NAME: &'static str = "task.begin";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["task", "begin"], http: true, mcp: None };
    const GROUP: Group = Group::Tasks;
    const EXAMPLES: &'static str = r#"  scrubjay task begin "Fix the flaky test"
  scrubjay task begin --id flaky-test --session standup "Fix the flaky test""#;

    async fn run(ctx: &Ctx, input: TaskBeginInput) -> Result<TaskRecord> {
        let Some(project) = ctx.view().project_id().cloned() else {
            return Err(EngineError::invalid("tasks belong to a project; go into its folder or give --project ID"));
        };
        let redact = ctx.config().settings.capture.redact;
        let title = clean(&input.title, redact).text;
        let id: Option<TaskId> = input.id.map(|id| id.trim().parse()).transpose().map_err(EngineError::invalid)?;
        if let Some(id) = id.as_ref().filter(|_| title.is_empty()) {
            return again(ctx, id).await;
        }
        if title.is_empty() {
            return Err(EngineError::invalid("say what is to be done: `scrubjay task begin \"Fix the flaky test\"`"));
        }
        if title.chars().count() > 2000 {
            return Err(EngineError::invalid("the title has more than 2000 characters; put the details into notes"));
        }
        let id = match id {
            Some(id) => id,
            None => new_task_id(ctx, &title).await?,
        };
        let session_id = input.session.map(|session| clean_id(&session, redact)).filter(|text| !text.is_empty());
        let task = Task { id, project, title, session_id, started_at: ctx.now(), ended_at: None };
        ctx.store().await?.begin_task(task.clone()).await?;
        Ok(TaskRecord::from(&task))
    }
}

// A task that is over is opened again; what its end cleared, `undo` brings back.
async fn again(ctx: &Ctx, id: &TaskId) -> Result<TaskRecord> {
    let mut task = current(ctx, Some(id.as_str())).await?;
    if task.ended_at.is_none() {
        return Err(EngineError::refused(format!("the task `{id}` is open already")));
    }
    ctx.store().await?.reopen_task(ctx.view(), id).await?;
    task.ended_at = None;
    Ok(TaskRecord::from(&task))
}
