//! One transaction of one agent.
//!
//! A write begins with the lock on its agent's row, which holds the counters that numbers are drawn from, and ends by
//! writing them back with the commit. So no other write of the agent comes in between, on any machine, and a higher number
//! is always committed later. Every statement sees what was committed before the lock was taken, because in READ COMMITTED
//! each takes its snapshot when it starts. A read sees one snapshot throughout and locks nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Row, SimpleQueryMessage};

use super::fault::Fault;
use super::options::Options;
use super::pool::Lent;
use super::value::{Bound, Value};
use crate::StoreError;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counter {
    Scopes,
    Memories,
    Changes,
    Entities,
    Jobs,
    Documents,
    Chunks,
    Log,
    Generations,
    Receipts,
    Confirmations,
    Tasks,
    Rebuilds,
}

const COUNTERS: [(Counter, &str); 13] = [
    (Counter::Scopes, "scopes_drawn"),
    (Counter::Memories, "memories_drawn"),
    (Counter::Changes, "changes_drawn"),
    (Counter::Entities, "entities_drawn"),
    (Counter::Jobs, "jobs_drawn"),
    (Counter::Documents, "documents_drawn"),
    (Counter::Chunks, "chunks_drawn"),
    (Counter::Log, "log_drawn"),
    (Counter::Generations, "generations_drawn"),
    (Counter::Receipts, "receipts_drawn"),
    (Counter::Confirmations, "confirmations_drawn"),
    (Counter::Tasks, "tasks_drawn"),
    (Counter::Rebuilds, "rebuilds_drawn"),
];

/// A transaction that is open.
pub(super) struct Work {
    lent: Lent,
    agent: i64,
    patience: Duration,
    // None for a transaction that only reads.
    counters: Option<Mutex<Counters>>,
    // Numbers of scopes: those that were known before, and those that were looked up or made here.
    known_scopes: Arc<BTreeMap<String, i64>>,
    scopes: Mutex<BTreeMap<String, i64>>,
}

#[derive(Clone)]
struct Counters {
    drawn: [i64; COUNTERS.len()],
    before: [i64; COUNTERS.len()],
}

impl Work {
    /// Begins a transaction that may write, as the only one of its agent.
    pub(super) async fn write(
        lent: Lent,
        agent: i64,
        known_scopes: Arc<BTreeMap<String, i64>>,
        options: &Options,
    ) -> Result<Self, Fault> {
        let columns = COUNTERS.map(|(_, column)| column).join(", ");
        let begin = format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}; \
             SELECT {columns} FROM agents WHERE pk = {agent} FOR NO KEY UPDATE",
            limits(options)
        );
        let patience = patience(options);
        let answer = within(patience, lent.client.simple_query(&begin)).await?;
        let drawn = answer.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let drawn = drawn.ok_or_else(|| StoreError::Defect { what: "the row of the agent is gone".to_owned() })?;
        let mut numbers = [0; COUNTERS.len()];
        for (place, number) in numbers.iter_mut().enumerate() {
            let text = drawn.try_get(place)?.unwrap_or_default();
            *number = text.parse().map_err(|error: std::num::ParseIntError| super::value::unreadable(&error))?;
        }
        let counters = Some(Mutex::new(Counters { drawn: numbers, before: numbers }));
        Ok(Self { lent, agent, patience, counters, known_scopes, scopes: Mutex::default() })
    }

    /// Begins a transaction that reads one state.
    pub(super) async fn read(
        lent: Lent,
        agent: i64,
        known_scopes: Arc<BTreeMap<String, i64>>,
        options: &Options,
    ) -> Result<Self, Fault> {
        let begin = format!("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}", limits(options));
        let patience = patience(options);
        within(patience, lent.client.batch_execute(&begin)).await?;
        Ok(Self { lent, agent, patience, counters: None, known_scopes, scopes: Mutex::default() })
    }

    /// Ends the transaction: what was done stands once this returns it, and nothing of it does if this is a failure. The
    /// numbers of the scopes that it came upon, which stand now, too, are given along.
    pub(super) async fn end<T>(self, done: Result<T, Fault>) -> Result<(T, BTreeMap<String, i64>), Fault> {
        let value = match done {
            Ok(value) => value,
            Err(fault) => {
                // A connection that cannot even do this is closed by being dropped.
                if !fault.broke_connection()
                    && within(self.patience, self.lent.client.batch_execute("ROLLBACK")).await.is_ok()
                {
                    self.lent.give_back();
                }
                return Err(fault);
            }
        };
        let commit = self.commit_statement();
        within(self.patience, self.lent.client.batch_execute(&commit)).await?;
        self.lent.give_back();
        Ok((value, self.scopes.into_inner().unwrap_or_else(PoisonError::into_inner)))
    }

    /// The next number of a sort of row.
    pub(super) fn draw(&self, counter: Counter) -> Result<i64, Fault> {
        let mut counters = self.counters()?;
        let drawn = &mut counters.drawn[counter as usize];
        *drawn += 1;
        Ok(*drawn)
    }

    /// Runs a statement; says how many rows it touched. The agent is `$1`, and the values follow.
    pub(super) async fn execute(&self, sql: &str, values: &[&dyn Value]) -> Result<u64, Fault> {
        let bound = self.bound(values);
        let values = typed(&self.agent, values, &bound);
        within(self.patience, self.lent.client.execute_typed(sql, &values)).await
    }

    /// The rows that a statement gives.
    pub(super) async fn rows(&self, sql: &str, values: &[&dyn Value]) -> Result<Vec<Row>, Fault> {
        let bound = self.bound(values);
        let values = typed(&self.agent, values, &bound);
        within(self.patience, self.lent.client.query_typed(sql, &values)).await
    }

    /// The first row that a statement gives, if it gives one.
    pub(super) async fn row(&self, sql: &str, values: &[&dyn Value]) -> Result<Option<Row>, Fault> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The row of a statement that always gives one.
    pub(super) async fn one(&self, sql: &str, values: &[&dyn Value]) -> Result<Row, Fault> {
        let missing = || StoreError::Defect { what: "a statement that always gives a row gave none".to_owned() };
        self.row(sql, values).await?.ok_or_else(|| missing().into())
    }

    /// Whether a statement gives a row.
    pub(super) async fn exists(&self, sql: &str, values: &[&dyn Value]) -> Result<bool, Fault> {
        Ok(self.row(sql, values).await?.is_some())
    }

    /// The number of a scope, if it is known.
    pub(super) fn scope(&self, name: &str) -> Option<i64> {
        let known = self.known_scopes.get(name).copied();
        known.or_else(|| self.scopes.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied())
    }

    /// Notes the number of a scope.
    pub(super) fn know_scope(&self, name: String, number: i64) {
        self.scopes.lock().unwrap_or_else(PoisonError::into_inner).insert(name, number);
    }

    fn counters(&self) -> Result<MutexGuard<'_, Counters>, Fault> {
        let reading = || StoreError::Defect { what: "a transaction that only reads wanted a number".to_owned() };
        Ok(self.counters.as_ref().ok_or_else(reading)?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn commit_statement(&self) -> String {
        let mut changed = String::new();
        if let Some(counters) = &self.counters {
            let counters = counters.lock().unwrap_or_else(PoisonError::into_inner);
            for (place, (_, column)) in COUNTERS.iter().enumerate() {
                if counters.drawn[place] != counters.before[place] {
                    let comma = if changed.is_empty() { "" } else { ", " };
                    // Writing to a string cannot fail.
                    let _ = write!(changed, "{comma}{column} = {}", counters.drawn[place]);
                }
            }
        }
        if changed.is_empty() {
            return "COMMIT".to_owned();
        }
        format!("UPDATE agents SET {changed} WHERE pk = {}; COMMIT", self.agent)
    }

    fn bound<'a>(&self, values: &[&'a dyn Value]) -> Vec<Bound<'a>> {
        values.iter().map(|value| Bound(*value)).collect()
    }
}

fn typed<'a>(agent: &'a i64, values: &[&dyn Value], bound: &'a [Bound<'a>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    let agent: (&(dyn ToSql + Sync), Type) = (agent, Type::INT8);
    let others = values.iter().zip(bound).map(|(value, bound)| {
        let bound: &(dyn ToSql + Sync) = bound;
        (bound, value.column_type())
    });
    std::iter::once(agent).chain(others).collect()
}

// For this transaction alone, so that a pooler may give the connection to another one afterwards.
fn limits(options: &Options) -> String {
    let (statement, busy) = (options.statement_timeout_ms, options.busy_timeout_ms);
    format!(
        "SET LOCAL statement_timeout = {statement}; SET LOCAL lock_timeout = {busy}; \
         SET LOCAL idle_in_transaction_session_timeout = {statement}"
    )
}

// The server's own limits come first; this is for one that does not answer at all.
fn patience(options: &Options) -> Duration {
    Duration::from_millis(options.statement_timeout_ms.max(options.busy_timeout_ms) + 5_000)
}

async fn within<T>(
    patience: Duration,
    asked: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Fault> {
    match tokio::time::timeout(patience, asked).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Fault::Silence),
    }
}
