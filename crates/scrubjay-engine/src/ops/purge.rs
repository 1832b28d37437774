//! Destroying for good.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::Scope;
use scrubjay_store::Store;
use scrubjay_store::change::{PURGES, PURGES_IN_INDEX};
use scrubjay_store::item::ItemKey;
use scrubjay_store::query::{Activity, ListQuery};
use serde::{Deserialize, Serialize};

use super::operation::{Operation, Risk, Surfaces};
use super::pick::memory_id;
use crate::tiers::{current, inside};
use crate::{Ctx, EngineError, Result};

/// Destroy memories for good, with everything derived from them.
///
/// Text, search index, links, entities that only they mention and the contents of their history go. A hash stays, so that the same text is not learned again. Backups made earlier still hold them. This cannot be undone; to forget reversibly use `forget`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PurgeInput {
    /// The memories.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
    /// The task whose notes are meant; all of them if no ids are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Only say what would be destroyed.
    pub dry_run: bool,
    /// Really destroy them.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// What was destroyed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PurgeOutput {
    /// The memories, derived ones included.
    pub ids: Vec<String>,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
    /// What still holds copies.
    pub warnings: Vec<String>,
}

/// How often and how long to wait for a process that writes the index.
const INDEX_TRIES: usize = 100;
const INDEX_WAIT: Duration = Duration::from_millis(20);

/// `purge`.
pub struct Purge;

impl Operation for Purge {
    type Input = PurgeInput;
    type Output = PurgeOutput;
    const NAME: &'static str = "purge";
    const RISK: Risk = Risk::Destroy;
    const SURFACES: Surfaces = Surfaces { command: &["purge"], http: true, mcp: None };

    async fn run(ctx: &Ctx, input: PurgeInput) -> Result<PurgeOutput> {
        let ids: Vec<MemoryId> = input.ids.iter().map(|id| memory_id(id)).collect::<Result<_>>()?;
        let (ctx, ids) = match &input.task {
            Some(name) => {
                let there = inside(ctx, &current(ctx, Some(name)).await?)?;
                let ids = if ids.is_empty() { notes(&there).await? } else { ids };
                (there, ids)
            }
            None if ids.is_empty() => {
                return Err(EngineError::invalid("say which memories to destroy, by id, or a task with --task NAME"));
            }
            None => (ctx.clone(), ids),
        };
        let ctx = &ctx;
        let store = ctx.store().await?;
        let shown = |purged: &scrubjay_store::change::Purged| {
            purged.memories.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        if input.dry_run || !input.yes {
            let would = shown(&store.purge(ctx.view(), ctx.stamp(Self::NAME)?, ids, true).await?);
            if input.dry_run {
                return Ok(PurgeOutput { ids: would, dry_run: true, warnings: Vec::new() });
            }
            let message = format!(
                "this destroys {} memories for good (derived ones included); repeat with --yes, or use `scrubjay forget`, which can be undone",
                would.len()
            );
            return Err(EngineError::refused(message));
        }
        let before = store.mark(PURGES).await?.unwrap_or(0);
        let purged = store.purge(ctx.view(), ctx.stamp(Self::NAME)?, ids, false).await?;
        let in_index = purge_index(ctx, &purged.items).await;
        if in_index.is_ok() {
            note_index_purged(&*store, before).await?;
        }
        let mut warnings = Vec::new();
        if purged.still_in_log {
            warnings.push(
                "another process is reading an earlier state of the store, so what was purged is still in the store's \
                 log file, though nothing finds it; it is wiped at the next write after that process has finished, \
                 or when the store is next opened"
                    .to_owned(),
            );
        }
        let older = crate::backups::list(ctx.home())?.len();
        if older > 0 {
            let folder = ctx.home().backups();
            warnings.push(format!("{older} earlier backups in {} still hold what was purged", folder.display()));
        }
        if let Err(why) = in_index {
            let what = "vectors of what was purged may still be in the index files, though nothing finds them";
            warnings
                .push(format!("{what} ({why}); they go when the daemon next looks, or by `scrubjay doctor --repair`"));
        }
        Ok(PurgeOutput { ids: shown(&purged), dry_run: false, warnings })
    }
}

// Every note of the task that the context stands in, whether it ended or not.
async fn notes(ctx: &Ctx) -> Result<Vec<MemoryId>> {
    let filter = Filter::default().and_equal(Field::Kind, Kind::Scratch.name());
    let mut query = ListQuery { filter, activity: Activity::Any, limit: 1000, ..ListQuery::default() };
    let store = ctx.store().await?;
    let mut ids = Vec::new();
    loop {
        let page = store.list(ctx.view(), query.clone()).await?;
        let in_task = |memory: &&Memory| matches!(memory.scope, Scope::Task(..));
        ids.extend(page.memories.iter().filter(in_task).map(|memory| memory.id));
        match page.next {
            Some(next) => query.after = Some(next),
            None if ids.is_empty() => return Err(EngineError::not_found("the task has no notes")),
            None => return Ok(ids),
        }
    }
}

// If another purge is not in the index yet, whoever finishes it makes the files
// anew, and counts this one too.
async fn note_index_purged(store: &dyn Store, before: u64) -> Result<()> {
    let now = store.mark(PURGES).await?.unwrap_or(0);
    if now == before + 1 && store.mark(PURGES_IN_INDEX).await?.unwrap_or(0) == before {
        store.set_mark(PURGES_IN_INDEX, now).await?;
    }
    Ok(())
}

// The index holds no text, but vectors tell a good deal about one.
async fn purge_index(ctx: &Ctx, items: &[(Scope, ItemKey)]) -> std::result::Result<(), String> {
    let mut by_scope: BTreeMap<String, Vec<ItemKey>> = BTreeMap::new();
    for (scope, key) in items {
        by_scope.entry(scope.to_string()).or_default().push(*key);
    }
    let index = ctx.index().await.map_err(|error| error.to_string())?;
    for _ in 0..INDEX_TRIES {
        if index.purge(&by_scope).map_err(|error| error.to_string())? {
            return Ok(());
        }
        tokio::time::sleep(INDEX_WAIT).await;
    }
    Err("another process is writing them".to_owned())
}
