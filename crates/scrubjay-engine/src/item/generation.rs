//! What vectors are called, so that those of two models are never compared.

use scrubjay_models::embed::Embedder;
use scrubjay_store::item::NewGeneration;

use super::text::SCHEME_VERSION;

/// What the present embedder's vectors are called, so that they are never mixed
/// with others.
#[must_use]
pub fn plan(embedder: &dyn Embedder) -> NewGeneration {
    let card = embedder.model();
    NewGeneration {
        model: card.id.clone(),
        dimensions: u32::try_from(card.dimensions).unwrap_or(u32::MAX),
        scheme: format!("{}/{SCHEME_VERSION}", card.prefix_scheme.name()),
    }
}

/// Whether vectors are of the wanted kind. Those that were made again by force
/// carry a number behind their scheme.
#[must_use]
pub fn is_of(spec: &NewGeneration, wanted: &NewGeneration) -> bool {
    let scheme = spec.scheme.split('#').next().unwrap_or_default();
    spec.model == wanted.model && spec.dimensions == wanted.dimensions && scheme == wanted.scheme
}
