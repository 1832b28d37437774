//! What happened to a memory.

use schemars::JsonSchema;
use scrubjay_store::change::HistoryEntry;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::record::memory_id;
use crate::{Ctx, Result};

/// Show everything that happened to a memory, oldest first.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct HistoryInput {
    /// The memory.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "ID"}))]
    pub id: String,
}

/// Its history.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryOutput {
    /// The memory.
    pub id: String,
    /// The changes, oldest first.
    pub changes: Vec<ChangeRecord>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeRecord {
    /// The memory's version after it.
    pub version: u64,
    /// When.
    pub at: String,
    /// Who.
    pub actor: String,
    /// The operation.
    pub operation: String,
    /// What it did: created, updated, ended, reopened, linked or unlinked.
    pub effect: String,
    /// The values that changed, as they were before.
    pub before: Value,
    /// The run it was part of; `undo` takes it.
    pub run: String,
    /// The run that undid it.
    pub undone_by: Option<String>,
}

/// `history`.
pub struct History;

impl Operation for History {
    type Input = HistoryInput;
    type Output = HistoryOutput;
    const NAME: &'static str = "history";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["history"], http: true, mcp: None };
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = "  scrubjay history fact_2b7e91c4";

    async fn run(ctx: &Ctx, input: HistoryInput) -> Result<HistoryOutput> {
        let id = memory_id(&input.id)?;
        let store = ctx.store().await?;
        store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(&input.id))?;
        let entries = store.history(ctx.view(), id).await?;
        Ok(HistoryOutput { id: id.to_string(), changes: entries.into_iter().map(record).collect() })
    }
}

fn record(entry: HistoryEntry) -> ChangeRecord {
    let mut before = serde_json::to_value(&entry.before.fields).unwrap_or_default();
    if let (Some(link), Some(fields)) = (&entry.before.link, before.as_object_mut()) {
        fields.insert("link".to_owned(), serde_json::to_value(link).unwrap_or_default());
    }
    ChangeRecord {
        version: entry.version,
        at: entry.at.to_string(),
        actor: entry.actor,
        operation: entry.operation,
        effect: entry.effect.name().to_owned(),
        before,
        run: entry.run.to_string(),
        undone_by: entry.undone_by.map(|run| run.to_string()),
    }
}
