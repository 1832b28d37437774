//! Indexed files and their pieces.

use std::collections::{BTreeMap, VecDeque};

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::DocumentId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::{index_log, names, row, scopes};
use crate::item::{Chunk, Document, ItemKey, NewChunk};
use crate::{StoreError, rules};

const COLUMNS: &str = "d.id, s.name, d.source, d.path, d.hash, d.modified_at, d.size_bytes, d.indexed_at";

/// Stores a document with its chunks, in place of what was known under its path.
pub(super) fn put(connection: &Connection, document: &Document, chunks: &[NewChunk]) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &document.scope)?;
    let pk: i64 = connection
        .prepare_cached(
            "INSERT INTO documents (id, scope, source, path, hash, modified_at, size_bytes, indexed_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (scope, path) DO UPDATE SET source = excluded.source, hash = excluded.hash,
                 modified_at = excluded.modified_at, size_bytes = excluded.size_bytes, indexed_at = excluded.indexed_at
             RETURNING pk",
        )?
        .query_row(
            (
                document.id.uuid(),
                scope,
                document.source.name(),
                &document.path,
                document.hash.as_bytes(),
                document.modified_at.millis(),
                row::integer(document.size_bytes),
                document.indexed_at.millis(),
            ),
            |row| row.get(0),
        )
        .map_err(|error| row::taken_or(error, document.id))?;
    // What has the same text as before keeps its row, and so its vectors.
    let mut former = former_chunks(connection, pk)?;
    connection.prepare_cached("UPDATE chunks SET ordinal = -1 - ordinal WHERE document = ?1")?.execute([pk])?;
    for (ordinal, chunk) in chunks.iter().enumerate() {
        let hash = rules::chunk_hash(chunk);
        let ordinal = i64::try_from(ordinal).unwrap_or(i64::MAX);
        let kept = former.get_mut(&hash).and_then(VecDeque::pop_front);
        let (number, is_new) = match kept {
            Some(number) => {
                connection
                    .prepare_cached("UPDATE chunks SET ordinal = ?2, start_line = ?3, end_line = ?4 WHERE pk = ?1")?
                    .execute((number, ordinal, chunk.start_line, chunk.end_line))?;
                (number, false)
            }
            None => {
                connection
                    .prepare_cached(
                        "INSERT INTO chunks (document, ordinal, start_line, end_line, context, text, text_hash)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    )?
                    .execute((
                        pk,
                        ordinal,
                        chunk.start_line,
                        chunk.end_line,
                        &chunk.context,
                        &chunk.text,
                        hash.as_bytes(),
                    ))?;
                (connection.last_insert_rowid(), true)
            }
        };
        index_log::note(connection, scope, ItemKey::chunk(number.unsigned_abs()), is_new)?;
    }
    for number in former.into_values().flatten() {
        remove_chunk(connection, scope, number)?;
    }
    Ok(names::put(connection, (scope, pk), document, chunks)?)
}

/// Notes that a file was looked at and is the same.
pub(super) fn note(connection: &Connection, document: &Document) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &document.scope)?;
    let changed = connection
        .prepare_cached(
            "UPDATE documents SET modified_at = ?3, size_bytes = ?4, indexed_at = ?5 WHERE scope = ?1 AND path = ?2",
        )?
        .execute((
            scope,
            &document.path,
            document.modified_at.millis(),
            row::integer(document.size_bytes),
            document.indexed_at.millis(),
        ))?;
    if changed == 0 { Err(StoreError::not_found(&document.path).into()) } else { Ok(()) }
}

/// A scope's documents under a path, by path.
pub(super) fn list(
    connection: &Connection,
    scope: &Scope,
    prefix: &str,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<Document>, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {COLUMNS} FROM documents d JOIN scopes s ON s.pk = d.scope
         WHERE d.scope = ?1 AND d.path > ?2 AND d.path >= ?3 AND substr(d.path, 1, length(?3)) = ?3
         ORDER BY d.path LIMIT ?4"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(statement.query_map((scope, after.unwrap_or(""), prefix, limit), read)?.collect::<rusqlite::Result<_>>()?)
}

/// Those of a scope's documents that have one of these paths.
pub(super) fn at(connection: &Connection, scope: &Scope, paths: &[String]) -> Result<Vec<Document>, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let sql =
        format!("SELECT {COLUMNS} FROM documents d JOIN scopes s ON s.pk = d.scope WHERE d.scope = ?1 AND d.path = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = Vec::with_capacity(paths.len());
    for path in paths {
        found.extend(statement.query_row((scope, path), read).optional()?);
    }
    Ok(found)
}

/// One visible document's chunks, in order.
pub(super) fn chunks(connection: &Connection, view: &View, id: DocumentId) -> Result<Vec<Chunk>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT {} FROM {} WHERE d.id = ?1 AND d.scope IN ({visible}) ORDER BY c.ordinal",
        index_log::CHUNK_COLUMNS,
        index_log::CHUNK_FROM
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let chunks = statement.query_map([id.uuid()], |row| Ok(index_log::read_chunk(row)?.1))?;
    Ok(chunks.collect::<rusqlite::Result<_>>()?)
}

/// Removes documents with everything that is theirs.
pub(super) fn remove(
    connection: &Connection,
    scope: &Scope,
    paths: &[String],
    gone_at: Option<Timestamp>,
) -> Result<usize, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(0) };
    let mut gone = 0;
    for path in paths {
        let pk: Option<i64> = connection
            .prepare_cached("SELECT pk FROM documents WHERE scope = ?1 AND path = ?2")?
            .query_row((scope, path), |row| row.get(0))
            .optional()?;
        let Some(pk) = pk else { continue };
        for number in former_chunks(connection, pk)?.into_values().flatten() {
            remove_chunk(connection, scope, number)?;
        }
        names::remove(connection, (scope, pk), path, gone_at)?;
        connection.prepare_cached("DELETE FROM documents WHERE pk = ?1")?.execute([pk])?;
        gone += 1;
    }
    Ok(gone)
}

fn former_chunks(connection: &Connection, document: i64) -> Result<BTreeMap<TextHash, VecDeque<i64>>, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT text_hash, pk FROM chunks WHERE document = ?1 ORDER BY ordinal")?;
    let mut rows = statement.query([document])?;
    let mut former: BTreeMap<TextHash, VecDeque<i64>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        former.entry(TextHash::from_bytes(row.get(0)?)).or_default().push_back(row.get(1)?);
    }
    Ok(former)
}

fn remove_chunk(connection: &Connection, scope: i64, number: i64) -> Result<(), Fault> {
    connection.prepare_cached("DELETE FROM chunks WHERE pk = ?1")?.execute([number])?;
    index_log::forget(connection, scope, ItemKey::chunk(number.unsigned_abs()))
}

fn read(row: &Row<'_>) -> rusqlite::Result<Document> {
    Ok(Document {
        id: DocumentId::from(row::uuid(row, 0)?),
        scope: row::parse(row, 1)?,
        source: row::parse(row, 2)?,
        path: row.get(3)?,
        hash: TextHash::from_bytes(row.get(4)?),
        modified_at: Timestamp::from_millis(row.get(5)?),
        size_bytes: row.get::<_, i64>(6)?.unsigned_abs(),
        indexed_at: Timestamp::from_millis(row.get(7)?),
    })
}
