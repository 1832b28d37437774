//! Destroying for good.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::Scope;
use scrubjay_store::item::ItemKey;
use serde::{Deserialize, Serialize};

use super::operation::{Operation, Risk, Surfaces};
use super::pick::memory_id;
use crate::{Ctx, EngineError, Result};

/// Destroy memories for good, with everything derived from them.
///
/// Text, search index, links, entities that only they mention and the contents of their history go. A hash stays, so that the same text is not learned again. Backups made earlier still hold them. This cannot be undone; to forget reversibly use `forget`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PurgeInput {
    /// The memories.
    #[schemars(extend("x-cli" = {"positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
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
        if input.ids.is_empty() {
            return Err(EngineError::invalid("say which memories to destroy, by id"));
        }
        let ids: Vec<MemoryId> = input.ids.iter().map(|id| memory_id(id)).collect::<Result<_>>()?;
        let store = ctx.store().await?;
        let shown = |purged: scrubjay_store::change::Purged| {
            purged.memories.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        if input.dry_run || !input.yes {
            let would = shown(store.purge(ctx.view(), ctx.stamp(Self::NAME)?, ids, true).await?);
            if input.dry_run {
                return Ok(PurgeOutput { ids: would, dry_run: true, warnings: Vec::new() });
            }
            let message = format!(
                "this destroys {} memories for good (derived ones included); repeat with --yes, or use `scrubjay forget`, which can be undone",
                would.len()
            );
            return Err(EngineError::refused(message));
        }
        let purged = store.purge(ctx.view(), ctx.stamp(Self::NAME)?, ids, false).await?;
        let in_index = purge_index(ctx, &purged.items).await;
        let ids = shown(purged);
        let older = super::backup::list(ctx)?.len();
        let mut warnings = match older {
            0 => Vec::new(),
            _ => vec![format!(
                "{older} earlier backups in {} still hold what was purged",
                ctx.home().backups().display()
            )],
        };
        if let Err(why) = in_index {
            let what = "vectors of what was purged may still be in the index files, though nothing finds them";
            warnings.push(format!("{what} ({why}); run `scrubjay doctor --repair`"));
        }
        Ok(PurgeOutput { ids, dry_run: false, warnings })
    }
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
