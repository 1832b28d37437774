//! The embedding cache.

use rusqlite::{Connection, OptionalExtension};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::row;
use crate::item::{CacheKey, ItemKey};

/// The vectors of these texts, in order. What is found counts as used.
pub(super) fn get(
    connection: &Connection,
    key: &CacheKey,
    texts: &[TextHash],
    at: Timestamp,
) -> Result<Vec<Option<Vec<u8>>>, Fault> {
    let mut statement = connection.prepare_cached(
        "UPDATE embedding_cache SET used_at = max(used_at, ?5)
         WHERE provider = ?1 AND model = ?2 AND provider_key = ?3 AND text_hash = ?4 RETURNING vector",
    )?;
    let mut found = Vec::with_capacity(texts.len());
    for text in texts {
        let values = (&key.provider, &key.model, &key.provider_key, text.as_bytes(), at.millis());
        found.push(statement.query_row(values, |row| row.get(0)).optional()?);
    }
    Ok(found)
}

/// Keeps vectors; over the maximum, those unused for longest go.
pub(super) fn put(
    connection: &Connection,
    key: &CacheKey,
    vectors: &[(TextHash, Vec<u8>)],
    max_entries: Option<u64>,
    at: Timestamp,
) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO embedding_cache (provider, model, provider_key, text_hash, vector, used_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET vector = excluded.vector, used_at = excluded.used_at",
    )?;
    for (text, vector) in vectors {
        statement.execute((&key.provider, &key.model, &key.provider_key, text.as_bytes(), vector, at.millis()))?;
    }
    let Some(max_entries) = max_entries else { return Ok(()) };
    let surplus = entries(connection)?.saturating_sub(max_entries);
    if surplus > 0 {
        connection
            .prepare_cached(
                "DELETE FROM embedding_cache WHERE (provider, model, provider_key, text_hash) IN
                     (SELECT provider, model, provider_key, text_hash FROM embedding_cache
                      ORDER BY used_at, text_hash LIMIT ?1)",
            )?
            .execute([row::integer(surplus)])?;
    }
    Ok(())
}

/// How many entries there are.
pub(super) fn entries(connection: &Connection) -> Result<u64, Fault> {
    let mut statement = connection.prepare_cached("SELECT count(*) FROM embedding_cache")?;
    Ok(statement.query_row([], |row| row.get::<_, i64>(0))?.unsigned_abs())
}

/// Empties the cache.
pub(super) fn clear(connection: &Connection) -> Result<(), Fault> {
    connection.execute("DELETE FROM embedding_cache", [])?;
    Ok(())
}

/// Removes the cached vectors of a text and of everything an item's vectors were
/// made from.
pub(super) fn forget(connection: &Connection, key: ItemKey, text: TextHash) -> Result<(), Fault> {
    connection
        .prepare_cached(
            // The order of the tables is given, so that SQLite does not go through all vectors.
            "DELETE FROM embedding_cache WHERE text_hash = ?1 OR text_hash IN
                 (SELECT v.text_hash FROM generations g CROSS JOIN vectors v ON v.generation = g.pk WHERE v.item = ?2)",
        )?
        .execute((text.as_bytes(), row::integer(key.number())))?;
    Ok(())
}
