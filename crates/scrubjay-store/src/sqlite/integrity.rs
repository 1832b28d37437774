//! Whether the files of an open store can be trusted, as its writer and its
//! readers know it together.
//!
//! Files that were swapped look damaged to whoever still has the old ones open,
//! or caught a copy halfway, while the store that lies there now may be sound.
//! So damage is believed, and marked for all processes, only if the files are
//! the ones that were opened and a thorough check by a connection that remembers
//! nothing finds damage, too.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::connection::{Fault, Options, open_reader};
use super::file_watch::FileWatch;
use super::{check, damage};
use crate::query::{CheckStatus, Finding};
use crate::{Result, StoreError};

/// What is known about the files of one open store.
pub(super) struct Integrity {
    options: Options,
    // None for a store that is only read: nothing beside it is written, either.
    watch: Option<Mutex<FileWatch>>,
    stopped: Mutex<Option<StoreError>>,
    // Held during a thorough check, so that many failed readers make only one.
    confirming: Mutex<()>,
}

impl Integrity {
    /// Begins with files that were just opened.
    pub(super) fn new(options: Options, watch: FileWatch) -> Self {
        Self { options, watch: Some(Mutex::new(watch)), stopped: Mutex::default(), confirming: Mutex::default() }
    }

    /// For a store that is only read.
    pub(super) fn read_only(options: Options) -> Self {
        let why = StoreError::ReadOnly { path: options.path.clone() };
        Self { options, watch: None, stopped: Mutex::new(Some(why)), confirming: Mutex::default() }
    }

    /// Why nothing is written any more, if it is so.
    pub(super) fn stopped(&self) -> Option<StoreError> {
        lock(&self.stopped).clone()
    }

    /// Nothing is written any more.
    pub(super) fn stop(&self, why: StoreError) {
        *lock(&self.stopped) = Some(why);
    }

    /// Whether writing may go on. Once it may not, it never does.
    pub(super) fn look(&self, connection: &Connection) -> Result<()> {
        match self.stopped() {
            Some(why) => Err(why),
            None => self.look_at_files(Some(connection)),
        }
    }

    /// Takes note of what this process itself did to the main file.
    pub(super) fn wrote_main(&self) {
        if let Some(watch) = &self.watch {
            lock(watch).wrote_main();
        }
    }

    /// What a failure means: what looks like damage may come from files that were
    /// swapped, and leaves a mark if it is damage. The connection, if there is
    /// one, has no open transaction.
    pub(super) fn judge(&self, connection: Option<&Connection>, error: StoreError) -> StoreError {
        match &error {
            StoreError::Damaged { path, detail } if *path == self.options.path => {
                if let Err(swapped) = self.look_at_files(connection) {
                    return swapped;
                }
                self.mark_if_confirmed(detail);
                error
            }
            _ => error,
        }
    }

    /// Marks the store if one of the findings of a check is damage.
    pub(super) fn judge_findings(&self, findings: &[Finding]) {
        if let Some(finding) = findings.iter().find(|finding| finding.status == CheckStatus::Damaged)
            && self.watch.is_some()
            && self.look_at_files(None).is_ok()
        {
            damage::mark(&self.options.path, &format!("{}: {}", finding.check, finding.detail));
        }
    }

    // Without a connection, only the main file can be looked at.
    fn look_at_files(&self, connection: Option<&Connection>) -> Result<()> {
        let Some(watch) = &self.watch else { return Ok(()) };
        let looked = lock(watch).look(connection);
        if let Err(error) = &looked {
            self.stop(error.clone());
        }
        looked
    }

    // The check is the one that takes a mark away again.
    fn mark_if_confirmed(&self, detail: &str) {
        let _alone = lock(&self.confirming);
        if self.watch.is_none() || damage::marked(&self.options.path).is_some() {
            return;
        }
        let explained = |fault: Fault| fault.explain("check the store", &self.options);
        let checked = open_reader(&self.options).and_then(|afresh| check::check(&afresh, true).map_err(explained));
        let is_confirmed = match checked {
            Ok(findings) => findings.iter().any(|finding| finding.status == CheckStatus::Damaged),
            Err(error) => matches!(error, StoreError::Damaged { .. }),
        };
        if is_confirmed {
            damage::mark(&self.options.path, detail);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;
    use std::os::unix::fs::FileExt;

    use super::super::SqliteStore;
    use super::super::connection::open_writer;
    use super::*;

    #[test]
    fn damage_that_nobody_else_finds_leaves_no_mark() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new(folder.path().join("store.db"));
        let path = options.path.clone();
        drop(SqliteStore::open(options.clone()).unwrap());
        let connection = open_writer(&options).unwrap();
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let watch = FileWatch::begin(&connection, &options, None).unwrap();
        let integrity = Integrity::new(options, watch);
        let damaged = StoreError::Damaged { path: path.clone(), detail: "seen once".to_owned() };

        assert!(matches!(integrity.judge(Some(&connection), damaged.clone()), StoreError::Damaged { .. }));
        assert_eq!(damage::marked(&path), None, "a check finds nothing wrong");

        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all_at(&[0xa5; 4096], file.metadata().unwrap().len() - 4096).unwrap();
        let elsewhere = StoreError::Damaged { path: folder.path().join("copy.db"), detail: "not ours".to_owned() };
        integrity.judge(None, elsewhere);
        assert_eq!(damage::marked(&path), None, "it is about another file");
        assert!(matches!(integrity.judge(None, damaged), StoreError::Damaged { .. }));
        assert_eq!(damage::marked(&path).as_deref(), Some("seen once"));
    }
}
