//! The embedding cache.

use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::tables::Tables;
use crate::item::{CacheKey, ItemKey};

/// The vectors of these texts, in order. What is found counts as used.
pub(super) fn get(tables: &mut Tables, key: &CacheKey, texts: &[TextHash], at: Timestamp) -> Vec<Option<Vec<u8>>> {
    let found = texts.iter().map(|text| {
        tables.embedding_cache.change(&(key.clone(), *text), |(vector, used_at)| {
            *used_at = at.max(*used_at);
            vector.clone()
        })
    });
    found.collect()
}

/// Keeps vectors; over the maximum, those unused for longest go.
pub(super) fn put(
    tables: &mut Tables,
    key: &CacheKey,
    vectors: &[(TextHash, Vec<u8>)],
    max_entries: Option<u64>,
    at: Timestamp,
) {
    for (text, vector) in vectors {
        tables.embedding_cache.put((key.clone(), *text), (vector.clone(), at));
    }
    let Some(max_entries) = max_entries else { return };
    let surplus = entries(tables).saturating_sub(max_entries);
    let mut by_use: Vec<_> =
        tables.embedding_cache.iter().map(|(key, (_, used_at))| (*used_at, key.1, key.clone())).collect();
    by_use.sort();
    for (_, _, key) in by_use.into_iter().take(usize::try_from(surplus).unwrap_or(usize::MAX)) {
        tables.embedding_cache.take(&key);
    }
}

/// How many entries there are.
pub(super) fn entries(tables: &Tables) -> u64 {
    tables.embedding_cache.iter().count() as u64
}

/// Empties the cache.
pub(super) fn clear(tables: &mut Tables) {
    remove(tables, |_| true);
}

/// Removes the cached vectors of a text and of everything an item's vectors were
/// made from.
pub(super) fn forget(tables: &mut Tables, key: ItemKey, text: TextHash) {
    let mut texts: Vec<TextHash> =
        tables.vectors.iter().filter(|((_, item), _)| *item == key).map(|(_, (text, _))| *text).collect();
    texts.push(text);
    remove(tables, |text| texts.contains(text));
}

fn remove(tables: &mut Tables, which: impl Fn(&TextHash) -> bool) {
    let doomed: Vec<_> =
        tables.embedding_cache.iter().map(|(key, _)| key.clone()).filter(|(_, text)| which(text)).collect();
    for key in doomed {
        tables.embedding_cache.take(&key);
    }
}
