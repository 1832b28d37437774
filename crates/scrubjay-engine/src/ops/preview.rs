//! What would go, told with its texts before it does.

use schemars::JsonSchema;
use scrubjay_core::id::MemoryId;
use scrubjay_core::snippet::snippet;
use serde::{Deserialize, Serialize};

use crate::{Ctx, Result};

/// How many memories are told with their texts.
const TOLD: usize = 20;

/// How much of a text is told.
const TEXT_CHARS: usize = 200;

/// A memory that would go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Preview {
    /// Its id.
    pub id: String,
    /// What it says, or the beginning of that.
    pub content: String,
}

/// The first of these memories with their texts.
pub(super) async fn previews(ctx: &Ctx, ids: &[MemoryId]) -> Result<Vec<Preview>> {
    let store = ctx.store().await?;
    let mut told = Vec::new();
    for id in ids.iter().take(TOLD) {
        if let Some(memory) = store.get(ctx.view(), *id).await? {
            told.push(Preview { id: id.to_string(), content: snippet(&memory.content, 0, TEXT_CHARS).text });
        }
    }
    Ok(told)
}
