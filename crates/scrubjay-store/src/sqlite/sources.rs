//! What is read from outside, and how far.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::{row, scopes};
use crate::source::{DocumentCount, SourceKind, SourcePlace, SyncCounts, SyncRun, TranscriptPlace};

/// The places that a view sees, by kind and path.
pub(super) fn list(connection: &Connection, view: &View) -> Result<Vec<SourcePlace>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT s.name, p.kind, p.path, p.format, p.added_at, p.synced_at, p.dirty
         FROM sources p JOIN scopes s ON s.pk = p.scope WHERE p.scope IN ({visible}) ORDER BY p.kind, p.path, s.name"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    Ok(statement.query_map([], read)?.collect::<rusqlite::Result<_>>()?)
}

/// Every place, for whoever looks after all of them.
pub(super) fn all(connection: &Connection) -> Result<Vec<SourcePlace>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT s.name, p.kind, p.path, p.format, p.added_at, p.synced_at, p.dirty
         FROM sources p JOIN scopes s ON s.pk = p.scope ORDER BY p.kind, p.path, s.name",
    )?;
    Ok(statement.query_map([], read)?.collect::<rusqlite::Result<_>>()?)
}

/// Stores a place, or what is known about it now.
pub(super) fn put(connection: &Connection, place: &SourcePlace) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &place.scope)?;
    connection
        .prepare_cached(
            "INSERT INTO sources (scope, kind, path, format, added_at, synced_at, dirty)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (scope, kind, path) DO UPDATE SET format = excluded.format, synced_at = excluded.synced_at,
                 dirty = excluded.dirty",
        )?
        .execute((
            scope,
            place.kind.name(),
            &place.path,
            &place.format,
            place.added_at.millis(),
            place.synced_at.map(Timestamp::millis),
            place.dirty,
        ))?;
    Ok(())
}

/// Forgets a place. What was read there stays.
pub(super) fn remove(connection: &Connection, scope: &Scope, kind: SourceKind, path: &str) -> Result<bool, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(false) };
    let gone = connection
        .prepare_cached("DELETE FROM sources WHERE scope = ?1 AND kind = ?2 AND path = ?3")?
        .execute((scope, kind.name(), path))?;
    Ok(gone > 0)
}

const TRANSCRIPT: &str =
    "SELECT path, format, read_bytes, device, inode, head_hash, tail_hash, state, messages, read_at FROM transcripts";

/// How far a transcript was read, by its path.
pub(super) fn transcript(connection: &Connection, path: &str) -> Result<Option<TranscriptPlace>, Fault> {
    let sql = format!("{TRANSCRIPT} WHERE path = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([path], read_transcript).optional()?)
}

/// The same, by what file it is: it may have another name by now.
pub(super) fn transcripts_of_file(
    connection: &Connection,
    device: u64,
    inode: u64,
) -> Result<Vec<TranscriptPlace>, Fault> {
    let sql = format!("{TRANSCRIPT} WHERE device = ?1 AND inode = ?2 ORDER BY path");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map((device.cast_signed(), inode.cast_signed()), read_transcript)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Notes how far a transcript was read.
pub(super) fn put_transcript(connection: &Connection, place: &TranscriptPlace) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO transcripts
                 (path, format, read_bytes, device, inode, head_hash, tail_hash, state, messages, read_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute((
            &place.path,
            &place.format,
            row::integer(place.read_bytes),
            place.device.cast_signed(),
            place.inode.cast_signed(),
            place.head_hash.cast_signed(),
            place.tail_hash.cast_signed(),
            &place.state,
            row::integer(place.messages),
            place.read_at.millis(),
        ))?;
    Ok(())
}

/// Notes a run, in place of the last one with the same cause.
pub(super) fn note_sync(connection: &Connection, scope: &Scope, run: &SyncRun) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, scope)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO syncs
                 (scope, cause, at, took_ms, indexed, unchanged, removed, skipped, messages, failure)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute((
            scope,
            &run.cause,
            run.at.millis(),
            row::integer(run.took_ms),
            row::integer(run.counts.indexed),
            row::integer(run.counts.unchanged),
            row::integer(run.counts.removed),
            row::integer(run.counts.skipped),
            row::integer(run.counts.messages),
            &run.failure,
        ))?;
    Ok(())
}

/// The last runs in one scope, by cause.
pub(super) fn syncs(connection: &Connection, scope: &Scope) -> Result<Vec<SyncRun>, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let mut statement = connection.prepare_cached(
        "SELECT cause, at, took_ms, indexed, unchanged, removed, skipped, messages, failure
         FROM syncs WHERE scope = ?1 ORDER BY cause",
    )?;
    let rows = statement.query_map([scope], |row| {
        let count = |column: usize| row.get::<_, i64>(column).map(i64::unsigned_abs);
        Ok(SyncRun {
            cause: row.get(0)?,
            at: Timestamp::from_millis(row.get(1)?),
            took_ms: count(2)?,
            counts: SyncCounts {
                indexed: count(3)?,
                unchanged: count(4)?,
                removed: count(5)?,
                skipped: count(6)?,
                messages: count(7)?,
            },
            failure: row.get(8)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// How much is indexed that a view sees, by kind of file.
pub(super) fn document_counts(connection: &Connection, view: &View) -> Result<Vec<DocumentCount>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT d.source, count(*), coalesce(sum((SELECT count(*) FROM chunks c WHERE c.document = d.pk)), 0)
         FROM documents d WHERE d.scope IN ({visible}) GROUP BY d.source"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map([], |row| {
        Ok(DocumentCount {
            source: row::parse(row, 0)?,
            documents: row.get::<_, i64>(1)?.unsigned_abs(),
            chunks: row.get::<_, i64>(2)?.unsigned_abs(),
        })
    })?;
    let mut counts: Vec<DocumentCount> = rows.collect::<rusqlite::Result<_>>()?;
    counts.sort();
    Ok(counts)
}

fn read(row: &Row<'_>) -> rusqlite::Result<SourcePlace> {
    let kind: String = row.get(1)?;
    let unknown = || rusqlite::Error::InvalidColumnType(1, kind.clone(), rusqlite::types::Type::Text);
    Ok(SourcePlace {
        scope: row::parse(row, 0)?,
        kind: SourceKind::from_name(&kind).ok_or_else(unknown)?,
        path: row.get(2)?,
        format: row.get(3)?,
        added_at: Timestamp::from_millis(row.get(4)?),
        synced_at: row.get::<_, Option<i64>>(5)?.map(Timestamp::from_millis),
        dirty: row.get(6)?,
    })
}

fn read_transcript(row: &Row<'_>) -> rusqlite::Result<TranscriptPlace> {
    let bits = |column: usize| row.get::<_, i64>(column).map(i64::cast_unsigned);
    Ok(TranscriptPlace {
        path: row.get(0)?,
        format: row.get(1)?,
        read_bytes: row.get::<_, i64>(2)?.unsigned_abs(),
        device: bits(3)?,
        inode: bits(4)?,
        head_hash: bits(5)?,
        tail_hash: bits(6)?,
        state: row.get(7)?,
        messages: row.get::<_, i64>(8)?.unsigned_abs(),
        read_at: Timestamp::from_millis(row.get(9)?),
    })
}
