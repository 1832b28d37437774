//! Noting something in a task.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::memory::{Kind, Origin, OriginKind};
use scrubjay_core::scope::Scope;
use scrubjay_store::change::{Applied, Change};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::capture::{Draft, check_size, clean, prepare};
use crate::clean::clean_attributes;
use crate::queue::after_writing;
use crate::tiers::{current, standing_in};
use crate::{Ctx, EngineError, Result};

/// Note something in a task: reasoning, a tool's output, a plan.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskAddInput {
    /// What to note.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TEXT", "stdin": true}))]
    pub content: String,
    /// The task; the only open one, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Its type: reasoning, tool_output, stage_output or another.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<String>,
    /// The stage of the task it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The tool whose output it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// How much it matters, 1 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// A label; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "tag", "short": "t"}))]
    pub tags: Vec<String>,
    /// Free metadata, NAME=VALUE; may be given several times.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-cli" = {"long": "attribute", "value": "NAME=VALUE"}))]
    pub attributes: BTreeMap<String, Value>,
}

/// The note.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskAddOutput {
    /// The note's id.
    pub id: String,
    /// The task it is in.
    pub task: String,
    /// What was taken out of the text.
    pub warnings: Vec<String>,
}

/// `task.add`.
pub struct TaskAdd;

impl Operation for TaskAdd {
    type Input = TaskAddInput;
    type Output = TaskAddOutput;
    const NAME: &'static str = "task.add";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["task", "add"], http: true, mcp: None };
    const GROUP: Group = Group::Tasks;
    const EXAMPLES: &'static str = r#"  scrubjay task add "The clock is mocked twice"
  scrubjay task add --task flaky-test --stage plan "First make it fail every time"
  cargo test 2>&1 | tail -n 20 | scrubjay task add --tool cargo"#;

    async fn run(ctx: &Ctx, input: TaskAddInput) -> Result<TaskAddOutput> {
        check_size(ctx, &input.content)?;
        let redact = ctx.config().settings.capture.redact;
        let cleaned = clean(&input.content, redact);
        if cleaned.text.is_empty() {
            return Err(EngineError::invalid("there is nothing to note: the text is empty, private or our own"));
        }
        let task = current(ctx, input.task.as_deref()).await?;
        let there = standing_in(ctx, task.id.as_str()).await?;
        let mut attributes = input.attributes;
        for (name, value) in [("stage", &input.stage), ("tool", &input.tool)] {
            if let Some(value) = value {
                attributes.insert(name.to_owned(), Value::String(value.clone()));
            }
        }
        let is_output = input.tool.is_some() || input.memory_type.as_deref() == Some("tool_output");
        let default_type = if is_output { "tool_output" } else { "reasoning" };
        let mut tags = input.tags;
        tags.extend(input.stage.into_iter().chain(input.tool));
        let draft = Draft {
            kind: Kind::Scratch,
            scope: Scope::Task(task.project.clone(), task.id.clone()),
            content: cleaned.text,
            memory_type: Some(input.memory_type.unwrap_or_else(|| default_type.to_owned())),
            session_id: None,
            role: None,
            importance: input.importance,
            confidence: None,
            event_time: None,
            origin: Origin::from(if is_output { OriginKind::Tool } else { OriginKind::Assistant }),
            tags,
            source_ids: Vec::new(),
            attributes: clean_attributes(attributes, redact),
            client_id: None,
            explicit: ctx.actor() == "user",
        };
        let new = prepare(&there, draft)?;
        let id = new.memory.id;
        let jobs = after_writing(&there, &new.memory.scope)?;
        let change = vec![Change::Create(Box::new(new))];
        let applied = there.store().await?.apply(there.view(), there.stamp(Self::NAME)?, change, jobs).await?;
        match applied.into_iter().next() {
            Some(Applied::Memory(_)) => {
                Ok(TaskAddOutput { id: id.to_string(), task: task.id.to_string(), warnings: cleaned.warnings })
            }
            _ => Err(EngineError::refused("this text was purged from the task and stays away")),
        }
    }
}
