//! Scopes as numbers. The only place where a view becomes a condition on rows.

use rusqlite::{Connection, OptionalExtension};
use scrubjay_core::scope::{Scope, View};

use super::connection::Fault;

/// The numbers of the scopes a view sees, as a list for `IN (…)`.
///
/// A scope that holds nothing yet has no number and is left out; if none has
/// one, the list is empty and matches nothing.
pub(super) fn visible(connection: &Connection, view: &View) -> Result<String, Fault> {
    let mut numbers = Vec::with_capacity(3);
    for scope in view.scopes() {
        if let Some(number) = number(connection, &scope)? {
            numbers.push(number.to_string());
        }
    }
    Ok(numbers.join(","))
}

/// The number of a scope, if it has one.
pub(super) fn number(connection: &Connection, scope: &Scope) -> Result<Option<i64>, Fault> {
    let mut statement = connection.prepare_cached("SELECT pk FROM scopes WHERE name = ?1")?;
    Ok(statement.query_row([scope.to_string()], |row| row.get(0)).optional()?)
}

/// The number of a scope, given one now if it has none.
pub(super) fn number_or_new(connection: &Connection, scope: &Scope) -> Result<i64, Fault> {
    if let Some(number) = number(connection, scope)? {
        return Ok(number);
    }
    connection.prepare_cached("INSERT INTO scopes (name) VALUES (?1)")?.execute([scope.to_string()])?;
    Ok(connection.last_insert_rowid())
}
