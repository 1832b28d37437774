//! The one thread that writes.
//!
//! Writes wait in a queue. The thread takes whatever is there, runs each inside
//! its own savepoint of one transaction, commits, and only then answers them
//! all. A write that fails is rolled back alone; a commit that fails fails them
//! all. Before it begins and before it answers it looks whether the files are
//! still the ones it opened. Between batches the thread moves the log into the
//! main file when it has grown; if that fails for any reason but a lock, or if
//! the files are not the same any more, it stops writing for good, because
//! nobody knows then what the disk holds.

use std::fs;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode as SqliteCode, TransactionBehavior};
use tokio::sync::oneshot;

use super::backup::with_suffix;
use super::connection::{Fault, Options, explain};
use super::integrity::Integrity;
use super::{damage, upkeep};
use crate::{Result, StoreError};

/// How many writes share a commit at most.
const BATCH: usize = 256;

/// When the log is this many times larger than wanted, writers wait for it.
const LOG_PATIENCE: u64 = 8;

/// Called after the commit with its outcome; passes the answer on.
type Answer = Box<dyn FnOnce(std::result::Result<(), StoreError>) + Send>;

/// One write: runs in a transaction, or learns why there is none, and gives its
/// failure, if it failed, with the answer that is due after the commit.
type Task = Box<dyn FnOnce(Result<&Connection>) -> (Option<StoreError>, Answer) + Send>;

enum Message {
    Write(Task),
    // A write that mends a damaged store.
    Mend(Task),
    // True if the log is empty now.
    Cut { patience_ms: u64, sender: oneshot::Sender<Result<bool>> },
}

/// How a writer begins.
pub(super) struct Beginning {
    pub(super) connection: Connection,
    pub(super) options: Options,
    pub(super) integrity: Arc<Integrity>,
    /// The log holds what was purged, and could not be cut at the time.
    pub(super) cut_is_due: bool,
}

/// The queue to the thread, and the thread.
pub(super) struct Writer {
    queue: Option<Sender<Message>>,
    thread: Option<JoinHandle<()>>,
    integrity: Arc<Integrity>,
}

impl Writer {
    /// Starts the thread on an open connection.
    pub(super) fn start(beginning: Beginning) -> Result<Self> {
        let (queue, messages) = channel();
        let Beginning { connection, options, integrity, cut_is_due } = beginning;
        let path = options.path.clone();
        let state = Thread { connection, options, integrity: Arc::clone(&integrity), cut_is_due };
        let thread = std::thread::Builder::new()
            .name("scrubjay-writer".to_owned())
            .spawn(move || state.run(&messages))
            .map_err(|error| StoreError::io("start the writer for", path, error))?;
        Ok(Self { queue: Some(queue), thread: Some(thread), integrity })
    }

    /// A writer that refuses everything, for a store that cannot be written.
    pub(super) fn refusing(integrity: Arc<Integrity>) -> Self {
        Self { queue: None, thread: None, integrity }
    }

    /// Runs `task` in a transaction and waits until it is on disk.
    pub(super) async fn write<T, F>(&self, action: &'static str, options: &Options, task: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> std::result::Result<T, Fault> + Send + 'static,
    {
        self.put(action, options, task, Message::Write).await
    }

    /// The same, although the store is marked as damaged.
    pub(super) async fn mend<T, F>(&self, action: &'static str, options: &Options, task: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> std::result::Result<T, Fault> + Send + 'static,
    {
        self.put(action, options, task, Message::Mend).await
    }

    async fn put<T, F>(
        &self,
        action: &'static str,
        options: &Options,
        task: F,
        message: fn(Task) -> Message,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> std::result::Result<T, Fault> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let options = options.clone();
        let task: Task = Box::new(move |connection| {
            let result =
                connection.and_then(|connection| task(connection).map_err(|fault| fault.explain(action, &options)));
            let failure = result.as_ref().err().cloned();
            let answer: Answer = Box::new(move |commit| {
                let outcome = match commit {
                    // Whatever else failed, failed because of that.
                    Err(error @ StoreError::Replaced { .. }) => Err(error),
                    commit => result.and_then(|value| commit.map(|()| value)),
                };
                // Nobody waits any more when the caller was cancelled; the write
                // stands all the same.
                let _ = sender.send(outcome);
            });
            (failure, answer)
        });
        self.send(message(task))?;
        receiver.await.unwrap_or_else(|_| Err(self.gone()))
    }

    /// Moves the log into the main file and cuts it. False if others who read
    /// were in the way for so long; it is tried again after every write.
    pub(super) async fn cut_log(&self, patience_ms: u64) -> Result<bool> {
        let (sender, receiver) = oneshot::channel();
        self.send(Message::Cut { patience_ms, sender })?;
        receiver.await.unwrap_or_else(|_| Err(self.gone()))
    }

    fn send(&self, message: Message) -> Result<()> {
        self.queue.as_ref().and_then(|queue| queue.send(message).ok()).ok_or_else(|| self.gone())
    }

    fn gone(&self) -> StoreError {
        self.integrity.stopped().unwrap_or_else(|| StoreError::Stopped { why: "the writer thread ended".to_owned() })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Closing the queue lets the thread finish what it has and end.
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Thread {
    connection: Connection,
    options: Options,
    integrity: Arc<Integrity>,
    // The log is to be cut, and a reader was in the way.
    cut_is_due: bool,
}

#[derive(Default)]
struct Batch {
    tasks: Vec<Task>,
    mends: Vec<Task>,
    cuts: Vec<(u64, oneshot::Sender<Result<bool>>)>,
}

impl Batch {
    fn add(&mut self, message: Message) {
        match message {
            Message::Write(task) => self.tasks.push(task),
            Message::Mend(task) => self.mends.push(task),
            Message::Cut { patience_ms, sender } => self.cuts.push((patience_ms, sender)),
        }
    }
}

impl Thread {
    fn run(mut self, messages: &Receiver<Message>) {
        if self.cut_is_due {
            let _ = self.cut(0);
        }
        while let Ok(first) = messages.recv() {
            let mut batch = Batch::default();
            batch.add(first);
            let mut taken = 1;
            let idle = loop {
                match messages.try_recv() {
                    Ok(message) => batch.add(message),
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break true,
                }
                taken += 1;
                if taken == BATCH {
                    break false;
                }
            };
            if !batch.tasks.is_empty() {
                // Files that were swapped may look damaged to a reader; that they were swapped is what to tell.
                match self.integrity.look(&self.connection).err().or_else(|| damage::refusal(&self.options.path)) {
                    Some(error) => refuse(batch.tasks, &error),
                    None => self.commit_together(batch.tasks),
                }
            }
            if !batch.mends.is_empty() {
                match self.integrity.look(&self.connection) {
                    Err(error) => refuse(batch.mends, &error),
                    Ok(()) => self.commit_together(batch.mends),
                }
            }
            for (patience_ms, sender) in batch.cuts {
                let _ = sender.send(self.cut(patience_ms));
            }
            self.checkpoint_if_large(idle);
        }
    }

    // The files were looked at just before.
    fn commit_together(&mut self, tasks: Vec<Task>) {
        let transaction = match self.connection.transaction_with_behavior(TransactionBehavior::Immediate) {
            Ok(transaction) => transaction,
            Err(error) => {
                let error = explain(error, "begin a write", &self.options);
                return refuse(tasks, &self.integrity.judge(None, error));
            }
        };
        let alone = tasks.len() == 1;
        let mut answers = Vec::with_capacity(tasks.len());
        let mut lost: Option<StoreError> = None;
        let (mut any_kept, mut met_damage) = (false, None);
        let mut tasks = tasks.into_iter();
        for task in tasks.by_ref() {
            // A savepoint each, so that one failing write takes no other along.
            if !alone && let Err(error) = transaction.execute_batch("SAVEPOINT write") {
                let error = explain(error, "keep writes apart", &self.options);
                answers.push(task(Err(error.clone())).1);
                lost = Some(error);
                break;
            }
            let (failure, answer) = task(Ok(&transaction));
            answers.push(answer);
            any_kept |= failure.is_none();
            met_damage = failure.clone().filter(|error| matches!(error, StoreError::Damaged { .. })).or(met_damage);
            // A full disk makes SQLite roll everything back on its own. What
            // came after would then run without a transaction.
            if transaction.is_autocommit() {
                lost = Some(failure.unwrap_or(StoreError::Full));
                break;
            }
            let end = match (alone, failure) {
                (true, _) => Ok(()),
                (false, None) => transaction.execute_batch("RELEASE write"),
                (false, Some(_)) => transaction.execute_batch("ROLLBACK TO write; RELEASE write"),
            };
            if let Err(error) = end {
                lost = Some(explain(error, "keep writes apart", &self.options));
                break;
            }
        }
        let outcome = match lost {
            Some(error) => {
                drop(transaction);
                Err(error)
            }
            None if any_kept => transaction.commit().map_err(|error| explain(error, "commit", &self.options)),
            None => transaction.rollback().map_err(|error| explain(error, "roll back", &self.options)),
        };
        let outcome = match outcome {
            Ok(()) if any_kept => self.integrity.look(&self.connection),
            other => other.map_err(|error| self.integrity.judge(Some(&self.connection), error)),
        };
        // What the others wrote is on disk, even if one write met damage.
        let outcome = match (outcome, met_damage) {
            (Ok(()), Some(error)) => match self.integrity.judge(Some(&self.connection), error) {
                swapped @ StoreError::Replaced { .. } => Err(swapped),
                _ => Ok(()),
            },
            (outcome, _) => outcome,
        };
        for answer in answers {
            answer(outcome.clone());
        }
        if let Err(error) = outcome {
            refuse(tasks, &error);
        }
    }

    fn checkpoint_if_large(&mut self, idle: bool) {
        if self.cut_is_due {
            // Tried again after every batch, so it need not hold the next one up.
            let _ = self.cut(0);
            return;
        }
        let log = with_suffix(&self.options.path, "-wal");
        let size_bytes = fs::metadata(log).map_or(0, |metadata| metadata.len());
        let wanted = self.options.checkpoint_bytes;
        let mode = if size_bytes > wanted.saturating_mul(LOG_PATIENCE) {
            "TRUNCATE"
        } else if size_bytes > wanted && idle {
            "PASSIVE"
        } else {
            return;
        };
        // An error that matters has stopped the writer; the next write says so.
        let _ = self.checkpoint(mode);
    }

    // Empties the log, and notes that nothing that was purged is left in it.
    // False if a reader was in the way for so long.
    fn cut(&mut self, patience_ms: u64) -> Result<bool> {
        let usual = Duration::from_millis(self.options.busy_timeout_ms);
        let waits = self.connection.busy_timeout(usual.min(Duration::from_millis(patience_ms)));
        let cut = self.checkpoint("TRUNCATE");
        let _ = waits.and_then(|()| self.connection.busy_timeout(usual));
        self.cut_is_due = !matches!(cut, Ok(true));
        if !self.cut_is_due && upkeep::log_holds_purged(&self.connection) {
            let forgotten = upkeep::forget_log_holds_purged(&self.connection);
            self.cut_is_due = forgotten.is_err();
        }
        cut
    }

    fn checkpoint(&mut self, mode: &str) -> Result<bool> {
        self.integrity.look(&self.connection)?;
        let sql = format!("PRAGMA wal_checkpoint({mode})");
        // A reader in the way is no error, but a one in the first column.
        let result = self.connection.query_row(&sql, [], |row| row.get::<_, bool>(0));
        self.integrity.wrote_main();
        match result {
            Ok(in_the_way) => Ok(!in_the_way),
            Err(error)
                if matches!(error.sqlite_error_code(), Some(SqliteCode::DatabaseBusy | SqliteCode::DatabaseLocked)) =>
            {
                Ok(false)
            }
            // The log keeps everything until there is room again.
            Err(error) if matches!(error.sqlite_error_code(), Some(SqliteCode::DiskFull | SqliteCode::OutOfMemory)) => {
                Err(explain(error, "move the log into the store", &self.options))
            }
            Err(error) => {
                let why = StoreError::Stopped { why: format!("moving the log into the store failed ({error})") };
                self.integrity.stop(why.clone());
                Err(why)
            }
        }
    }
}

fn refuse(tasks: impl IntoIterator<Item = Task>, error: &StoreError) {
    for task in tasks {
        let (_, answer) = task(Err(error.clone()));
        answer(Ok(()));
    }
}
