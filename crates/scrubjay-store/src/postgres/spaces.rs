//! Vectors that callers made themselves.

use async_trait::async_trait;
use tokio_postgres::Row;

use super::fault::Fault;
use super::scopes;
use super::store::{PostgresStore, read, write};
use super::value::{count, get, limit};
use super::work::Work;
use crate::rules;
use crate::space::{Space, SpaceEntry};
use crate::traits::VectorSpaces;

#[async_trait]
impl VectorSpaces for PostgresStore {
    async fn space_dimensions(&self, space: &Space) -> crate::Result<Option<usize>> {
        read!(self, "look at a vector space", |work| dimensions(&work, space))
    }

    async fn put_in_space(&self, space: &Space, entries: Vec<SpaceEntry>) -> crate::Result<()> {
        write!(self, "store a caller's vectors", |work| put(&work, space, &entries))
    }

    async fn space_entries(&self, space: &Space, after: Option<&str>, limit: usize) -> crate::Result<Vec<SpaceEntry>> {
        read!(self, "read a caller's vectors", |work| page(&work, space, after, limit))
    }

    async fn remove_from_space(&self, space: &Space, ids: Vec<String>) -> crate::Result<usize> {
        write!(self, "remove a caller's vectors", |work| remove(&work, space, &ids))
    }

    async fn clear_space(&self, space: &Space) -> crate::Result<usize> {
        write!(self, "empty a vector space", |work| clear(&work, space))
    }

    async fn count_space(&self, space: &Space) -> crate::Result<u64> {
        read!(self, "count a caller's vectors", |work| count_all(&work, space))
    }
}

async fn dimensions(work: &Work, space: &Space) -> Result<Option<usize>, Fault> {
    let Some(scope) = scopes::number(work, &space.scope).await? else { return Ok(None) };
    let sql = "SELECT (octet_length(vector) / 4)::bigint FROM space_entries
               WHERE agent = $1 AND scope = $2 AND namespace = $3 LIMIT 1";
    let found = work.row(sql, &[&scope, &space.namespace]).await?;
    found.map(|row| Ok(usize::try_from(get::<i64>(&row, 0)?).unwrap_or(0))).transpose()
}

async fn put(work: &Work, space: &Space, entries: &[SpaceEntry]) -> Result<(), Fault> {
    rules::expect_dimensions(space, dimensions(work, space).await?, entries)?;
    if entries.is_empty() {
        return Ok(());
    }
    let scope = scopes::number_or_new(work, &space.scope).await?;
    for entry in entries {
        let vector: Vec<u8> = entry.vector.iter().flat_map(|value| value.to_le_bytes()).collect();
        work.execute(
            "INSERT INTO space_entries (agent, scope, namespace, id, vector, payload) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (agent, scope, namespace, id)
                 DO UPDATE SET vector = excluded.vector, payload = excluded.payload",
            &[&scope, &space.namespace, &entry.id, &vector, &entry.payload],
        )
        .await?;
    }
    Ok(())
}

async fn page(work: &Work, space: &Space, after: Option<&str>, most: usize) -> Result<Vec<SpaceEntry>, Fault> {
    let Some(scope) = scopes::number(work, &space.scope).await? else { return Ok(Vec::new()) };
    let sql = "SELECT id, vector, payload FROM space_entries
               WHERE agent = $1 AND scope = $2 AND namespace = $3 AND ($4 IS NULL OR id > $4) ORDER BY id LIMIT $5";
    let rows = work.rows(sql, &[&scope, &space.namespace, &after, &limit(most)]).await?;
    rows.iter().map(read_entry).collect()
}

async fn remove(work: &Work, space: &Space, ids: &[String]) -> Result<usize, Fault> {
    let Some(scope) = scopes::number(work, &space.scope).await? else { return Ok(0) };
    let sql = "DELETE FROM space_entries WHERE agent = $1 AND scope = $2 AND namespace = $3 AND id = ANY ($4)";
    let gone = work.execute(sql, &[&scope, &space.namespace, &ids.to_vec()]).await?;
    Ok(usize::try_from(gone).unwrap_or(usize::MAX))
}

async fn clear(work: &Work, space: &Space) -> Result<usize, Fault> {
    let Some(scope) = scopes::number(work, &space.scope).await? else { return Ok(0) };
    let sql = "DELETE FROM space_entries WHERE agent = $1 AND scope = $2 AND namespace = $3";
    Ok(usize::try_from(work.execute(sql, &[&scope, &space.namespace]).await?).unwrap_or(usize::MAX))
}

async fn count_all(work: &Work, space: &Space) -> Result<u64, Fault> {
    let Some(scope) = scopes::number(work, &space.scope).await? else { return Ok(0) };
    let sql = "SELECT count(*) FROM space_entries WHERE agent = $1 AND scope = $2 AND namespace = $3";
    count(&work.one(sql, &[&scope, &space.namespace]).await?, 0)
}

fn read_entry(row: &Row) -> Result<SpaceEntry, Fault> {
    let bytes: &[u8] = get(row, 1)?;
    let (values, _) = bytes.as_chunks::<4>();
    let vector = values.iter().map(|value| f32::from_le_bytes(*value)).collect();
    Ok(SpaceEntry { id: get(row, 0)?, vector, payload: get(row, 2)? })
}
