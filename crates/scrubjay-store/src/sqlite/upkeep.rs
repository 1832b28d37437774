//! Marks, scopes and repair: the store as a whole.

use rusqlite::{Connection, OptionalExtension};
use scrubjay_core::scope::Scope;

use super::connection::Fault;
use super::row;

/// A number kept under a name.
pub(super) fn mark(connection: &Connection, name: &str) -> Result<Option<u64>, Fault> {
    let mut statement = connection.prepare_cached("SELECT value FROM marks WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| Ok(row.get::<_, i64>(0)?.unsigned_abs())).optional()?)
}

/// Sets it.
pub(super) fn set_mark(connection: &Connection, name: &str, value: u64) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO marks (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value",
        )?
        .execute((name, row::integer(value)))?;
    Ok(())
}

/// All scopes that hold anything.
pub(super) fn all_scopes(connection: &Connection) -> Result<Vec<Scope>, Fault> {
    let mut statement = connection.prepare_cached("SELECT name FROM scopes ORDER BY name")?;
    Ok(statement.query_map([], |row| row::parse(row, 0))?.collect::<rusqlite::Result<_>>()?)
}

/// Rebuilds everything that is derived from memories.
pub(super) fn repair(connection: &Connection) -> Result<Vec<String>, Fault> {
    let entities = connection.execute(
        "UPDATE entities SET mention_count = (SELECT count(*) FROM memory_entities WHERE entity = entities.pk)
         WHERE mention_count <> (SELECT count(*) FROM memory_entities WHERE entity = entities.pk)",
        [],
    )?;
    Ok(vec![format!("{entities} mention counts corrected")])
}
