//! Transactions whose outcome can be told from the store alone, and the judge that tells.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::super::{Handle, Rng, Verdict};

/// A test ends with the first error it did not ask for.
pub(super) type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

pub(super) const FILE_NAME: &str = "store.sqlite";

pub(super) fn open(handle: &Handle, path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags_and_vfs(path, OpenFlags::default(), handle.name())?;
    // A small cache makes larger transactions spill into the WAL before they commit.
    connection.execute_batch("PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 8; PRAGMA synchronous = full;")?;
    Ok(connection)
}

pub(super) fn set_up(connection: &Connection, journal_mode: &str) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", journal_mode)?;
    connection.execute_batch(
        "CREATE TABLE entry (number INTEGER NOT NULL, part INTEGER NOT NULL, payload TEXT NOT NULL);
         CREATE INDEX entry_payload ON entry (substr(payload, 1, 40), number);
         CREATE TABLE churn (key INTEGER PRIMARY KEY, value BLOB NOT NULL);",
    )
}

/// One transaction. Deletions beside the rows that count keep pages moving through the free list.
pub(super) fn commit(connection: &mut Connection, number: u32) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for part in 0..parts_of(number) {
        transaction.execute(
            "INSERT INTO entry (number, part, payload) VALUES (?1, ?2, ?3)",
            (number, part, payload_of(number, part)),
        )?;
    }
    transaction.execute(
        "INSERT OR REPLACE INTO churn (key, value) VALUES (?1, zeroblob(?2))",
        (number % 7, 500 + number % 5 * 1_500),
    )?;
    transaction.execute("DELETE FROM churn WHERE key = ?1", [(number + 3) % 7])?;
    transaction.commit()
}

pub(super) fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<()> {
    connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()))
}

/// Opens a store as the next process would, and compares it with what must be there and what may be.
pub(super) fn judge(path: &Path, must: &[u32], attempted: u32) -> Verdict {
    let found = match found_in(path) {
        Err(error) => return Verdict::Corrupt(error.to_string()),
        Ok(Err(verdict)) => return verdict,
        Ok(Ok(found)) => found,
    };
    if let Some(lost) = must.iter().find(|number| !found.contains_key(number)) {
        return Verdict::Lost(format!("commit {lost}"));
    }
    match found.iter().find(|(number, parts)| **number > attempted || **parts != parts_of(**number)) {
        Some((number, parts)) => Verdict::Corrupt(format!("{parts} rows of commit {number}")),
        None => Verdict::Sound,
    }
}

/// The commit numbers in a store with the number of their rows, or the verdict that made counting pointless.
fn found_in(path: &Path) -> rusqlite::Result<Result<BTreeMap<u32, u32>, Verdict>> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "synchronous", "off")?;
    let integrity: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if integrity != "ok" {
        return Ok(Err(Verdict::Corrupt(integrity)));
    }
    let mut found = BTreeMap::new();
    if !connection.table_exists(None, "entry")? {
        return Ok(Ok(found));
    }
    let mut statement = connection.prepare("SELECT number, part, payload FROM entry ORDER BY number, part")?;
    let mut rows = statement.query([])?;
    let mut previous = None;
    while let Some(row) = rows.next()? {
        let (number, part): (u32, u32) = (row.get(0)?, row.get(1)?);
        if previous.replace((number, part)) == Some((number, part)) {
            return Ok(Err(Verdict::Duplicated(format!("commit {number}"))));
        }
        if row.get::<_, String>(2)? != payload_of(number, part) {
            return Ok(Err(Verdict::Corrupt(format!("payload of commit {number}"))));
        }
        *found.entry(number).or_default() += 1;
    }
    Ok(Ok(found))
}

fn parts_of(number: u32) -> u32 {
    1 + number % 3
}

fn payload_of(number: u32, part: u32) -> String {
    let mut rng = Rng::new(u64::from(number) << 8 | u64::from(part));
    let word = format!("{:016x}", rng.next_u64());
    word.repeat(1 + rng.below(70))
}

/// The judge is the eye of every test here, so it is shown each kind of damage once.
#[test]
fn the_judge_tells_lost_doubled_and_broken_apart() -> Outcome {
    let check = |damage: &str, expected: fn(&Verdict) -> bool| -> Outcome {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join(FILE_NAME);
        let mut connection = Connection::open(&path)?;
        connection.pragma_update(None, "synchronous", "off")?;
        set_up(&connection, "delete")?;
        for number in 0..5 {
            commit(&mut connection, number)?;
        }
        connection.execute_batch(damage)?;
        drop(connection);
        let verdict = judge(&path, &[0, 1, 2, 3, 4], 4);
        assert!(expected(&verdict), "{damage}: {verdict:?}");
        Ok(())
    };
    check("SELECT 1", |verdict| *verdict == Verdict::Sound)?;
    check("DELETE FROM entry WHERE number = 2", |verdict| matches!(verdict, Verdict::Lost(_)))?;
    check("DROP TABLE entry", |verdict| matches!(verdict, Verdict::Lost(_)))?;
    check("INSERT INTO entry SELECT * FROM entry WHERE number = 2", |verdict| {
        matches!(verdict, Verdict::Duplicated(_))
    })?;
    for damage in [
        "DELETE FROM entry WHERE number = 2 AND part = 1",
        "UPDATE entry SET payload = 'x' WHERE number = 2",
        "INSERT INTO entry VALUES (5, 0, 'never attempted')",
        "PRAGMA writable_schema = on; DELETE FROM sqlite_schema WHERE name = 'entry_payload';",
    ] {
        check(damage, |verdict| matches!(verdict, Verdict::Corrupt(_)))?;
    }
    Ok(())
}
