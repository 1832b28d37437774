//! Bringing the tables up to date, and finding the agent's row.
//!
//! Migrations are numbered files, applied in order in one transaction with the version they lead to, under a lock that
//! only one process of all machines has.

use std::path::PathBuf;

use tokio_postgres::Client;

use super::fault::Fault;
use super::options::Options;
use crate::StoreError;

const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_foundation.sql"),
    include_str!("../../migrations/postgres/0002_derived.sql"),
    include_str!("../../migrations/postgres/0003_work.sql"),
];

/// The schema version this build writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// The number of the lock that whoever migrates holds: the bytes `SJay`.
const LOCK: i64 = 0x534a_6179;

/// Applies what is missing. Who may not change tables can still open a store that is up to date.
pub(super) async fn migrate(client: &Client, options: &Options) -> Result<(), Fault> {
    if version(client, options).await? == Some(SCHEMA_VERSION) {
        return Ok(());
    }
    client.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK})")).await?;
    // Another process may have been faster between the look and the lock.
    let found = version(client, options).await?.unwrap_or(0);
    if found == 0 {
        client.batch_execute("CREATE TABLE scrubjay_schema (version bigint NOT NULL)").await?;
        client.batch_execute("INSERT INTO scrubjay_schema (version) VALUES (0)").await?;
    }
    for migration in &MIGRATIONS[usize::try_from(found).unwrap_or(0)..] {
        client.batch_execute(migration).await?;
    }
    client.batch_execute(&format!("UPDATE scrubjay_schema SET version = {SCHEMA_VERSION}; COMMIT")).await?;
    Ok(())
}

/// The number of the agent of this name, made now if there is none.
pub(super) async fn agent(client: &Client, name: &str) -> Result<i64, Fault> {
    use tokio_postgres::types::Type;
    let find = "SELECT pk FROM agents WHERE name = $1";
    if let Some(row) = client.query_typed_opt(find, &[(&name, Type::TEXT)]).await? {
        return Ok(row.try_get(0)?);
    }
    // Half of the numbers that there are, because a lineage is handed on as a number without a sign.
    let make = "INSERT INTO agents (name, lineage) VALUES ($1, (random() * 4611686018427387904)::bigint) \
                ON CONFLICT DO NOTHING";
    client.execute_typed(make, &[(&name, Type::TEXT)]).await?;
    Ok(client.query_typed_one(find, &[(&name, Type::TEXT)]).await?.try_get(0)?)
}

/// The version of the tables; none if there are none. Refuses those of a newer version and of another program.
pub(super) async fn version(client: &Client, options: &Options) -> Result<Option<i64>, Fault> {
    // From the catalogue's rows: `to_regclass` may answer from what this connection remembers from before it had the lock.
    let tables = "SELECT coalesce(bool_or(relname = 'scrubjay_schema'), false), \
                      coalesce(bool_or(relname = 'memories'), false)
                  FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p') AND pg_catalog.pg_table_is_visible(oid)";
    let tables = client.query_typed_one(tables, &[]).await?;
    let path = PathBuf::from(options.place());
    if !tables.try_get(0)? {
        return if tables.try_get(1)? { Err(StoreError::Foreign { path }.into()) } else { Ok(None) };
    }
    let found = client.query_typed_one("SELECT max(version) FROM scrubjay_schema", &[]).await?;
    let found: Option<i64> = found.try_get(0)?;
    match found {
        Some(found) if found > SCHEMA_VERSION => Err(StoreError::Newer { path, found, known: SCHEMA_VERSION }.into()),
        found => Ok(found),
    }
}
