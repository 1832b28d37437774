//! Letting go of facts that nobody asked for.

use scrubjay_core::decay::{PRUNE_BELOW, of_memory};
use scrubjay_core::filter::{Cursor, Field, Filter, Operator, Order, Scalar, Test};
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::{EndedBy, Kind, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_store::StoreError;
use scrubjay_store::change::{Change, Stamp};
use scrubjay_store::query::{Activity, ListQuery};

use crate::consolidate::Extent;
use crate::{Ctx, Result};

/// How many facts are looked at, and let go, at a time.
const PAGE: usize = 500;

/// A fact whose confidence has faded.
#[derive(Debug, Clone, PartialEq)]
pub struct Faded {
    /// The fact.
    pub id: MemoryId,
    /// What it says.
    pub content: String,
    /// What is left of its confidence.
    pub effective_confidence: f64,
}

/// What was let go.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decayed {
    /// How many facts were looked at; confirmed ones never are.
    pub looked_at: usize,
    /// Those that were let go.
    pub faded: Vec<Faded>,
    /// The run, if anything was.
    pub run: Option<RunId>,
}

/// Ends the facts of a scope whose effective confidence has fallen below 0.05. Nothing else is written: confidence
/// fades by a formula, not by being counted down.
///
/// # Errors
/// When the store fails.
pub async fn decay(ctx: &Ctx, scope: &Scope, extent: Extent) -> Result<Decayed> {
    let store = ctx.store().await?;
    let view = View::of(scope);
    let stamp = ctx.stamp("decay")?;
    let mut decayed = Decayed::default();
    let mut after: Option<Cursor> = None;
    loop {
        let query = ListQuery {
            filter: Filter::default()
                .and_equal(Field::Kind, Kind::Fact.name())
                .and_equal(Field::Scope, scope.to_string())
                .and(Field::DecayRate, Test::Compare(Operator::Greater, Scalar::Number(0.0))),
            activity: Activity::Active,
            order: Order { field: Field::CreatedAt, ascending: true },
            limit: PAGE,
            after: after.take(),
            ..ListQuery::default()
        };
        let page = store.list(&view, query).await?;
        decayed.looked_at += page.memories.len();
        let faded: Vec<&Memory> =
            page.memories.iter().filter(|memory| of_memory(memory, stamp.at) < PRUNE_BELOW).collect();
        let gone = match extent {
            Extent::DryRun => faded.clone(),
            Extent::Apply => end(ctx, &view, &stamp, &faded).await?,
        };
        decayed.faded.extend(gone.into_iter().map(|memory| Faded {
            id: memory.id,
            content: memory.content.clone(),
            effective_confidence: of_memory(memory, stamp.at),
        }));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    if extent == Extent::Apply && !decayed.faded.is_empty() {
        decayed.run = Some(stamp.run);
    }
    Ok(decayed)
}

// Ends facts, all at once if nothing changed meanwhile, otherwise those that did not.
async fn end<'a>(ctx: &Ctx, view: &View, stamp: &Stamp, faded: &[&'a Memory]) -> Result<Vec<&'a Memory>> {
    if faded.is_empty() {
        return Ok(Vec::new());
    }
    let store = ctx.store().await?;
    let change =
        |memory: &Memory| Change::End { id: memory.id, expected_version: Some(memory.version), by: EndedBy::Decayed };
    let all = faded.iter().map(|memory| change(memory)).collect();
    match store.apply(view, stamp.clone(), all, Vec::new()).await {
        Ok(_) => return Ok(faded.to_vec()),
        Err(StoreError::Changed { .. } | StoreError::Conflict { .. } | StoreError::NotFound { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let mut gone = Vec::new();
    for memory in faded {
        match store.apply(view, stamp.clone(), vec![change(memory)], Vec::new()).await {
            Ok(_) => gone.push(*memory),
            // Someone wanted it after all.
            Err(StoreError::Changed { .. } | StoreError::Conflict { .. } | StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(gone)
}
