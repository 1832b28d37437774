//! Ids by part of them.

use async_trait::async_trait;
use scrubjay_core::abbreviation::{Abbreviation, IdKind};
use scrubjay_core::scope::View;
use scrubjay_store::Result;
use scrubjay_store::traits::Abbreviations;

use super::store::ConfinedStore;

#[async_trait]
impl Abbreviations for ConfinedStore {
    async fn ids_named(&self, view: &View, kind: IdKind, part: &Abbreviation, limit: usize) -> Result<Vec<String>> {
        self.look(view)?;
        self.inner.ids_named(view, kind, part, limit).await
    }
}
