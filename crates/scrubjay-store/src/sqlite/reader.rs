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
        let joined = tokio::task::spawn_blocking(move || pool.read_now(action, task)).await;
        joined.unwrap_or_else(|error| Err(StoreError::Stopped { why: format!("a reader failed ({error})") }))
    }

    fn read_now<T>(
        &self,
        action: &'static str,
        task: impl FnOnce(&Connection) -> std::result::Result<T, Fault>,
    ) -> Result<T> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = kept.map_or_else(|| open_reader(&self.options), Ok)?;
        let explained = |fault: Fault| fault.explain(action, &self.options);
        // A transaction, so that several statements see the same state.
        connection.execute_batch("BEGIN").map_err(|error| explained(error.into()))?;
        let result = task(&connection).map_err(explained);
        // Ending a transaction that only read cannot fail in a way that matters;
        // if it does, the connection is not kept.
        if connection.execute_batch("COMMIT").is_ok() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < KEPT {
                idle.push(connection);
            }
        }
        result
    }
}
