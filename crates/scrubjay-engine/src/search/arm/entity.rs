//! The entity arm: memories that mention what the question names.

use std::collections::BTreeMap;

use scrubjay_store::Store;

use super::super::query::possible_names;
use crate::{Ctx, Result};

/// Memories that a name in the question proposes.
const PER_NAME: usize = 200;

/// A name that more memories mention than this says nothing about any of them.
const COMMON_NAME: u64 = 2000;

/// How strongly the names in the question point to each memory, 0 to 1, by its key. A name that few memories mention
/// counts more.
///
/// # Errors
/// When the store fails.
pub(in crate::search) async fn entity_scores(ctx: &Ctx, store: &dyn Store, text: &str) -> Result<BTreeMap<u64, f32>> {
    let names = possible_names(text);
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut scores: BTreeMap<u64, f32> = BTreeMap::new();
    for found in store.named(ctx.view(), names, PER_NAME).await? {
        if found.entity.mention_count > COMMON_NAME {
            continue;
        }
        #[expect(clippy::cast_precision_loss, reason = "a count of mentions")]
        let share = 1.0 / (1.0 + (found.entity.mention_count.max(1) as f32).ln());
        for key in found.memories {
            let score = scores.entry(key.number()).or_default();
            *score = (*score + share).min(1.0);
        }
    }
    Ok(scores)
}
