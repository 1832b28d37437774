//! Lifting something into a wider scope.

use schemars::JsonSchema;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory, Relation};
use scrubjay_core::scope::Scope;
use scrubjay_store::change::{Applied, Change};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::memory_types::policy;
use crate::queue::after_writing;
use crate::record::memory_id;
use crate::tiers::{Ask, ask, evict, inside, promoted, standing_in};
use crate::{Ctx, EngineError, Result};

/// Lift a memory from a task to its project, or from a project to all projects.
///
/// It becomes a new memory there, linked to the one it was made from, which stays. Nothing is ever promoted by itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PromoteInput {
    /// The memory.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "ID"}))]
    pub id: String,
    /// Where to: project or global; one step wider, if not given.
    #[schemars(extend("enum" = ["project", "global"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The task it is a note of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Another type for it there.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<String>,
    /// Another importance for it there, 1 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// You, a person, want this preference for all projects; otherwise it waits for your confirmation.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PromoteOutput {
    /// The new memory; null if it waits.
    pub id: Option<String>,
    /// The memory it was made from.
    pub from: String,
    /// Where it lives now.
    pub scope: String,
    /// The run, for undoing it.
    pub run: Option<String>,
    /// The confirmation it waits for.
    pub pending: Option<String>,
    /// What was noticed.
    pub warnings: Vec<String>,
}

/// `promote`.
pub struct Promote;

impl Operation for Promote {
    type Input = PromoteInput;
    type Output = PromoteOutput;
    const NAME: &'static str = "promote";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["promote"], http: true, mcp: None };
    const GROUP: Group = Group::Tasks;
    const EXAMPLES: &'static str = r#"  scrubjay promote tmp_2b7e91c4 --type decision
  scrubjay promote fact_2b7e91c4 --to global"#;

    async fn run(ctx: &Ctx, input: PromoteInput) -> Result<PromoteOutput> {
        let id = memory_id(&input.id)?;
        let ctx = &match &input.task {
            Some(task) => standing_in(ctx, task).await?,
            None => task_of(ctx, id).await?,
        };
        let store = ctx.store().await?;
        let memory = store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(&input.id))?;
        let target = target(ctx, &memory, input.to.as_deref())?;
        let new = promoted(ctx, &memory, target.clone(), input.memory_type.clone(), input.importance)?;
        let mut output = PromoteOutput { from: id.to_string(), scope: target.to_string(), ..PromoteOutput::default() };
        if let Some(known) = already(ctx, &memory, &target).await? {
            output.warnings.push("it was promoted there before; nothing changed".to_owned());
            output.id = Some(known.id.to_string());
            return Ok(output);
        }
        if ctx.must_ask(&target, &new.memory.memory_type, new.memory.origin.kind, input.yes) {
            let question = format!("Keep “{}” as a {} for all projects", memory.content, new.memory.memory_type);
            let later = json!({
                "id": input.id, "to": input.to, "task": input.task, "type": new.memory.memory_type.as_str(),
                "importance": input.importance,
            });
            output.pending = Some(ask(ctx, Self::NAME, later, question).await?.to_string());
            return Ok(output);
        }
        let stamp = ctx.stamp(Self::NAME)?;
        output.run = Some(stamp.run.to_string());
        let counted = policy(&new.memory.memory_type).is_counted;
        let jobs = after_writing(ctx, &target)?;
        let applied = store.apply(ctx.view(), stamp, vec![Change::Create(Box::new(new))], jobs).await?;
        match applied.into_iter().next() {
            Some(Applied::Memory(memory)) => output.id = Some(memory.id.to_string()),
            Some(Applied::Purged) => {
                return Err(EngineError::refused("this text was purged there; a person can remember it again"));
            }
            _ => return Err(EngineError::defect("nothing was stored")),
        }
        if counted {
            evict(ctx, &target).await?;
        }
        Ok(output)
    }
}

// Where a note can be seen from: the open task that has it, or here.
async fn task_of(ctx: &Ctx, id: MemoryId) -> Result<Ctx> {
    let store = ctx.store().await?;
    if id.kind() == Kind::Scratch && store.get(ctx.view(), id).await?.is_none() {
        for task in store.tasks(ctx.view(), true, 100).await? {
            let there = inside(ctx, &task)?;
            if store.get(there.view(), id).await?.is_some() {
                return Ok(there);
            }
        }
    }
    Ok(ctx.clone())
}

fn target(ctx: &Ctx, memory: &Memory, to: Option<&str>) -> Result<Scope> {
    match (to, &memory.scope) {
        (Some(name), _) => ctx.scope_named(Some(name)),
        (None, Scope::Task(project, _)) => Ok(Scope::Project(project.clone())),
        (None, _) => Ok(Scope::Global),
    }
}

// A memory in the target that was made from this one and is still active.
async fn already(ctx: &Ctx, memory: &Memory, target: &Scope) -> Result<Option<Memory>> {
    let store = ctx.store().await?;
    for link in store.links(ctx.view(), memory.id).await? {
        if link.relation != Relation::DerivedFrom || link.to != memory.id {
            continue;
        }
        let known = store.get(ctx.view(), link.from).await?;
        if let Some(known) = known.filter(|known| known.is_active() && known.scope == *target) {
            return Ok(Some(known));
        }
    }
    Ok(None)
}
