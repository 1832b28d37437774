//! A write transaction under way.

use std::cell::RefCell;
use std::ops::Deref;

use rusqlite::Connection;

use super::connection::Fault;
use super::lexical;

/// A connection inside a write transaction, with the changes to the search index
/// that are still to be made.
///
/// Those are made last, all together. FTS5 writes what it has to disk at every
/// savepoint, also at the hidden ones around single statements, so index entries
/// between other changes would cost many times as much.
pub(super) struct Write<'a> {
    connection: &'a Connection,
    terms: RefCell<Vec<TermChange>>,
}

/// A text that enters or leaves the search index.
pub(super) struct TermChange {
    /// The memory's row number.
    pub(super) pk: i64,
    /// Its scope's number.
    pub(super) scope: i64,
    /// Its terms, joined.
    pub(super) terms: String,
    /// Whether it leaves.
    pub(super) leaves: bool,
}

impl<'a> Write<'a> {
    /// On a connection with an open transaction.
    pub(super) fn new(connection: &'a Connection) -> Self {
        Self { connection, terms: RefCell::default() }
    }

    /// Notes a change to the search index.
    pub(super) fn later(&self, change: TermChange) {
        self.terms.borrow_mut().push(change);
    }

    /// How many changes to the index are noted.
    pub(super) fn noted(&self) -> usize {
        self.terms.borrow().len()
    }

    /// Forgets the changes noted after the first `kept`.
    pub(super) fn forget_after(&self, kept: usize) {
        self.terms.borrow_mut().truncate(kept);
    }

    /// Makes the noted changes, in order.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        for change in self.terms.take() {
            lexical::apply(self.connection, &change)?;
        }
        Ok(())
    }
}

impl Deref for Write<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}
