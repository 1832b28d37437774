//! Origins of memories that were made before a foreign origin was inherited.

use rusqlite::{Connection, TransactionBehavior};
use scrubjay_core::memory::OriginKind;

use super::connection::{Fault, Options};
use super::{index_log, row, upkeep};
use crate::Result;
use crate::item::ItemKey;

/// The mark of a store whose memories have inherited theirs.
const INHERITED: &str = "origins_inherited";

/// What was made from text of a tool or the web, directly or not, and is not
/// marked as such.
const UNMARKED: &str = "
    WITH RECURSIVE made(memory, origin) AS (
        SELECT pk, origin FROM memories WHERE origin IN ('tool', 'web')
        UNION
        SELECT l.from_memory, made.origin FROM made
        JOIN links l ON l.to_memory = made.memory AND l.relation = 'derived_from'
    )
    SELECT m.pk, m.scope, max(made.origin) FROM made JOIN memories m ON m.pk = made.memory
    WHERE m.origin NOT IN ('tool', 'web') GROUP BY m.pk, m.scope";

/// Lets them inherit it, once in the life of a store.
pub(super) fn inherit(connection: &mut Connection, options: &Options) -> Result<()> {
    let explained = |fault: Fault| fault.explain("mark what was made from foreign text", options);
    if upkeep::mark(connection, INHERITED).map_err(explained)?.is_some() {
        return Ok(());
    }
    inherit_now(connection).map_err(explained)
}

fn inherit_now(connection: &mut Connection) -> std::result::Result<(), Fault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = {
        let mut statement = transaction.prepare(UNMARKED)?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row::parse::<OriginKind>(row, 2)?)))?;
        rows.collect::<rusqlite::Result<Vec<(i64, i64, OriginKind)>>>()?
    };
    for (pk, scope, origin) in found {
        transaction.execute("UPDATE memories SET origin = ?1 WHERE pk = ?2", (origin.name(), pk))?;
        index_log::note(&transaction, scope, ItemKey::memory(pk.unsigned_abs()), false)?;
    }
    upkeep::set_mark(&transaction, INHERITED, 1)?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_from_foreign_text_is_found_however_far() {
        let connection = super::super::migrate::scratch().unwrap();
        connection.execute("INSERT INTO scopes (pk, name) VALUES (1, 'project/a')", []).unwrap();
        for (pk, origin) in [(1, "web"), (2, "tool"), (3, "assistant"), (4, "user"), (5, "user"), (6, "system")] {
            connection
                .execute(
                    "INSERT INTO memories (pk, id, kind, type, scope, content, importance, confidence, decay_rate,
                         event_time, created_at, access_count, origin, version, text_hash, time_given)
                     VALUES (?1, randomblob(16), 'fact', 'general', 1, 'x', 3, 1, 0, 0, 0, 0, ?2, 1, zeroblob(16), 0)",
                    (pk, origin),
                )
                .unwrap();
        }
        // 3 was made from the web, 4 from 3 and from a tool, 6 from a tool; 5 is only related.
        for (from, relation, to) in [
            (3, "derived_from", 1),
            (4, "derived_from", 3),
            (4, "derived_from", 2),
            (6, "derived_from", 2),
            (5, "related", 1),
        ] {
            connection.execute("INSERT INTO links VALUES (?1, ?2, ?3)", (from, relation, to)).unwrap();
        }
        let mut connection = connection;
        inherit_now(&mut connection).unwrap();
        let origin = |pk: i64| -> String {
            connection.query_row("SELECT origin FROM memories WHERE pk = ?1", [pk], |row| row.get(0)).unwrap()
        };
        assert_eq!([3, 4, 5, 6].map(origin), ["web", "web", "user", "tool"]);
        let logged: i64 = connection.query_row("SELECT count(*) FROM index_log", [], |row| row.get(0)).unwrap();
        assert_eq!(logged, 3, "the search index learns of it");
        assert_eq!(upkeep::mark(&connection, INHERITED).ok().flatten(), Some(1));
    }
}
