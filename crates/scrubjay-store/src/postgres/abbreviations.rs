//! Ids by part of them.

use std::collections::BTreeSet;

use async_trait::async_trait;
use scrubjay_core::abbreviation::{Abbreviation, IdKind};
use scrubjay_core::scope::View;
use uuid::Uuid;

use super::fault::Fault;
use super::scopes;
use super::store::{PostgresStore, read};
use super::value::{get, limit};
use super::work::Work;
use crate::Result;
use crate::traits::Abbreviations;

#[async_trait]
impl Abbreviations for PostgresStore {
    async fn ids_named(&self, view: &View, kind: IdKind, part: &Abbreviation, limit: usize) -> Result<Vec<String>> {
        read!(self, "look for an id", |work| ids_named(&work, view, kind, part, limit))
    }
}

/// The table of a kind of ids: its name, the column, what else must hold, and what says the prefix.
struct IdTable {
    name: &'static str,
    column: &'static str,
    condition: &'static str,
    kind: &'static str,
}

fn table(kind: IdKind) -> IdTable {
    let plain = |name| IdTable { name, column: "id", condition: "", kind: "''::text" };
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

async fn ids_named(
    work: &Work,
    view: &View,
    kind: IdKind,
    part: &Abbreviation,
    most: usize,
) -> std::result::Result<Vec<String>, Fault> {
    let IdTable { name, column, condition, kind: kind_column } = table(kind);
    let (first, last) = part.leading();
    let (tail_first, tail_last) = part.trailing();
    let only = match kind {
        IdKind::Memory(Some(kind)) => Some(kind.name()),
        _ => None,
    };
    let of_kind = if only.is_some() { " AND kind = $5" } else { " AND $5 IS NULL" };
    let mut found: BTreeSet<(Uuid, String)> = BTreeSet::new();
    // Scope by scope, as the indexes are; as many of each way as could be asked for: the oldest of all are among them.
    for scope in scopes::visible(work, view).await? {
        let beginning = format!(
            "SELECT DISTINCT {column}, {kind_column} FROM {name}
             WHERE agent = $1 AND scope = $2{condition} AND {column} BETWEEN $3 AND $4{of_kind} ORDER BY 1 LIMIT $6"
        );
        let begun = work.rows(&beginning, &[&scope, &first, &last, &only, &limit(most)]).await?;
        let ending = format!(
            "SELECT DISTINCT {column}, {kind_column} FROM {name}
             WHERE agent = $1 AND scope = $2{condition} AND substring(uuid_send({column}) FROM 13) BETWEEN $3 AND $4{of_kind}
             ORDER BY 1"
        );
        let ended = work.rows(&ending, &[&scope, &&tail_first, &&tail_last, &only]).await?;
        for row in begun.iter().chain(&ended) {
            let uuid: Uuid = get(row, 0)?;
            if part.names(uuid) {
                found.insert((uuid, get(row, 1)?));
            }
        }
    }
    let full = |(uuid, name): (Uuid, String)| {
        let prefix = match kind.prefix() {
            Some(prefix) => Some(prefix),
            None => name.parse().ok().and_then(|kind| IdKind::Memory(Some(kind)).prefix()),
        };
        format!("{}_{uuid}", prefix.unwrap_or_default())
    };
    Ok(found.into_iter().take(most).map(full).collect())
}
