//! Bringing a store's schema up to date.
//!
//! Migrations are numbered files, applied in order inside one transaction with
//! the version they lead to, so that a process killed anywhere leaves the old
//! schema or the new one.

use std::collections::BTreeSet;

use rusqlite::{Connection, TransactionBehavior};

use super::connection::{APPLICATION_ID, Options, explain};
use super::names;
use crate::{Result, StoreError};

const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/sqlite/0001_foundation.sql"),
    include_str!("../../migrations/sqlite/0002_recall.sql"),
    include_str!("../../migrations/sqlite/0003_sources.sql"),
    include_str!("../../migrations/sqlite/0004_context.sql"),
    include_str!("../../migrations/sqlite/0005_models.sql"),
    include_str!("../../migrations/sqlite/0006_shown_texts.sql"),
    include_str!("../../migrations/sqlite/0007_rebuilds.sql"),
    include_str!("../../migrations/sqlite/0008_spaces.sql"),
    include_str!("../../migrations/sqlite/0009_completed_sessions.sql"),
    include_str!("../../migrations/sqlite/0010_names.sql"),
    include_str!("../../migrations/sqlite/0011_short_ids.sql"),
    include_str!("../../migrations/sqlite/0012_counts.sql"),
];

/// The version that brought the names of documents.
const NAMES_SINCE: usize = 10;

/// The schema version this build writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// Applies what is missing.
pub(super) fn migrate(connection: &mut Connection, options: &Options) -> Result<()> {
    if version(connection, options)? == SCHEMA_VERSION {
        return Ok(());
    }
    let explained = |error| explain(error, "update the store's schema", options);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(explained)?;
    // Another process may have been faster between the look and the lock.
    let found = version(&transaction, options)?;
    if found > SCHEMA_VERSION {
        return Err(StoreError::Newer { path: options.path.clone(), found, known: SCHEMA_VERSION });
    }
    let done = usize::try_from(found).unwrap_or(0);
    for migration in &MIGRATIONS[done..] {
        transaction.execute_batch(migration).map_err(explained)?;
    }
    if done < NAMES_SINCE {
        names::fill(&transaction).map_err(explained)?;
    }
    transaction
        .execute_batch(&format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"))
        .map_err(explained)?;
    transaction.commit().map_err(explained)
}

/// The tables, indexes and so on of a store: their names and definitions.
pub(super) fn schema(connection: &Connection) -> rusqlite::Result<BTreeSet<(String, Option<String>)>> {
    let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The schema of a store of this version.
pub(super) fn expected_schema() -> rusqlite::Result<BTreeSet<(String, Option<String>)>> {
    schema(&scratch()?)
}

/// An empty store of this version, in memory.
pub(super) fn scratch() -> rusqlite::Result<Connection> {
    let scratch = Connection::open_in_memory()?;
    for migration in MIGRATIONS {
        scratch.execute_batch(migration)?;
    }
    Ok(scratch)
}

/// How SQLite goes about a query on a store of this version.
#[cfg(test)]
pub(super) fn plan_of(sql: &str) -> Vec<String> {
    let scratch = scratch().expect("the tables");
    let mut statement = scratch.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("a statement");
    let values = vec![rusqlite::types::Null; statement.parameter_count()];
    let steps = statement.query_map(rusqlite::params_from_iter(values), |row| row.get(3)).expect("a plan");
    steps.map(|step| step.expect("a step")).collect()
}

fn version(connection: &Connection, options: &Options) -> Result<i64> {
    connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(|error| explain(error, "read the store's version", options))
}
