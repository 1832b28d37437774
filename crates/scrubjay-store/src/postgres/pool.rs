//! Connections, kept for the next transaction.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::Client;

use super::fault::Fault;
use super::options::Options;
use super::tls::Tls;
use crate::StoreError;

/// The connections of one store.
pub(super) struct Pool {
    tls: Tls,
    idle: Arc<Mutex<Vec<Client>>>,
    places: Arc<Semaphore>,
}

/// A connection on loan. Dropped without being given back, it is closed, and the server takes back what was not
/// committed.
pub(super) struct Lent {
    pub(super) client: Client,
    idle: Arc<Mutex<Vec<Client>>>,
    _place: OwnedSemaphorePermit,
}

impl Pool {
    /// An empty pool; nothing is connected yet.
    pub(super) fn new(options: &Options) -> Result<Self, StoreError> {
        let tls = Tls::new().map_err(|error| StoreError::Defect { what: format!("cannot set up TLS ({error})") })?;
        let places = Arc::new(Semaphore::new(options.connections.max(1)));
        Ok(Self { tls, idle: Arc::default(), places })
    }

    /// A connection: one that is idle, or a new one. Waits while all are in use.
    pub(super) async fn lend(&self, options: &Options) -> Result<Lent, Fault> {
        let patience = Duration::from_millis(options.busy_timeout_ms);
        let place = tokio::time::timeout(patience, Arc::clone(&self.places).acquire_owned()).await;
        let Ok(Ok(place)) = place else { return Err(StoreError::Busy { waited_ms: options.busy_timeout_ms }.into()) };
        let idle = Arc::clone(&self.idle);
        // One whose server has gone is known to be closed, and dropped.
        while let Some(client) = lock(&self.idle).pop() {
            if !client.is_closed() {
                return Ok(Lent { client, idle, _place: place });
            }
        }
        let (client, connection) = options.config.connect(self.tls.clone()).await?;
        // It ends when its client is dropped or the server goes, and whoever uses it is told then.
        drop(tokio::spawn(connection));
        Ok(Lent { client, idle, _place: place })
    }

    /// Closes what is idle, because the server it went to is not there any more.
    pub(super) fn forget_idle(&self) {
        lock(&self.idle).clear();
    }
}

impl Lent {
    /// Gives the connection back. Nothing may be open on it.
    pub(super) fn give_back(self) {
        if !self.client.is_closed() {
            lock(&self.idle).push(self.client);
        }
    }
}

fn lock(idle: &Mutex<Vec<Client>>) -> MutexGuard<'_, Vec<Client>> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}
