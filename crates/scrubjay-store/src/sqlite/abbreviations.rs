//! Ids by part of them.

use std::collections::BTreeSet;

use async_trait::async_trait;
use rusqlite::Connection;
use scrubjay_core::abbreviation::{Abbreviation, IdKind};
use scrubjay_core::scope::View;
use uuid::Uuid;

use super::connection::Fault;
use super::scopes;
use super::store::SqliteStore;
use crate::Result;
use crate::traits::Abbreviations;

#[async_trait]
impl Abbreviations for SqliteStore {
    async fn ids_named(&self, view: &View, kind: IdKind, part: &Abbreviation, limit: usize) -> Result<Vec<String>> {
        let (view, part) = (view.clone(), part.clone());
        self.readers.read("look for an id", move |connection| ids_named(connection, &view, kind, &part, limit)).await
    }
}

/// The table of a kind of ids: its name, the column, what else must hold, and
/// what says the prefix.
struct IdTable {
    name: &'static str,
    column: &'static str,
    condition: &'static str,
    kind: &'static str,
}

fn table(kind: IdKind) -> IdTable {
    let plain = |name| IdTable { name, column: "id", condition: "", kind: "''" };
    match kind {
        IdKind::Memory(_) => IdTable { kind: "kind", ..plain("memories") },
        IdKind::Entity => plain("entities"),
        IdKind::Job => plain("jobs"),
        IdKind::Document => plain("documents"),
        IdKind::Confirmation => plain("confirmations"),
        IdKind::Receipt => plain("receipts"),
        IdKind::Run => IdTable { column: "run", condition: " AND operation <> 'capture'", ..plain("changes") },
    }
}

fn ids_named(
    connection: &Connection,
    view: &View,
    kind: IdKind,
    part: &Abbreviation,
    limit: usize,
) -> std::result::Result<Vec<String>, Fault> {
    let table = table(kind);
    let (first, last) = part.leading();
    let (tail_first, tail_last) = part.trailing();
    let mut found: BTreeSet<(Uuid, String)> = BTreeSet::new();
    for scope in scopes::visible(connection, view)?.split(',').filter(|scope| !scope.is_empty()) {
        let mut from = found.len();
        for (sql, low, high) in [
            (leading_sql(&table, scope), first.as_bytes().as_slice(), last.as_bytes().as_slice()),
            (trailing_sql(&table, scope), tail_first.as_slice(), tail_last.as_slice()),
        ] {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query((low, high))?;
            // As many of each way as could be asked for: the oldest of all are among them.
            while let Some(row) = rows.next()? {
                let (uuid, name): (Uuid, String) = (row.get(0)?, row.get(1)?);
                let fits = match kind {
                    IdKind::Memory(Some(kind)) => kind.name() == name,
                    _ => true,
                };
                if fits && part.names(uuid) {
                    found.insert((uuid, name));
                }
                if found.len() >= from + limit {
                    break;
                }
            }
            from = found.len();
        }
    }
    let full = |(uuid, name): (Uuid, String)| {
        let prefix = match kind.prefix() {
            Some(prefix) => Some(prefix),
            None => name.parse().ok().and_then(|kind| IdKind::Memory(Some(kind)).prefix()),
        };
        format!("{}_{uuid}", prefix.unwrap_or_default())
    };
    Ok(found.into_iter().take(limit).map(full).collect())
}

fn leading_sql(table: &IdTable, scope: &str) -> String {
    let IdTable { name, column, condition, kind } = table;
    format!(
        "SELECT DISTINCT {column}, {kind} FROM {name} WHERE scope = {scope}{condition} AND {column} BETWEEN ?1 AND ?2 ORDER BY 1"
    )
}

fn trailing_sql(table: &IdTable, scope: &str) -> String {
    let IdTable { name, column, condition, kind } = table;
    format!(
        "SELECT {column}, {kind} FROM {name} WHERE scope = {scope}{condition} AND substr({column}, 13) BETWEEN ?1 AND ?2"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_looked_up_and_not_scanned() {
        for kind in [IdKind::Memory(None), IdKind::Entity, IdKind::Document, IdKind::Receipt, IdKind::Run] {
            let table = table(kind);
            let plan = super::super::migrate::plan_of(&trailing_sql(&table, "1"));
            let index = format!("{}_by_tail (scope=? AND <expr>>? AND <expr><?)", table.name);
            assert!(plan.len() == 1 && plan[0].contains(&index), "{kind:?}: {plan:?}");
            let plan = super::super::migrate::plan_of(&leading_sql(&table, "1"));
            assert!(plan.iter().all(|step| !step.starts_with("SCAN")), "{kind:?}: {plan:?}");
        }
        let plan = super::super::migrate::plan_of(&leading_sql(&table(IdKind::Memory(None)), "1"));
        assert!(plan[0].contains("memories_by_id (scope=? AND id>? AND id<?)"), "{plan:?}");
    }
}
