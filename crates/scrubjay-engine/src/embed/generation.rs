//! Which vectors serve, and which are being made.

use scrubjay_models::embed::Embedder;
use scrubjay_store::item::{Generation, GenerationState};

use crate::item::{is_of, plan};
use crate::{Ctx, Result};

/// What there is and what there should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The generation that serves.
    pub serving: Option<Generation>,
    /// The one that is being built.
    pub building: Option<Generation>,
}

/// Looks where the generations stand. If none is of the embedder that is set up
/// now, one is begun: it serves at once if none does, and is built beside the
/// one that serves otherwise.
///
/// # Errors
/// When the store fails.
pub async fn current_generation(ctx: &Ctx, embedder: &dyn Embedder) -> Result<Plan> {
    let store = ctx.store().await?;
    let wanted = plan(embedder);
    let mut generations = store.generations().await?;
    let is_current = |generation: &Generation| generation.state != GenerationState::Retired;
    if !generations.iter().filter(|generation| is_current(generation)).any(|known| is_of(&known.spec, &wanted)) {
        store.begin_generation(wanted, ctx.now()).await?;
        generations = store.generations().await?;
    }
    let of_state = |state| generations.iter().find(|generation| generation.state == state).cloned();
    Ok(Plan { serving: of_state(GenerationState::Serving), building: of_state(GenerationState::Building) })
}
