//! Files that were read again, until they take the place of what is indexed.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::DocumentId;
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::{documents, row};
use crate::StoreError;
use crate::item::{Document, NewChunk};

/// A piece as it is kept here.
type Kept = (u32, u32, String, String);

/// Lays a document aside.
pub(super) fn stage(
    connection: &Connection,
    build: &str,
    document: &Document,
    chunks: &[NewChunk],
) -> Result<(), Fault> {
    let kept: Vec<(u32, u32, &str, &str)> =
        chunks.iter().map(|chunk| (chunk.start_line, chunk.end_line, &*chunk.context, &*chunk.text)).collect();
    let kept = serde_json::to_string(&kept).map_err(|error| unreadable(&error))?;
    connection
        .prepare_cached(
            "INSERT INTO rebuilds (build, id, scope, source, path, hash, modified_at, size_bytes, indexed_at, chunks)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute((
            build,
            document.id.uuid(),
            document.scope.to_string(),
            document.source.name(),
            &document.path,
            document.hash.as_bytes(),
            document.modified_at.millis(),
            row::integer(document.size_bytes),
            document.indexed_at.millis(),
            kept,
        ))?;
    Ok(())
}

/// Puts everything that was laid aside in its place, and removes what is gone.
pub(super) fn finish(
    connection: &Connection,
    build: &str,
    scope: &Scope,
    gone: &[String],
    at: Timestamp,
) -> Result<usize, Fault> {
    let mut after = 0;
    // One by one: all of them may be more than fits into memory.
    loop {
        let next = connection
            .prepare_cached(
                "SELECT pk, id, scope, source, path, hash, modified_at, size_bytes, indexed_at, chunks
                 FROM rebuilds WHERE build = ?1 AND pk > ?2 ORDER BY pk LIMIT 1",
            )?
            .query_row((build, after), read)
            .optional()?;
        let Some((number, document, kept)) = next else { break };
        let kept: Vec<Kept> = serde_json::from_str(&kept).map_err(|error| unreadable(&error))?;
        let chunks: Vec<NewChunk> = kept
            .into_iter()
            .map(|(start_line, end_line, context, text)| NewChunk { start_line, end_line, context, text })
            .collect();
        documents::put(connection, &document, &chunks)?;
        after = number;
    }
    connection.prepare_cached("DELETE FROM rebuilds WHERE build = ?1")?.execute([build])?;
    documents::remove(connection, scope, gone, Some(at))
}

/// Drops what was laid aside before this time and never used.
pub(super) fn drop_before(connection: &Connection, before: Timestamp) -> Result<(), Fault> {
    connection.prepare_cached("DELETE FROM rebuilds WHERE indexed_at < ?1")?.execute([before.millis()])?;
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<(i64, Document, String)> {
    let document = Document {
        id: DocumentId::from(row::uuid(row, 1)?),
        scope: row::parse(row, 2)?,
        source: row::parse(row, 3)?,
        path: row.get(4)?,
        hash: TextHash::from_bytes(row.get(5)?),
        modified_at: Timestamp::from_millis(row.get(6)?),
        size_bytes: row.get::<_, i64>(7)?.unsigned_abs(),
        indexed_at: Timestamp::from_millis(row.get(8)?),
    };
    Ok((row.get(0)?, document, row.get(9)?))
}

fn unreadable(error: &serde_json::Error) -> Fault {
    StoreError::Unreadable { what: "rebuilt document", detail: error.to_string() }.into()
}
