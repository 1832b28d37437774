//! Marks, scopes and repair: the store as a whole.

use rusqlite::{Connection, OptionalExtension};
use scrubjay_core::scope::Scope;

use super::connection::Fault;
use super::{counts, row};
use crate::change::PURGES;

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

/// The mark of a log that holds what was purged.
const LOG_HOLDS_PURGED: &str = "log_holds_purged";

/// Notes that the log holds what was purged, and counts the purge for the index:
/// in the purge's own transaction, so that whoever comes after a process that was
/// killed can finish it.
pub(super) fn note_purge(connection: &Connection) -> Result<(), Fault> {
    set_mark(connection, LOG_HOLDS_PURGED, 1)?;
    let purges = mark(connection, PURGES)?.unwrap_or(0);
    set_mark(connection, PURGES, purges + 1)
}

/// Whether the log holds what was purged.
pub(super) fn log_holds_purged(connection: &Connection) -> bool {
    matches!(mark(connection, LOG_HOLDS_PURGED), Ok(Some(1)))
}

/// Notes that it does not any more.
pub(super) fn forget_log_holds_purged(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM marks WHERE name = ?1", [LOG_HOLDS_PURGED]).map(drop)
}

/// All scopes that hold anything.
pub(super) fn all_scopes(connection: &Connection) -> Result<Vec<Scope>, Fault> {
    let mut statement = connection.prepare_cached("SELECT name FROM scopes ORDER BY name")?;
    Ok(statement.query_map([], |row| row::parse(row, 0))?.collect::<rusqlite::Result<_>>()?)
}

/// Makes the store's own indexes anew: of all that can be damaged, they alone
/// are derived.
pub(super) fn reindex(connection: &Connection) -> Result<(), Fault> {
    Ok(connection.execute_batch("REINDEX")?)
}

/// Rebuilds everything that is derived from memories.
pub(super) fn repair(connection: &Connection) -> Result<Vec<String>, Fault> {
    let entities = connection.execute(
        "UPDATE entities SET mention_count = (SELECT count(*) FROM memory_entities WHERE entity = entities.pk)
         WHERE mention_count <> (SELECT count(*) FROM memory_entities WHERE entity = entities.pk)",
        [],
    )?;
    let memories = counts::wrong(connection)?;
    if memories > 0 {
        counts::recount(connection)?;
    }
    Ok(vec![format!("{entities} mention counts corrected"), format!("{memories} counts of memories corrected")])
}
