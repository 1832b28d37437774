//! Taking a change back.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::scope::TaskId;
use scrubjay_core::snippet::snippet;
use scrubjay_store::change::{UndoTarget, Undone};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::MemoryRecord;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::record::memory_id;
use crate::tiers::{current, inside};
use crate::{Ctx, EngineError, Result, project_life};

/// How many memories are told with their texts.
const TOLD: usize = 20;

/// How much of a text is told.
const TEXT_CHARS: usize = 400;

/// Undo the last change, the last change of a memory, or a whole run.
///
/// Repeating it goes further back. Undoing a run that was itself an undo does the change again. A task that was ended is open again, with its notes.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UndoInput {
    /// A memory's id or a run's; the last change here if not given.
    #[schemars(extend("x-cli" = {"id": ["memory", "run"], "positional": "optional", "value": "ID"}))]
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
    /// What each memory was before the undo and is now; the first twenty.
    #[serde(default)]
    pub memories: Vec<UndoneMemory>,
    /// The task that is open again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
}

/// A memory that an undo changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndoneMemory {
    /// Its id.
    pub id: String,
    /// What it says now.
    pub content: String,
    /// The values that changed, as they were before the undo.
    pub before: Value,
    /// The same values now.
    pub after: Value,
}

/// `undo`.
pub struct Undo;

impl Operation for Undo {
    type Input = UndoInput;
    type Output = UndoOutput;
    const NAME: &'static str = "undo";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["undo"], http: true, mcp: None };
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r#"  scrubjay undo
  scrubjay undo fact_2b7e91c4
  scrubjay undo run_2b7e91c4"#;

    async fn run(ctx: &Ctx, input: UndoInput) -> Result<UndoOutput> {
        let target = match input.target.as_deref() {
            None => UndoTarget::Last,
            Some(text) if text.starts_with("run_") => {
                UndoTarget::Run(text.parse::<RunId>().map_err(EngineError::invalid)?)
            }
            Some(text) => UndoTarget::Memory(memory_id(text)?),
        };
        let task = task_of(ctx, target).await?;
        let there = match &task {
            Some(task) => inside(ctx, &current(ctx, Some(task.as_str())).await?)?,
            None => ctx.clone(),
        };
        let stamp = there.stamp(Self::NAME)?;
        let run = stamp.run;
        let store = there.store().await?;
        let undone = store.undo(there.view(), stamp, target).await?;
        project_life::take_back(ctx, &undone.run.to_string(), &undone.operation, &run.to_string()).await?;
        let mut opened = None;
        if let Some(task) = task.filter(|_| undone.operation == "task.end") {
            store.reopen_task(there.view(), &task).await?;
            opened = Some(task.to_string());
        }
        let memories = told(&there, &undone, run).await?;
        Ok(UndoOutput {
            undone: undone.run.to_string(),
            operation: undone.operation,
            ids: undone.memories.iter().map(ToString::to_string).collect(),
            changes: undone.changes,
            run: run.to_string(),
            memories,
            task: opened,
        })
    }
}

// Notes are seen from within their task only, so what changed them is undone from there.
async fn task_of(ctx: &Ctx, target: UndoTarget) -> Result<Option<TaskId>> {
    if ctx.view().task_id().is_some() {
        return Ok(None);
    }
    let store = ctx.store().await?;
    Ok(match target {
        UndoTarget::Last => store.task_of_run(ctx.view(), None).await?,
        UndoTarget::Run(run) => store.task_of_run(ctx.view(), Some(run)).await?,
        UndoTarget::Memory(_) => None,
    })
}

// What the undo found is in the history that it left.
async fn told(ctx: &Ctx, undone: &Undone, run: RunId) -> Result<Vec<UndoneMemory>> {
    let store = ctx.store().await?;
    let mut told = Vec::new();
    for id in undone.memories.iter().take(TOLD) {
        let Some(memory) = store.get(ctx.view(), *id).await? else { continue };
        let mut before: Map<String, Value> = Map::new();
        for entry in store.history(ctx.view(), *id).await?.into_iter().filter(|entry| entry.run == run) {
            let fields = serde_json::to_value(&entry.before.fields).unwrap_or_default();
            for (name, value) in fields.as_object().into_iter().flatten() {
                // Of several changes, the first found what was there before.
                before.entry(name.clone()).or_insert_with(|| shortened(value.clone()));
            }
        }
        let now = serde_json::to_value(MemoryRecord::at(&memory, ctx.now())).unwrap_or_default();
        let after: BTreeMap<&String, Value> =
            before.keys().map(|name| (name, shortened(value_of(&now, name)))).collect();
        told.push(UndoneMemory {
            id: MemoryId::to_string(id),
            content: snippet(&memory.content, 0, TEXT_CHARS).text,
            after: json!(after),
            before: Value::Object(before),
        });
    }
    Ok(told)
}

// History keeps the end of a memory as one value, a record as two.
fn value_of(record: &Value, name: &str) -> Value {
    match name {
        "ended" => match record.get("ended_by").filter(|by| !by.is_null()) {
            Some(by) => json!({"at": record.get("valid_until"), "by": by}),
            None => Value::Null,
        },
        _ => record.get(name).cloned().unwrap_or_default(),
    }
}

fn shortened(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(snippet(&text, 0, TEXT_CHARS).text),
        other => other,
    }
}
