//! Destroying for good.

use schemars::JsonSchema;
use scrubjay_core::id::MemoryId;
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
        let ids = shown(store.purge(ctx.view(), ctx.stamp(Self::NAME)?, ids, false).await?);
        let older = super::backup::list(ctx)?.len();
        let warnings = match older {
            0 => Vec::new(),
            _ => vec![format!(
                "{older} earlier backups in {} still hold what was purged",
                ctx.home().backups().display()
            )],
        };
        Ok(PurgeOutput { ids, dry_run: false, warnings })
    }
}
