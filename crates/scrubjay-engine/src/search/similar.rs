//! Facts that share words with a text: what may say the same.

use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::lexical;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_index::TermQuery;
use scrubjay_store::item::{Item, ItemKey};
use scrubjay_store::query::Activity;

use super::arm::lexical::BM25;
use crate::index::{ColumnFilter, is_of_files};
use crate::{Ctx, Result};

/// Terms of the text that are looked for.
const TERMS: usize = 64;

/// The active facts of a scope that share the most telling words with a text,
/// best first.
///
/// # Errors
/// When the store or the index fails.
pub async fn facts_like(ctx: &Ctx, scope: &Scope, text: &str, limit: usize) -> Result<Vec<Memory>> {
    by_activity(ctx, scope, text, limit, Activity::Active).await
}

/// The same among the facts that ended: what was held true once.
///
/// # Errors
/// When the store or the index fails.
pub async fn facts_like_ended(ctx: &Ctx, scope: &Scope, text: &str, limit: usize) -> Result<Vec<Memory>> {
    by_activity(ctx, scope, text, limit, Activity::Ended).await
}

async fn by_activity(ctx: &Ctx, scope: &Scope, text: &str, limit: usize, activity: Activity) -> Result<Vec<Memory>> {
    match attempt(ctx, scope, text, limit, activity).await {
        Err(error) if is_of_files(&error) => {
            let store = ctx.store().await?;
            ctx.index().await?.bring_up_to_date(&*store, true).await?;
            attempt(ctx, scope, text, limit, activity).await
        }
        other => other,
    }
}

async fn attempt(ctx: &Ctx, scope: &Scope, text: &str, limit: usize, activity: Activity) -> Result<Vec<Memory>> {
    let mut terms = lexical::terms(text);
    terms.sort();
    terms.dedup();
    terms.truncate(TERMS);
    let terms: Vec<TermQuery> =
        terms.iter().map(|term| TermQuery { hash: lexical::term_hash(term), weight: 1.0 }).collect();
    let store = ctx.store().await?;
    let view = View::of(scope);
    let snapshot = ctx.index().await?.sight(&*store, &view).await?.snapshot;
    let filter = ColumnFilter {
        filter: Filter::default().and_equal(Field::Kind, Kind::Fact.name()).and_equal(Field::Scope, scope.to_string()),
        activity,
        ..ColumnFilter::default()
    };
    let shards: Vec<_> = snapshot.shard(&scope.to_string()).into_iter().collect();
    let found = snapshot.lexical_top(&shards, &terms, &BM25, &filter.columns(), limit)?;
    let mut keys = Vec::with_capacity(found.len());
    for scored in &found {
        keys.push(ItemKey::from_number(snapshot.row(scored.document)?.key));
    }
    let mut items = store.items(&view, keys.clone()).await?;
    items.sort_by_key(|(key, _)| keys.iter().position(|other| other == key));
    let memories = items.into_iter().filter(|(_, item)| filter.admits(item)).filter_map(|(_, item)| match item {
        Item::Memory(memory) => Some(*memory),
        Item::Chunk(_) => None,
    });
    Ok(memories.collect())
}
