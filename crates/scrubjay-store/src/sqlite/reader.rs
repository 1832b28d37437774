//! Connections that read, kept for the next reader.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::connection::{Fault, Options, ReadOnly, open_reader};
use super::integrity::Integrity;
use crate::{Result, StoreError};

/// How many idle connections are kept.
const KEPT: usize = 8;

/// The pool.
#[derive(Clone)]
pub(super) struct Readers {
    options: Arc<Options>,
    integrity: Arc<Integrity>,
    read_only: Option<ReadOnly>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    /// An empty pool for one store.
    pub(super) fn new(options: Options, integrity: Arc<Integrity>) -> Self {
        Self { options: Arc::new(options), integrity, read_only: None, idle: Arc::default() }
    }

    /// The same for a store that cannot be written.
    pub(super) fn read_only(options: Options, integrity: Arc<Integrity>, how: ReadOnly) -> Self {
        Self { read_only: Some(how), ..Self::new(options, integrity) }
    }

    fn open(&self) -> Result<Connection> {
        let opened = self.read_only.map_or_else(|| open_reader(&self.options), |how| how.open(&self.options));
        opened.map_err(|error| self.integrity.judge(None, error))
    }

    /// Runs `task` on one consistent state of the store, on a thread that may
    /// block.
    pub(super) async fn read<T, F>(&self, action: &'static str, task: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> std::result::Result<T, Fault> + Send + 'static,
    {
        let pool = self.clone();
        block_elsewhere(move || {
            let kept = pool.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = kept.map_or_else(|| pool.open(), Ok)?;
            let result = in_one_state(&connection, &pool.options, action, task);
            let result = result.map_err(|error| pool.integrity.judge(Some(&connection), error));
            // A connection on which something failed may still be in the midst
            // of it.
            if connection.is_autocommit() {
                let mut idle = pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
                if idle.len() < KEPT {
                    idle.push(connection);
                }
            }
            result
        })
        .await
    }

    /// The same on a connection of its own, which remembers nothing. FTS5 checks
    /// its index against what it remembers of it, and calls damaged what others
    /// changed meanwhile.
    pub(super) async fn read_afresh<T, F>(&self, action: &'static str, task: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> std::result::Result<T, Fault> + Send + 'static,
    {
        let pool = self.clone();
        block_elsewhere(move || {
            let connection = pool.open()?;
            let result = in_one_state(&connection, &pool.options, action, task);
            result.map_err(|error| pool.integrity.judge(Some(&connection), error))
        })
        .await
    }
}

// Inside a transaction, so that several statements see the same state.
fn in_one_state<T>(
    connection: &Connection,
    options: &Options,
    action: &'static str,
    task: impl FnOnce(&Connection) -> std::result::Result<T, Fault>,
) -> Result<T> {
    let explained = |fault: Fault| fault.explain(action, options);
    connection.execute_batch("BEGIN").map_err(|error| explained(error.into()))?;
    let result = task(connection).map_err(explained);
    // Ending a transaction that only read cannot fail in a way that matters.
    let _ = connection.execute_batch("COMMIT");
    result
}

async fn block_elsewhere<T: Send + 'static>(task: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let joined = tokio::task::spawn_blocking(task).await;
    joined
        .unwrap_or_else(|error| Err(StoreError::Defect { what: format!("reading the store was cut short ({error})") }))
}
