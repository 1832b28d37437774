//! The names of documents, and those that are gone.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension};
use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::scopes;
use crate::item::{Document, NewChunk};
use crate::names::{GoneName, Name, keys, still_named};

/// Brings the names of a document in step with what it holds.
pub(super) fn put(
    connection: &Connection,
    (scope, pk): (i64, i64),
    document: &Document,
    chunks: &[NewChunk],
) -> rusqlite::Result<()> {
    come_back(connection, scope, &document.path)?;
    let mut now = keys(document, chunks);
    for lost in of_document(connection, pk)?.difference(&now.clone()) {
        if still_named(lost, chunks) {
            now.insert(lost.clone());
        } else {
            lose(connection, (scope, pk), lost)?;
            let is_elsewhere: bool = connection
                .prepare_cached("SELECT EXISTS (SELECT 1 FROM document_names WHERE scope = ?1 AND name = ?2)")?
                .query_row((scope, lost), |row| row.get(0))?;
            if !is_elsewhere {
                go(connection, scope, lost, document.indexed_at)?;
            }
        }
    }
    for name in now {
        let is_new = connection
            .prepare_cached("INSERT OR IGNORE INTO document_names (scope, name, document) VALUES (?1, ?2, ?3)")?
            .execute((scope, &name, pk))?;
        if is_new > 0 {
            come_back(connection, scope, &name)?;
        }
    }
    Ok(())
}

/// Takes the names of a document that is removed; with a time, they are gone since then unless another has them.
pub(super) fn remove(
    connection: &Connection,
    (scope, pk): (i64, i64),
    path: &str,
    gone_at: Option<Timestamp>,
) -> rusqlite::Result<()> {
    let names = of_document(connection, pk)?;
    connection.prepare_cached("DELETE FROM document_names WHERE document = ?1")?.execute([pk])?;
    let Some(at) = gone_at else { return Ok(()) };
    go(connection, scope, path, at)?;
    for name in names {
        let is_elsewhere: bool = connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM document_names WHERE scope = ?1 AND name = ?2)")?
            .query_row((scope, &name), |row| row.get(0))?;
        if !is_elsewhere {
            go(connection, scope, &name, at)?;
        }
    }
    Ok(())
}

/// Those of these names that are gone.
pub(super) fn gone(connection: &Connection, scope: &Scope, names: &[Name]) -> Result<Vec<GoneName>, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for name in names {
        let key = name.key();
        let since: Option<i64> = match name {
            Name::Path(_) => since_of_path(connection, scope, &key)?,
            _ => connection
                .prepare_cached("SELECT since FROM gone_names WHERE scope = ?1 AND name = ?2")?
                .query_row((scope, &key), |row| row.get(0))
                .optional()?,
        };
        found.extend(since.map(|since| GoneName { name: name.clone(), since: Timestamp::from_millis(since) }));
    }
    Ok(found)
}

// A folder is gone when nothing is below it any more: since the last file went. `0` comes right after `/`.
fn since_of_path(connection: &Connection, scope: i64, path: &str) -> rusqlite::Result<Option<i64>> {
    let is_there: bool = connection
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM documents
             WHERE scope = ?1 AND (path = ?2 OR (path > ?2 || '/' AND path < ?2 || '0')))",
        )?
        .query_row((scope, path), |row| row.get(0))?;
    if is_there {
        return Ok(None);
    }
    connection
        .prepare_cached(
            "SELECT max(since) FROM gone_names
             WHERE scope = ?1 AND (name = ?2 OR (name > ?2 || '/' AND name < ?2 || '0'))",
        )?
        .query_row((scope, path), |row| row.get(0))
}

/// Notes the names of all documents, for a store that an older version wrote.
pub(super) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT pk, scope, source, path FROM documents ORDER BY pk")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (pk, scope): (i64, i64) = (row.get(0)?, row.get(1)?);
        let mut chunks = connection.prepare_cached("SELECT context, text FROM chunks WHERE document = ?1")?;
        let chunks: Vec<NewChunk> = chunks
            .query_map([pk], |row| {
                Ok(NewChunk { start_line: 0, end_line: 0, context: row.get(0)?, text: row.get(1)? })
            })?
            .collect::<rusqlite::Result<_>>()?;
        for name in crate::names::keys_of(&row.get::<_, String>(3)?, &row.get::<_, String>(2)?, &chunks) {
            connection
                .prepare_cached("INSERT OR IGNORE INTO document_names (scope, name, document) VALUES (?1, ?2, ?3)")?
                .execute((scope, name, pk))?;
        }
    }
    Ok(())
}

fn of_document(connection: &Connection, pk: i64) -> rusqlite::Result<BTreeSet<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM document_names WHERE document = ?1")?;
    statement.query_map([pk], |row| row.get(0))?.collect()
}

fn lose(connection: &Connection, (scope, pk): (i64, i64), name: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM document_names WHERE scope = ?1 AND name = ?2 AND document = ?3")?
        .execute((scope, name, pk))?;
    Ok(())
}

fn go(connection: &Connection, scope: i64, name: &str, since: Timestamp) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO gone_names (scope, name, since) VALUES (?1, ?2, ?3)
             ON CONFLICT (scope, name) DO UPDATE SET since = excluded.since",
        )?
        .execute((scope, name, since.millis()))?;
    Ok(())
}

fn come_back(connection: &Connection, scope: i64, name: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM gone_names WHERE scope = ?1 AND name = ?2")?.execute((scope, name))?;
    Ok(())
}
