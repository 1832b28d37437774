//! Databases of other programs, to read and never to change.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::{Map, Value};

use crate::{Result, StoreError};

/// A SQLite file of another program.
#[derive(Debug)]
pub struct ForeignDatabase {
    connection: Connection,
}

impl ForeignDatabase {
    /// Opens it for reading alone.
    ///
    /// # Errors
    /// When it is not there or no database.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error: rusqlite::Error| unreadable(path, &error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        // Its own program may be writing.
        connection.busy_timeout(std::time::Duration::from_secs(5)).map_err(failed)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(())).map_err(failed)?;
        Ok(Self { connection })
    }

    /// Hands over every row of a table, by its row id; false if there is no such table. Blobs are left out.
    ///
    /// # Errors
    /// Those of whoever takes the rows, and when the database cannot be read.
    pub fn rows<E: From<StoreError>>(
        &self,
        path: &Path,
        table: &'static str,
        mut take: impl FnMut(Map<String, Value>) -> std::result::Result<(), E>,
    ) -> std::result::Result<bool, E> {
        let failed = |error: rusqlite::Error| E::from(unreadable(path, &error));
        let known = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        let count: i64 = self.connection.query_row(known, [table], |row| row.get(0)).map_err(failed)?;
        if count == 0 {
            return Ok(false);
        }
        let mut statement =
            self.connection.prepare(&format!("SELECT * FROM \"{table}\" ORDER BY rowid")).map_err(failed)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query(()).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let mut fields = Map::new();
            for (at, name) in names.iter().enumerate() {
                let value = match row.get_ref(at).map_err(failed)? {
                    ValueRef::Null | ValueRef::Blob(_) => continue,
                    ValueRef::Integer(number) => Value::from(number),
                    ValueRef::Real(number) => Value::from(number),
                    ValueRef::Text(bytes) => Value::from(String::from_utf8_lossy(bytes)),
                };
                fields.insert(name.clone(), value);
            }
            take(fields)?;
        }
        Ok(true)
    }
}

fn unreadable(path: &Path, error: &rusqlite::Error) -> StoreError {
    StoreError::OtherDatabase { path: path.to_owned(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_order_and_nothing_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "journal_mode", "wal").unwrap();
        connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, blob BLOB)").unwrap();
        connection.execute_batch("INSERT INTO t VALUES (2, 'b', x'00'), (1, 'a', NULL)").unwrap();
        let database = ForeignDatabase::open(&path).unwrap();
        let mut seen = Vec::new();
        let take = |row: Map<String, Value>| {
            seen.push(Value::Object(row).to_string());
            Ok::<_, StoreError>(())
        };
        assert!(database.rows(&path, "t", take).unwrap());
        assert_eq!(seen, [r#"{"id":1,"text":"a"}"#, r#"{"id":2,"text":"b"}"#]);
        assert!(!database.rows(&path, "missing", |_| Ok::<_, StoreError>(())).unwrap());
        assert!(database.connection.execute("DELETE FROM t", ()).is_err());
    }

    #[test]
    fn what_is_no_database_is_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "x".repeat(5000)).unwrap();
        assert!(matches!(ForeignDatabase::open(file.path()), Err(StoreError::OtherDatabase { .. })));
    }
}
