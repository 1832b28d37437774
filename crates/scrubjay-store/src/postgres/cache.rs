//! The embedding cache.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::fault::Fault;
use super::value::{count, get, hash, integer};
use super::work::Work;
use crate::item::{CacheKey, ItemKey};

/// The vectors of these texts, in order. What is found counts as used.
pub(super) async fn get_all(
    work: &Work,
    key: &CacheKey,
    texts: &[TextHash],
    at: Timestamp,
) -> Result<Vec<Option<Vec<u8>>>, Fault> {
    let mut found: BTreeMap<TextHash, Vec<u8>> = BTreeMap::new();
    let wanted: BTreeSet<TextHash> = texts.iter().copied().collect();
    for text in wanted {
        let sql = "UPDATE embedding_cache SET used_at = greatest(used_at, $6)
                   WHERE agent = $1 AND provider = $2 AND model = $3 AND provider_key = $4 AND text_hash = $5
                   RETURNING text_hash, vector";
        let row =
            work.row(sql, &[&key.provider, &key.model, &key.provider_key, &text.as_bytes(), &at.millis()]).await?;
        if let Some(row) = row {
            found.insert(TextHash::from_bytes(hash(&row, 0)?), get(&row, 1)?);
        }
    }
    Ok(texts.iter().map(|text| found.get(text).cloned()).collect())
}

/// Keeps vectors; over the maximum, those unused for longest go.
pub(super) async fn put(
    work: &Work,
    key: &CacheKey,
    vectors: &[(TextHash, Vec<u8>)],
    max_entries: Option<u64>,
    at: Timestamp,
) -> Result<(), Fault> {
    for (text, vector) in vectors {
        work.execute(
            "INSERT INTO embedding_cache (agent, provider, model, provider_key, text_hash, vector, used_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (agent, provider, model, provider_key, text_hash)
                 DO UPDATE SET vector = excluded.vector, used_at = excluded.used_at",
            &[&key.provider, &key.model, &key.provider_key, &text.as_bytes(), vector, &at.millis()],
        )
        .await?;
    }
    let Some(max_entries) = max_entries else { return Ok(()) };
    let surplus = entries(work).await?.saturating_sub(max_entries);
    if surplus > 0 {
        work.execute(
            "DELETE FROM embedding_cache WHERE agent = $1 AND (provider, model, provider_key, text_hash) IN
                 (SELECT provider, model, provider_key, text_hash FROM embedding_cache WHERE agent = $1
                  ORDER BY used_at, text_hash LIMIT $2)",
            &[&integer(surplus)],
        )
        .await?;
    }
    Ok(())
}

/// How many entries there are.
pub(super) async fn entries(work: &Work) -> Result<u64, Fault> {
    count(&work.one("SELECT count(*) FROM embedding_cache WHERE agent = $1", &[]).await?, 0)
}

/// Empties the cache.
pub(super) async fn clear(work: &Work) -> Result<(), Fault> {
    work.execute("DELETE FROM embedding_cache WHERE agent = $1", &[]).await?;
    Ok(())
}

/// Removes the cached vectors of a text and of everything an item's vectors were made from.
pub(super) async fn forget(work: &Work, key: ItemKey, text: TextHash) -> Result<(), Fault> {
    work.execute(
        "DELETE FROM embedding_cache WHERE agent = $1 AND (text_hash = $2 OR text_hash IN
             (SELECT v.text_hash FROM generations g JOIN vectors v ON v.agent = g.agent AND v.generation = g.pk
              WHERE g.agent = $1 AND v.item = $3))",
        &[&text.as_bytes(), &integer(key.number())],
    )
    .await?;
    Ok(())
}
