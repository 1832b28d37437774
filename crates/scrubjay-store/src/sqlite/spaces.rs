//! Vectors that callers made themselves.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};

use super::connection::Fault;
use super::scopes;
use super::store::SqliteStore;
use crate::rules;
use crate::space::{Space, SpaceEntry};
use crate::traits::VectorSpaces;

#[async_trait]
impl VectorSpaces for SqliteStore {
    async fn space_dimensions(&self, space: &Space) -> crate::Result<Option<usize>> {
        let space = space.clone();
        self.readers.read("look at a vector space", move |connection| dimensions(connection, &space)).await
    }

    async fn put_in_space(&self, space: &Space, entries: Vec<SpaceEntry>) -> crate::Result<()> {
        let space = space.clone();
        let put = move |connection: &_| put(connection, &space, &entries);
        self.writer.write("store a caller's vectors", &self.options, put).await
    }

    async fn space_entries(&self, space: &Space, after: Option<&str>, limit: usize) -> crate::Result<Vec<SpaceEntry>> {
        let (space, after) = (space.clone(), after.map(str::to_owned));
        let page = move |connection: &_| page(connection, &space, after.as_deref(), limit);
        self.readers.read("read a caller's vectors", page).await
    }

    async fn remove_from_space(&self, space: &Space, ids: Vec<String>) -> crate::Result<usize> {
        let space = space.clone();
        let remove = move |connection: &_| remove(connection, &space, &ids);
        self.writer.write("remove a caller's vectors", &self.options, remove).await
    }

    async fn clear_space(&self, space: &Space) -> crate::Result<usize> {
        let space = space.clone();
        let clear = move |connection: &_| clear(connection, &space);
        self.writer.write("empty a vector space", &self.options, clear).await
    }

    async fn count_space(&self, space: &Space) -> crate::Result<u64> {
        let space = space.clone();
        self.readers.read("count a caller's vectors", move |connection| count(connection, &space)).await
    }
}

fn dimensions(connection: &Connection, space: &Space) -> Result<Option<usize>, Fault> {
    let Some(scope) = number(connection, space)? else { return Ok(None) };
    let mut statement = connection
        .prepare_cached("SELECT length(vector) / 4 FROM space_entries WHERE scope = ?1 AND namespace = ?2 LIMIT 1")?;
    let found: Option<i64> = statement.query_row((scope, &space.namespace), |row| row.get(0)).optional()?;
    Ok(found.map(|dimensions| usize::try_from(dimensions).unwrap_or(0)))
}

fn put(connection: &Connection, space: &Space, entries: &[SpaceEntry]) -> Result<(), Fault> {
    rules::expect_dimensions(space, dimensions(connection, space)?, entries)?;
    if entries.is_empty() {
        return Ok(());
    }
    let scope = scopes::number_or_new(connection, &space.scope)?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO space_entries (scope, namespace, id, vector, payload) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET vector = excluded.vector, payload = excluded.payload",
    )?;
    for entry in entries {
        let vector: Vec<u8> = entry.vector.iter().flat_map(|value| value.to_le_bytes()).collect();
        statement.execute((scope, &space.namespace, &entry.id, vector, &entry.payload))?;
    }
    Ok(())
}

fn page(connection: &Connection, space: &Space, after: Option<&str>, limit: usize) -> Result<Vec<SpaceEntry>, Fault> {
    let Some(scope) = number(connection, space)? else { return Ok(Vec::new()) };
    // No id sorts before the empty text, and one that is it is found without a bound.
    let beyond = if after.is_some() { ">" } else { ">=" };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id, vector, payload FROM space_entries
         WHERE scope = ?1 AND namespace = ?2 AND id {beyond} ?3 ORDER BY id LIMIT ?4"
    ))?;
    let values = (scope, &space.namespace, after.unwrap_or_default(), i64::try_from(limit).unwrap_or(i64::MAX));
    Ok(statement.query_map(values, read)?.collect::<rusqlite::Result<_>>()?)
}

fn remove(connection: &Connection, space: &Space, ids: &[String]) -> Result<usize, Fault> {
    let Some(scope) = number(connection, space)? else { return Ok(0) };
    let mut statement =
        connection.prepare_cached("DELETE FROM space_entries WHERE scope = ?1 AND namespace = ?2 AND id = ?3")?;
    let mut removed = 0;
    for id in ids {
        removed += statement.execute((scope, &space.namespace, id))?;
    }
    Ok(removed)
}

fn clear(connection: &Connection, space: &Space) -> Result<usize, Fault> {
    let Some(scope) = number(connection, space)? else { return Ok(0) };
    let mut statement = connection.prepare_cached("DELETE FROM space_entries WHERE scope = ?1 AND namespace = ?2")?;
    Ok(statement.execute((scope, &space.namespace))?)
}

fn count(connection: &Connection, space: &Space) -> Result<u64, Fault> {
    let Some(scope) = number(connection, space)? else { return Ok(0) };
    let mut statement =
        connection.prepare_cached("SELECT count(*) FROM space_entries WHERE scope = ?1 AND namespace = ?2")?;
    Ok(statement.query_row((scope, &space.namespace), |row| row.get::<_, i64>(0))?.unsigned_abs())
}

fn number(connection: &Connection, space: &Space) -> Result<Option<i64>, Fault> {
    scopes::number(connection, &space.scope)
}

fn read(row: &Row<'_>) -> rusqlite::Result<SpaceEntry> {
    let bytes: Vec<u8> = row.get(1)?;
    let (values, _) = bytes.as_chunks::<4>();
    let vector = values.iter().map(|value| f32::from_le_bytes(*value)).collect();
    Ok(SpaceEntry { id: row.get(0)?, vector, payload: row.get(2)? })
}
