//! Connections that read, kept for the next reader.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::connection::{Fault, Options, open_reader};
use crate::{Result, StoreError};

/// How many idle connections are kept.
const KEPT: usize = 8;

/// The pool.
#[derive(Clone)]
pub(super) struct Readers {
    options: Arc<Options>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    /// An empty pool for one store.
    pub(super) fn new(options: Options) -> Self {
        Self { options: Arc::new(options), idle: Arc::default() }
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
            let connection = kept.map_or_else(|| open_reader(&pool.options), Ok)?;
            let result = in_one_state(&connection, &pool.options, action, task);
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
        let options = Arc::clone(&self.options);
        block_elsewhere(move || in_one_state(&open_reader(&options)?, &options, action, task)).await
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
    joined.unwrap_or_else(|error| Err(StoreError::Stopped { why: format!("a reader failed ({error})") }))
}
