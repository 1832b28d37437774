//! The store on a server: how it is opened, and how a transaction is run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::fault::Fault;
use super::migrate;
use super::options::Options;
use super::pool::Pool;
use super::work::Work;
use crate::Result;

/// How often a write is tried again that the server took back to let another one through.
pub(super) const TRIES: usize = 5;

/// The store of one agent on a server.
pub struct PostgresStore {
    pub(super) options: Options,
    pool: Pool,
    agent: i64,
    // Scopes never go and never change their numbers.
    scopes: Mutex<Arc<BTreeMap<String, i64>>>,
}

/// Runs a write: `write!(store, "capture", |work| capture(&work, …))`. The body may run more than once.
macro_rules! write {
    ($store:expr, $action:literal, |$work:ident| $body:expr) => {{
        let mut tries = 1;
        loop {
            let $work = $store.begin($action).await?;
            let done = $body.await;
            match $store.end($work, done).await {
                Ok(value) => break Ok(value),
                Err(fault) if fault.may_succeed_again() && tries < $crate::postgres::store::TRIES => tries += 1,
                Err(fault) => break Err(fault.explain($action, &$store.options)),
            }
        }
    }};
}

/// Runs a read on one state of the store: `read!(store, "count", |work| counts(&work, …))`.
macro_rules! read {
    ($store:expr, $action:literal, |$work:ident| $body:expr) => {{
        let $work = $store.look($action).await?;
        let done = $body.await;
        $store.end($work, done).await.map_err(|fault| fault.explain($action, &$store.options))
    }};
}

pub(super) use {read, write};

impl PostgresStore {
    /// Opens the store of an agent, creating or updating the tables as needed.
    ///
    /// # Errors
    /// When the server cannot be reached, does not let us in, or holds tables of something else or of a newer version.
    /// Nothing is changed then.
    pub async fn open(options: Options) -> Result<Self> {
        let pool = Pool::new(&options)?;
        let open = async {
            let lent = pool.lend(&options).await?;
            migrate::migrate(&lent.client, &options).await?;
            let agent = migrate::agent(&lent.client, &options.agent).await?;
            lent.give_back();
            Ok(agent)
        };
        let agent = open.await.map_err(|fault: Fault| fault.explain("open the store", &options))?;
        Ok(Self { options, pool, agent, scopes: Mutex::default() })
    }

    /// Begins a write.
    pub(super) async fn begin(&self, action: &'static str) -> Result<Work> {
        let mut again = true;
        loop {
            match self.try_to_begin().await {
                Ok(work) => return Ok(work),
                // Nothing was asked of the server yet but to begin, so a new connection may do it.
                Err(fault) if again && fault.broke_connection() => {
                    self.pool.forget_idle();
                    again = false;
                }
                Err(fault) => return Err(fault.explain(action, &self.options)),
            }
        }
    }

    /// Begins a read.
    pub(super) async fn look(&self, action: &'static str) -> Result<Work> {
        let mut again = true;
        loop {
            match self.try_to_look().await {
                Ok(work) => return Ok(work),
                Err(fault) if again && fault.broke_connection() => {
                    self.pool.forget_idle();
                    again = false;
                }
                Err(fault) => return Err(fault.explain(action, &self.options)),
            }
        }
    }

    /// Ends what was begun.
    pub(super) async fn end<T>(
        &self,
        work: Work,
        done: std::result::Result<T, Fault>,
    ) -> std::result::Result<T, Fault> {
        let (value, scopes) = work.end(done).await?;
        if !scopes.is_empty() {
            Arc::make_mut(&mut self.scopes.lock().unwrap_or_else(PoisonError::into_inner)).extend(scopes);
        }
        Ok(value)
    }

    async fn try_to_begin(&self) -> std::result::Result<Work, Fault> {
        Work::write(self.pool.lend(&self.options).await?, self.agent, self.scopes(), &self.options).await
    }

    async fn try_to_look(&self) -> std::result::Result<Work, Fault> {
        Work::read(self.pool.lend(&self.options).await?, self.agent, self.scopes(), &self.options).await
    }

    fn scopes(&self) -> Arc<BTreeMap<String, i64>> {
        Arc::clone(&self.scopes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
