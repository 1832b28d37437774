//! The next generation of vectors, and the switch to it.

use std::sync::Arc;

use scrubjay_models::embed::Embedder;
use scrubjay_store::item::{Generation, GenerationState, NewGeneration};

use super::queue::{Embedded, settle};
use crate::item::{is_of, plan};
use crate::{Ctx, Result};

/// Vectors removed at a time.
const REMOVED: usize = 2000;

/// Makes the vectors of the present embedder complete and lets them serve. What
/// serves now goes on doing so until then. Returns how many items were embedded,
/// and how many were given to a batch service instead.
///
/// # Errors
/// When the embedder or the store fails; what was embedded until then is kept,
/// and the next call goes on from there.
pub async fn reembed(ctx: &Ctx, embedder: &Arc<dyn Embedder>, force: bool) -> Result<Embedded> {
    let store = ctx.store().await?;
    let wanted = wanted(ctx, &**embedder, force).await?;
    let generation = store.begin_generation(wanted, ctx.now()).await?;
    let done = settle(ctx, &**embedder, generation.id).await?;
    if done.in_batches == 0 {
        finish(ctx, &generation).await?;
    }
    Ok(done)
}

/// Lets a complete generation serve, and clears away the one before it.
///
/// # Errors
/// When the store or the file system fails.
pub async fn finish(ctx: &Ctx, generation: &Generation) -> Result<()> {
    let store = ctx.store().await?;
    // One step: a search sees the old vectors or the new ones.
    store.serve_generation(generation.id).await?;
    while store.remove_retired(REMOVED).await? {}
    // The files still hold the old vectors beside the new ones; if someone else
    // is writing them, they go another time.
    ctx.index().await?.bring_up_to_date(&*store, false).await?;
    ctx.index().await?.drop_retired(&*store).await?;
    Ok(())
}

// The same model again needs another name for its vectors, or the ones that
// serve would be taken for the new ones. A run that was cut short goes on with
// the name it had, and without force what serves already is only made complete.
async fn wanted(ctx: &Ctx, embedder: &dyn Embedder, force: bool) -> Result<NewGeneration> {
    let plain = plan(embedder);
    let generations = ctx.store().await?.generations().await?;
    let of_state = |state| {
        let found = generations.iter().find(|generation| generation.state == state);
        found.filter(|found| is_of(&found.spec, &plain)).map(|found| found.spec.clone())
    };
    if let Some(building) = of_state(GenerationState::Building) {
        return Ok(building);
    }
    let Some(serving) = of_state(GenerationState::Serving) else { return Ok(plain) };
    if !force {
        return Ok(serving);
    }
    let round = serving.scheme.rsplit_once('#').and_then(|(_, round)| round.parse::<u32>().ok()).unwrap_or(0);
    Ok(NewGeneration { scheme: format!("{}#{}", plain.scheme, round + 1), ..plain })
}
