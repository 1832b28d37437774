//! Indexed files and their pieces.

use std::collections::{BTreeMap, VecDeque};

use scrubjay_core::id::DocumentId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::value::{count, get, hash, integer, limit, parse};
use super::work::{Counter, Work};
use super::{index_log, names, scopes};
use crate::item::{Chunk, Document, ItemKey, NewChunk};
use crate::{StoreError, rules};

const COLUMNS: &str = "d.id, s.name, d.source, d.path, d.hash, d.modified_at, d.size_bytes, d.indexed_at";
const FROM: &str = "documents d JOIN scopes s ON s.agent = d.agent AND s.pk = d.scope";

/// Stores a document with its chunks, in place of what was known under its path.
pub(super) async fn put(work: &Work, document: &Document, chunks: &[NewChunk]) -> Result<(), Fault> {
    let scope = scopes::number_or_new(work, &document.scope).await?;
    let row = work
        .one(
            "INSERT INTO documents (agent, pk, id, scope, source, path, hash, modified_at, size_bytes, indexed_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
             ON CONFLICT (agent, scope, path) DO UPDATE SET source = excluded.source, hash = excluded.hash,
                 modified_at = excluded.modified_at, size_bytes = excluded.size_bytes, indexed_at = excluded.indexed_at
             RETURNING pk",
            &[
                &work.draw(Counter::Documents)?,
                &document.id.uuid(),
                &scope,
                &document.source.name(),
                &document.path,
                &document.hash.as_bytes(),
                &document.modified_at.millis(),
                &integer(document.size_bytes),
                &document.indexed_at.millis(),
            ],
        )
        .await
        .map_err(|fault| fault.if_taken(|| rules::taken(document.id)))?;
    let pk = get(&row, 0)?;
    // What has the same text as before keeps its row, and so its vectors.
    let mut former = former_chunks(work, pk).await?;
    work.execute("UPDATE chunks SET ordinal = -1 - ordinal WHERE agent = $1 AND document = $2", &[&pk]).await?;
    for (ordinal, chunk) in (0i64..).zip(chunks) {
        let hash = rules::chunk_hash(chunk);
        let kept = former.get_mut(&hash).and_then(VecDeque::pop_front);
        let number = match kept {
            Some(number) => {
                let sql = "UPDATE chunks SET ordinal = $3, start_line = $4, end_line = $5 WHERE agent = $1 AND pk = $2";
                work.execute(sql, &[&number, &ordinal, &chunk.start_line, &chunk.end_line]).await?;
                number
            }
            None => insert_chunk(work, pk, ordinal, chunk, hash).await?,
        };
        index_log::note(work, scope, ItemKey::chunk(number.unsigned_abs()), kept.is_none()).await?;
    }
    for number in former.into_values().flatten() {
        remove_chunk(work, scope, number).await?;
    }
    names::put(work, (scope, pk), document, chunks).await
}

/// Notes that a file was looked at and is the same.
pub(super) async fn note(work: &Work, document: &Document) -> Result<(), Fault> {
    let scope = scopes::number_or_new(work, &document.scope).await?;
    let changed = work
        .execute(
            "UPDATE documents SET modified_at = $4, size_bytes = $5, indexed_at = $6
             WHERE agent = $1 AND scope = $2 AND path = $3",
            &[
                &scope,
                &document.path,
                &document.modified_at.millis(),
                &integer(document.size_bytes),
                &document.indexed_at.millis(),
            ],
        )
        .await?;
    if changed == 0 { Err(StoreError::not_found(&document.path).into()) } else { Ok(()) }
}

/// A scope's documents under a path, by path.
pub(super) async fn list(
    work: &Work,
    scope: &Scope,
    prefix: &str,
    after: Option<&str>,
    most: usize,
) -> Result<Vec<Document>, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE d.agent = $1 AND d.scope = $2 AND d.path > $3 AND d.path >= $4
             AND starts_with(d.path, $4)
         ORDER BY d.path LIMIT $5"
    );
    let rows = work.rows(&sql, &[&scope, &after.unwrap_or(""), &prefix, &limit(most)]).await?;
    rows.iter().map(read).collect()
}

/// Those of a scope's documents that have one of these paths.
pub(super) async fn at(work: &Work, scope: &Scope, paths: &[String]) -> Result<Vec<Document>, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE d.agent = $1 AND d.scope = $2 AND d.path = ANY ($3)");
    work.rows(&sql, &[&scope, &paths.to_vec()]).await?.iter().map(read).collect()
}

/// One visible document's chunks, in order.
pub(super) async fn chunks(work: &Work, view: &View, id: DocumentId) -> Result<Vec<Chunk>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!(
        "SELECT {} FROM {} WHERE c.agent = $1 AND d.id = $2 AND d.scope = ANY ($3) ORDER BY c.ordinal",
        index_log::CHUNK_COLUMNS,
        index_log::CHUNK_FROM
    );
    let rows = work.rows(&sql, &[&id.uuid(), &visible]).await?;
    rows.iter().map(|row| index_log::read_chunk(row).map(|(_, chunk)| chunk)).collect()
}

/// Removes documents with everything that is theirs.
pub(super) async fn remove(
    work: &Work,
    scope: &Scope,
    paths: &[String],
    gone_at: Option<Timestamp>,
) -> Result<usize, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(0) };
    let mut gone = 0;
    for path in paths {
        let sql = "SELECT pk FROM documents WHERE agent = $1 AND scope = $2 AND path = $3";
        let Some(found) = work.row(sql, &[&scope, path]).await? else { continue };
        let pk = get(&found, 0)?;
        for number in former_chunks(work, pk).await?.into_values().flatten() {
            remove_chunk(work, scope, number).await?;
        }
        names::remove(work, (scope, pk), path, gone_at).await?;
        work.execute("DELETE FROM documents WHERE agent = $1 AND pk = $2", &[&pk]).await?;
        gone += 1;
    }
    Ok(gone)
}

async fn insert_chunk(
    work: &Work,
    document: i64,
    ordinal: i64,
    chunk: &NewChunk,
    hash: TextHash,
) -> Result<i64, Fault> {
    let number = work.draw(Counter::Chunks)?;
    work.execute(
        "INSERT INTO chunks (agent, pk, document, ordinal, start_line, end_line, context, text, text_hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            &number,
            &document,
            &ordinal,
            &chunk.start_line,
            &chunk.end_line,
            &chunk.context,
            &chunk.text,
            &hash.as_bytes(),
        ],
    )
    .await?;
    Ok(number)
}

async fn former_chunks(work: &Work, document: i64) -> Result<BTreeMap<TextHash, VecDeque<i64>>, Fault> {
    let sql = "SELECT text_hash, pk FROM chunks WHERE agent = $1 AND document = $2 ORDER BY ordinal";
    let mut former: BTreeMap<TextHash, VecDeque<i64>> = BTreeMap::new();
    for row in work.rows(sql, &[&document]).await? {
        former.entry(TextHash::from_bytes(hash(&row, 0)?)).or_default().push_back(get(&row, 1)?);
    }
    Ok(former)
}

async fn remove_chunk(work: &Work, scope: i64, number: i64) -> Result<(), Fault> {
    work.execute("DELETE FROM chunks WHERE agent = $1 AND pk = $2", &[&number]).await?;
    index_log::forget(work, scope, ItemKey::chunk(number.unsigned_abs())).await
}

fn read(row: &Row) -> Result<Document, Fault> {
    Ok(Document {
        id: DocumentId::from(get::<Uuid>(row, 0)?),
        scope: parse(row, 1)?,
        source: parse(row, 2)?,
        path: get(row, 3)?,
        hash: TextHash::from_bytes(hash(row, 4)?),
        modified_at: Timestamp::from_millis(get(row, 5)?),
        size_bytes: count(row, 6)?,
        indexed_at: Timestamp::from_millis(get(row, 7)?),
    })
}
