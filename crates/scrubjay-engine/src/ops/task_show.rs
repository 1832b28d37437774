//! What a task has noted.

use schemars::JsonSchema;
use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::scope::Scope;
use scrubjay_store::query::ListQuery;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::MemoryRecord;
use super::list::limit;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::task_begin::TaskRecord;
use crate::tiers::{current, inside};
use crate::{Ctx, Result};

/// How many notes are shown unless told otherwise.
const NOTES: usize = 100;

/// How many tasks are listed.
const TASKS: usize = 100;

/// Show a task and its notes, or all tasks of the project.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskShowInput {
    /// The task; without it, the tasks of the project are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "TASK"}))]
    pub task: Option<String>,
    /// Only notes of this stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Also tasks that are over.
    pub all: bool,
    /// How many notes at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
}

/// Tasks, and the notes of one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskShowOutput {
    /// The tasks, newest first.
    pub tasks: Vec<TaskRecord>,
    /// The notes of the task that was asked for, newest first.
    pub notes: Vec<MemoryRecord>,
}

/// `task.show`.
pub struct TaskShow;

impl Operation for TaskShow {
    type Input = TaskShowInput;
    type Output = TaskShowOutput;
    const NAME: &'static str = "task.show";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["task", "show"], http: true, mcp: None };
    const GROUP: Group = Group::Tasks;
    const EXAMPLES: &'static str = r#"  scrubjay task show
  scrubjay task show flaky-test --stage plan"#;

    async fn run(ctx: &Ctx, input: TaskShowInput) -> Result<TaskShowOutput> {
        let store = ctx.store().await?;
        let most = limit(input.limit, NOTES)?;
        let Some(name) = input.task else {
            let tasks = store.tasks(ctx.view(), !input.all, TASKS).await?;
            return Ok(TaskShowOutput { tasks: tasks.iter().map(TaskRecord::from).collect(), notes: Vec::new() });
        };
        let task = current(ctx, Some(&name)).await?;
        let there = inside(ctx, &task)?;
        let scope = Scope::Task(task.project.clone(), task.id.clone());
        let filter = Filter::default().and_equal(Field::Scope, scope.to_string());
        let mut notes =
            store.list(there.view(), ListQuery { filter, limit: 1000, ..ListQuery::default() }).await?.memories;
        if let Some(stage) = &input.stage {
            notes.retain(|note| note.attributes.get("stage").and_then(Value::as_str) == Some(stage.as_str()));
        }
        notes.truncate(most);
        Ok(TaskShowOutput {
            tasks: vec![TaskRecord::from(&task)],
            notes: notes.iter().map(|note| MemoryRecord::at(note, ctx.now())).collect(),
        })
    }
}
