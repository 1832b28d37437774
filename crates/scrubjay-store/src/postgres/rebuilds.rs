//! Files that were read again, until they take the place of what is indexed.

use scrubjay_core::id::DocumentId;
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::documents;
use super::fault::Fault;
use super::value::{count, get, hash, integer, parse, to_json, unreadable};
use super::work::{Counter, Work};
use crate::item::{Document, NewChunk};

/// A piece as it is kept here.
type Kept = (u32, u32, String, String);

/// Lays a document aside.
pub(super) async fn stage(work: &Work, build: &str, document: &Document, chunks: &[NewChunk]) -> Result<(), Fault> {
    let kept: Vec<(u32, u32, &str, &str)> =
        chunks.iter().map(|chunk| (chunk.start_line, chunk.end_line, &*chunk.context, &*chunk.text)).collect();
    work.execute(
        "INSERT INTO rebuilds (agent, pk, build, id, scope, source, path, hash, modified_at, size_bytes, indexed_at, chunks)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        &[
            &work.draw(Counter::Rebuilds)?,
            &build,
            &document.id.uuid(),
            &document.scope.to_string(),
            &document.source.name(),
            &document.path,
            &document.hash.as_bytes(),
            &document.modified_at.millis(),
            &integer(document.size_bytes),
            &document.indexed_at.millis(),
            &to_json(&kept)?,
        ],
    )
    .await?;
    Ok(())
}

/// Puts everything that was laid aside in its place, and removes what is gone.
pub(super) async fn finish(
    work: &Work,
    build: &str,
    scope: &Scope,
    gone: &[String],
    at: Timestamp,
) -> Result<usize, Fault> {
    let sql = "SELECT pk, id, scope, source, path, hash, modified_at, size_bytes, indexed_at, chunks FROM rebuilds
               WHERE agent = $1 AND build = $2 AND pk > $3 ORDER BY pk LIMIT 1";
    let mut after = 0i64;
    // One by one: all of them may be more than fits into memory.
    while let Some(row) = work.row(sql, &[&build, &after]).await? {
        let (document, chunks) = read(&row)?;
        documents::put(work, &document, &chunks).await?;
        after = get(&row, 0)?;
    }
    work.execute("DELETE FROM rebuilds WHERE agent = $1 AND build = $2", &[&build]).await?;
    documents::remove(work, scope, gone, Some(at)).await
}

/// Drops what was laid aside before this time and never used.
pub(super) async fn drop_before(work: &Work, before: Timestamp) -> Result<(), Fault> {
    work.execute("DELETE FROM rebuilds WHERE agent = $1 AND indexed_at < $2", &[&before.millis()]).await?;
    Ok(())
}

fn read(row: &Row) -> Result<(Document, Vec<NewChunk>), Fault> {
    let kept: Vec<Kept> = serde_json::from_str(get(row, 9)?).map_err(|error| unreadable(&error))?;
    let piece = |(start_line, end_line, context, text)| NewChunk { start_line, end_line, context, text };
    let document = Document {
        id: DocumentId::from(get::<Uuid>(row, 1)?),
        scope: parse(row, 2)?,
        source: parse(row, 3)?,
        path: get(row, 4)?,
        hash: TextHash::from_bytes(hash(row, 5)?),
        modified_at: Timestamp::from_millis(get(row, 6)?),
        size_bytes: count(row, 7)?,
        indexed_at: Timestamp::from_millis(get(row, 8)?),
    };
    Ok((document, kept.into_iter().map(piece).collect()))
}
