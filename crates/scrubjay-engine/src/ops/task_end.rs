//! Ending a task.

use schemars::JsonSchema;
use scrubjay_core::memory::{Kind, Origin, OriginKind};
use scrubjay_core::scope::Scope;
use scrubjay_store::change::{Applied, Change};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::capture::{Draft, check_size, clean, prepare};
use crate::confine::is_high_risk;
use crate::queue::after_writing;
use crate::record::memory_id;
use crate::tiers::{clear_changes, current, inside, promoted};
use crate::{Ctx, EngineError, Result};

/// End a task; its notes go, except those that are promoted.
///
/// Promotion and clearing are one run: both are done, or neither. `undo` opens the task again, with its notes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskEndInput {
    /// The task; the only open one, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "TASK"}))]
    pub task: Option<String>,
    /// A note to keep in the project; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"id": "memory", "long": "promote", "value": "ID"}))]
    pub promote: Vec<String>,
    /// What was done, in two or three sentences; kept as an episode of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// What is left of the task.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskEndOutput {
    /// The task.
    pub task: String,
    /// How many notes went.
    pub cleared: usize,
    /// The memories that were made from notes.
    pub promoted: Vec<String>,
    /// The episode that tells what was done.
    pub episode: Option<String>,
    /// The run in which it was done.
    pub run: Option<String>,
    /// What was taken out of the summary.
    pub warnings: Vec<String>,
}

/// `task.end`.
pub struct TaskEnd;

impl Operation for TaskEnd {
    type Input = TaskEndInput;
    type Output = TaskEndOutput;
    const NAME: &'static str = "task.end";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["task", "end"], http: true, mcp: None };
    const GROUP: Group = Group::Tasks;
    const EXAMPLES: &'static str = r#"  scrubjay task end
  scrubjay task end flaky-test --promote tmp_2b7e91c4 --summary "The test mocked the clock twice; it is steady now.""#;

    async fn run(ctx: &Ctx, input: TaskEndInput) -> Result<TaskEndOutput> {
        let task = current(ctx, input.task.as_deref()).await?;
        if task.ended_at.is_some() {
            return Err(EngineError::refused(format!("the task `{}` is over already", task.id)));
        }
        let there = inside(ctx, &task)?;
        let store = there.store().await?;
        let project = Scope::Project(task.project.clone());
        let mut output = TaskEndOutput { task: task.id.to_string(), ..TaskEndOutput::default() };
        let mut changes = Vec::new();
        for id in &input.promote {
            let note = store.get(there.view(), memory_id(id)?).await?.ok_or_else(|| super::show::missing(id))?;
            let new = promoted(&there, &note, project.clone(), None, None)?;
            if is_high_risk(&project, &new.memory.memory_type, new.memory.origin.kind) && !ctx.is_consented() {
                let message =
                    format!("{id} is a preference from a tool or the web; `scrubjay promote {id}` asks for it");
                return Err(EngineError::refused(message));
            }
            output.promoted.push(new.memory.id.to_string());
            changes.push(Change::Create(Box::new(new)));
        }
        if let Some(summary) = &input.summary {
            check_size(ctx, summary)?;
            let cleaned = clean(summary, ctx.config().settings.capture.redact);
            if cleaned.text.is_empty() {
                return Err(EngineError::invalid("the summary is empty; leave it out or say what was done"));
            }
            output.warnings = cleaned.warnings;
            let draft = Draft {
                kind: Kind::Episode,
                scope: project.clone(),
                content: cleaned.text,
                memory_type: Some("task_complete".to_owned()),
                session_id: task.session_id.clone(),
                role: None,
                importance: None,
                confidence: None,
                event_time: None,
                origin: Origin::from(if ctx.actor() == "user" { OriginKind::User } else { OriginKind::Assistant }),
                tags: vec!["task".to_owned()],
                source_ids: Vec::new(),
                attributes: [("task".to_owned(), json!(task.title)), ("task_id".to_owned(), json!(task.id.as_str()))]
                    .into(),
                client_id: None,
                explicit: ctx.actor() == "user",
            };
            let new = prepare(ctx, draft)?;
            output.episode = Some(new.memory.id.to_string());
            changes.push(Change::Create(Box::new(new)));
        }
        let clear = clear_changes(&there, &task).await?;
        output.cleared = clear.len();
        changes.extend(clear);
        if !changes.is_empty() {
            let stamp = there.stamp(Self::NAME)?;
            output.run = Some(stamp.run.to_string());
            let jobs = after_writing(&there, &project)?;
            let applied = store.apply(there.view(), stamp, changes, jobs).await?;
            if applied.iter().any(|applied| matches!(applied, Applied::Purged)) {
                output.warnings.push("a text that was purged from the project stays away".to_owned());
            }
        }
        // Last, so that a crash before it leaves a task that can be ended again.
        store.end_task(there.view(), &task.id, ctx.now()).await?;
        Ok(output)
    }
}
