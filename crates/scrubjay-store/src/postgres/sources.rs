//! What is read from outside, and how far.

use async_trait::async_trait;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;

use super::fault::Fault;
use super::scopes;
use super::store::{PostgresStore, read, write};
use super::value::{count, get, integer, parse};
use super::work::Work;
use crate::source::{DocumentCount, SourceKind, SourcePlace, SyncCounts, SyncRun, TranscriptPlace};
use crate::traits::Sources;
use crate::{Result, StoreError};

#[async_trait]
impl Sources for PostgresStore {
    async fn sources(&self, view: &View) -> Result<Vec<SourcePlace>> {
        read!(self, "list sources", |work| list(&work, view))
    }

    async fn all_sources(&self) -> Result<Vec<SourcePlace>> {
        read!(self, "list all sources", |work| all(&work))
    }

    async fn put_source(&self, place: SourcePlace) -> Result<()> {
        write!(self, "store a source", |work| put(&work, &place))
    }

    async fn remove_source(&self, scope: &Scope, kind: SourceKind, path: &str) -> Result<bool> {
        write!(self, "forget a source", |work| remove(&work, scope, kind, path))
    }

    async fn transcript(&self, path: &str) -> Result<Option<TranscriptPlace>> {
        read!(self, "look up a transcript", |work| transcript(&work, path))
    }

    async fn transcripts_of_file(&self, device: u64, inode: u64) -> Result<Vec<TranscriptPlace>> {
        read!(self, "look up a transcript", |work| transcripts_of_file(&work, device, inode))
    }

    async fn put_transcript(&self, place: TranscriptPlace) -> Result<()> {
        write!(self, "note a transcript", |work| put_transcript(&work, &place))
    }

    async fn note_sync(&self, scope: &Scope, run: SyncRun) -> Result<()> {
        write!(self, "note a sync", |work| note_sync(&work, scope, &run))
    }

    async fn syncs(&self, scope: &Scope) -> Result<Vec<SyncRun>> {
        read!(self, "list syncs", |work| syncs(&work, scope))
    }
}

const PLACE: &str = "SELECT s.name, p.kind, p.path, p.format, p.added_at, p.synced_at, p.dirty
     FROM sources p JOIN scopes s ON s.agent = p.agent AND s.pk = p.scope";

async fn list(work: &Work, view: &View) -> std::result::Result<Vec<SourcePlace>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!("{PLACE} WHERE p.agent = $1 AND p.scope = ANY ($2) ORDER BY p.kind, p.path, s.name");
    work.rows(&sql, &[&visible]).await?.iter().map(read_place).collect()
}

async fn all(work: &Work) -> std::result::Result<Vec<SourcePlace>, Fault> {
    let sql = format!("{PLACE} WHERE p.agent = $1 ORDER BY p.kind, p.path, s.name");
    work.rows(&sql, &[]).await?.iter().map(read_place).collect()
}

async fn put(work: &Work, place: &SourcePlace) -> std::result::Result<(), Fault> {
    let scope = scopes::number_or_new(work, &place.scope).await?;
    work.execute(
        "INSERT INTO sources (agent, scope, kind, path, format, added_at, synced_at, dirty)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (agent, scope, kind, path) DO UPDATE SET format = excluded.format,
             synced_at = excluded.synced_at, dirty = excluded.dirty",
        &[
            &scope,
            &place.kind.name(),
            &place.path,
            &place.format,
            &place.added_at.millis(),
            &place.synced_at.map(Timestamp::millis),
            &place.dirty,
        ],
    )
    .await?;
    Ok(())
}

async fn remove(work: &Work, scope: &Scope, kind: SourceKind, path: &str) -> std::result::Result<bool, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(false) };
    let sql = "DELETE FROM sources WHERE agent = $1 AND scope = $2 AND kind = $3 AND path = $4";
    Ok(work.execute(sql, &[&scope, &kind.name(), &path]).await? > 0)
}

const TRANSCRIPT: &str =
    "SELECT path, format, read_bytes, device, inode, head_hash, tail_hash, state, messages, read_at
     FROM transcripts WHERE agent = $1";

async fn transcript(work: &Work, path: &str) -> std::result::Result<Option<TranscriptPlace>, Fault> {
    let found = work.row(&format!("{TRANSCRIPT} AND path = $2"), &[&path]).await?;
    found.as_ref().map(read_transcript).transpose()
}

async fn transcripts_of_file(work: &Work, device: u64, inode: u64) -> std::result::Result<Vec<TranscriptPlace>, Fault> {
    let sql = format!("{TRANSCRIPT} AND device = $2 AND inode = $3 ORDER BY path");
    let rows = work.rows(&sql, &[&device.cast_signed(), &inode.cast_signed()]).await?;
    rows.iter().map(read_transcript).collect()
}

async fn put_transcript(work: &Work, place: &TranscriptPlace) -> std::result::Result<(), Fault> {
    work.execute(
        "INSERT INTO transcripts (agent, path, format, read_bytes, device, inode, head_hash, tail_hash, state, messages,
             read_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (agent, path) DO UPDATE SET format = excluded.format, read_bytes = excluded.read_bytes,
             device = excluded.device, inode = excluded.inode, head_hash = excluded.head_hash,
             tail_hash = excluded.tail_hash, state = excluded.state, messages = excluded.messages,
             read_at = excluded.read_at",
        &[
            &place.path,
            &place.format,
            &integer(place.read_bytes),
            &place.device.cast_signed(),
            &place.inode.cast_signed(),
            &place.head_hash.cast_signed(),
            &place.tail_hash.cast_signed(),
            &place.state,
            &integer(place.messages),
            &place.read_at.millis(),
        ],
    )
    .await?;
    Ok(())
}

async fn note_sync(work: &Work, scope: &Scope, run: &SyncRun) -> std::result::Result<(), Fault> {
    let scope = scopes::number_or_new(work, scope).await?;
    work.execute(
        "INSERT INTO syncs (agent, scope, cause, at, took_ms, indexed, unchanged, removed, skipped, messages, failure)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (agent, scope, cause) DO UPDATE SET at = excluded.at, took_ms = excluded.took_ms,
             indexed = excluded.indexed, unchanged = excluded.unchanged, removed = excluded.removed,
             skipped = excluded.skipped, messages = excluded.messages, failure = excluded.failure",
        &[
            &scope,
            &run.cause,
            &run.at.millis(),
            &integer(run.took_ms),
            &integer(run.counts.indexed),
            &integer(run.counts.unchanged),
            &integer(run.counts.removed),
            &integer(run.counts.skipped),
            &integer(run.counts.messages),
            &run.failure,
        ],
    )
    .await?;
    Ok(())
}

async fn syncs(work: &Work, scope: &Scope) -> std::result::Result<Vec<SyncRun>, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let sql = "SELECT cause, at, took_ms, indexed, unchanged, removed, skipped, messages, failure FROM syncs
               WHERE agent = $1 AND scope = $2 ORDER BY cause";
    work.rows(sql, &[&scope]).await?.iter().map(read_sync).collect()
}

/// How much is indexed that a view sees, by kind of file.
pub(super) async fn document_counts(work: &Work, view: &View) -> std::result::Result<Vec<DocumentCount>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = "SELECT d.source, count(*), coalesce(sum((SELECT count(*) FROM chunks c
                                                        WHERE c.agent = d.agent AND c.document = d.pk)), 0)::bigint
               FROM documents d WHERE d.agent = $1 AND d.scope = ANY ($2) GROUP BY d.source";
    let mut counts = Vec::new();
    for row in work.rows(sql, &[&visible]).await? {
        counts.push(DocumentCount { source: parse(&row, 0)?, documents: count(&row, 1)?, chunks: count(&row, 2)? });
    }
    counts.sort();
    Ok(counts)
}

fn read_place(row: &Row) -> std::result::Result<SourcePlace, Fault> {
    let kind: &str = get(row, 1)?;
    let unknown = || StoreError::Unreadable { what: "source", detail: format!("unknown kind `{kind}`") };
    Ok(SourcePlace {
        scope: parse(row, 0)?,
        kind: SourceKind::from_name(kind).ok_or_else(unknown)?,
        path: get(row, 2)?,
        format: get(row, 3)?,
        added_at: Timestamp::from_millis(get(row, 4)?),
        synced_at: get::<Option<i64>>(row, 5)?.map(Timestamp::from_millis),
        dirty: get(row, 6)?,
    })
}

fn read_transcript(row: &Row) -> std::result::Result<TranscriptPlace, Fault> {
    let bits = |column: usize| get::<i64>(row, column).map(i64::cast_unsigned);
    Ok(TranscriptPlace {
        path: get(row, 0)?,
        format: get(row, 1)?,
        read_bytes: count(row, 2)?,
        device: bits(3)?,
        inode: bits(4)?,
        head_hash: bits(5)?,
        tail_hash: bits(6)?,
        state: get(row, 7)?,
        messages: count(row, 8)?,
        read_at: Timestamp::from_millis(get(row, 9)?),
    })
}

fn read_sync(row: &Row) -> std::result::Result<SyncRun, Fault> {
    Ok(SyncRun {
        cause: get(row, 0)?,
        at: Timestamp::from_millis(get(row, 1)?),
        took_ms: count(row, 2)?,
        counts: SyncCounts {
            indexed: count(row, 3)?,
            unchanged: count(row, 4)?,
            removed: count(row, 5)?,
            skipped: count(row, 6)?,
            messages: count(row, 7)?,
        },
        failure: get(row, 8)?,
    })
}
