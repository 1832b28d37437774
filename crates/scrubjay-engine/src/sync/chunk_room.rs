//! How many pieces the files of a place may have.
//!
//! A few hundred compressed bytes can be a repository whose files are cut into
//! millions of pieces, each of which would be stored, indexed and embedded.

use std::sync::atomic::{AtomicU64, Ordering};

use scrubjay_core::scope::{Scope, View};
use scrubjay_store::Store;
use scrubjay_store::source::SourcePlace;
use tokio::sync::OnceCell;

use super::files::{Extent, NOTES_ONLY};
use crate::Result;

/// The most pieces of notes that are read without anyone having asked for them.
const UNASKED: u64 = 20_000;

/// Pieces of one look from which on it matters what is stored already: counting
/// that takes time, which a look at a changed note has not got.
const FEW: u64 = 1000;

/// The room that is left in a place.
pub(super) struct ChunkRoom {
    /// The most pieces.
    pub(super) limit: u64,
    /// Those of this look.
    new: AtomicU64,
    /// Those that were there before it.
    stored: OnceCell<u64>,
}

impl ChunkRoom {
    pub(super) fn new(place: &SourcePlace, extent: &Extent, limit: u64) -> Self {
        let limit = if place.format == NOTES_ONLY { limit.min(UNASKED) } else { limit };
        // When every file is read again, what is stored is replaced, not added to.
        let stored = if extent.reread || extent.rebuild { OnceCell::new_with(Some(0)) } else { OnceCell::new() };
        Self { limit, new: AtomicU64::new(0), stored }
    }

    /// Whether a file with so many pieces fits in; then they count.
    pub(super) async fn takes(&self, store: &dyn Store, scope: &Scope, chunks: usize) -> Result<bool> {
        let chunks = chunks as u64;
        let new = self.new.fetch_add(chunks, Ordering::Relaxed) + chunks;
        let stored = if new > FEW { *self.stored.get_or_try_init(|| count(store, scope)).await? } else { 0 };
        let fits = stored.saturating_add(new) <= self.limit;
        if !fits {
            self.new.fetch_sub(chunks, Ordering::Relaxed);
        }
        Ok(fits)
    }
}

async fn count(store: &dyn Store, scope: &Scope) -> Result<u64> {
    let counts = store.document_counts(&View::of(scope)).await?;
    Ok(counts.iter().map(|count| count.chunks).sum())
}
