//! Which calls fail, and how: fault plans, their counters, and the result code each fault turns into.
//!
//! The codes are those SQLite's unix VFS returns for the same `errno`, because the code under test reacts to codes:
//! a full disk met by `write` is `SQLITE_FULL`, but met while growing the `-shm` file it is `SQLITE_IOERR_SHMSIZE`.

use std::collections::HashMap;

use rusqlite::ffi;

use super::error::VfsError;

/// The kinds of VFS call that are counted and that a plan can make fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// Opening or creating a file.
    Open,
    /// Reading from a file.
    Read,
    /// Writing to a file.
    Write,
    /// Cutting a file to a size.
    Truncate,
    /// Flushing a file.
    Sync,
    /// Mapping (and growing) the shared-memory index; it is seen under the name of the main database.
    ShmMap,
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The device answers EIO and nothing happens. A failed sync also leaves the writes it should have covered
    /// in doubt for ever, as on Linux, where a later successful fsync does not write them again.
    InputOutput,
    /// The disk is full and nothing is written.
    NoSpace,
    /// The disk fills up in the middle of a write: the first half of the bytes is written. Writes only.
    ShortWrite,
}

/// "The Nth matching call fails like this": by default the first one, in any file, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPlan {
    call: CallKind,
    fault: Fault,
    nth: u64,
    suffix: String,
    persistent: bool,
}

impl FaultPlan {
    /// Fails the first call of this kind in any file, once.
    pub fn new(call: CallKind, fault: Fault) -> Self {
        Self { call, fault, nth: 1, suffix: String::new(), persistent: false }
    }

    /// Fails the `nth` matching call after the plan was armed, counted from 1.
    #[must_use]
    pub fn on_call(mut self, nth: u64) -> Self {
        self.nth = nth;
        self
    }

    /// A plan that only counts: matching calls show in [`super::Handle::matched_calls`] and none fails.
    #[must_use]
    pub fn never(self) -> Self {
        self.on_call(u64::MAX)
    }

    /// Only files whose path ends so, such as `-wal`. The main database is matched by its own file name.
    #[must_use]
    pub fn for_files_ending(mut self, suffix: &str) -> Self {
        suffix.clone_into(&mut self.suffix);
        self
    }

    /// Every matching call from the Nth on fails, until the faults are cleared.
    #[must_use]
    pub fn persistently(mut self) -> Self {
        self.persistent = true;
        self
    }

    fn matches(&self, call: CallKind, path: &str) -> bool {
        self.call == call && path.ends_with(&self.suffix)
    }
}

/// A fault that was decided on, with the code the call has to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Injected {
    pub(super) fault: Fault,
    pub(super) code: i32,
}

/// The armed plans of one VFS and the calls it has seen.
#[derive(Debug, Default)]
pub(super) struct FaultBoard {
    armed: Vec<Armed>,
    calls: HashMap<CallKind, HashMap<String, u64>>,
    matched: u64,
    injected: u64,
}

#[derive(Debug)]
struct Armed {
    plan: FaultPlan,
    code: i32,
    seen: u64,
}

impl FaultBoard {
    pub(super) fn arm(&mut self, plan: FaultPlan) -> Result<(), VfsError> {
        let code = result_code(plan.call, plan.fault)
            .ok_or(VfsError::UnsupportedFault { call: plan.call, fault: plan.fault })?;
        self.armed.push(Armed { plan, code, seen: 0 });
        Ok(())
    }

    pub(super) fn clear(&mut self) {
        self.armed.clear();
    }

    /// Counts the call and says whether it has to fail. Every matching plan counts it; the oldest due one decides.
    pub(super) fn on_call(&mut self, call: CallKind, path: &str) -> Option<Injected> {
        let by_path = self.calls.entry(call).or_default();
        match by_path.get_mut(path) {
            Some(count) => *count += 1,
            None => {
                by_path.insert(path.to_owned(), 1);
            }
        }
        let mut decided = None;
        for armed in &mut self.armed {
            if !armed.plan.matches(call, path) {
                continue;
            }
            armed.seen += 1;
            self.matched += 1;
            let due = armed.seen == armed.plan.nth || (armed.plan.persistent && armed.seen > armed.plan.nth);
            if due && decided.is_none() {
                decided = Some(Injected { fault: armed.plan.fault, code: armed.code });
            }
        }
        self.injected += u64::from(decided.is_some());
        decided
    }

    pub(super) fn calls(&self, call: CallKind, suffix: &str) -> u64 {
        self.calls.get(&call).map_or(0, |by_path| {
            by_path.iter().filter(|(path, _)| path.ends_with(suffix)).map(|(_, count)| count).sum()
        })
    }

    pub(super) fn matched(&self) -> u64 {
        self.matched
    }

    pub(super) fn injected(&self) -> u64 {
        self.injected
    }
}

/// The code SQLite's unix VFS gives for this failure, or nothing where a disk cannot fail so.
fn result_code(call: CallKind, fault: Fault) -> Option<i32> {
    match (call, fault) {
        (CallKind::Open, Fault::InputOutput | Fault::NoSpace) => Some(ffi::SQLITE_CANTOPEN),
        (CallKind::Read, Fault::InputOutput) => Some(ffi::SQLITE_IOERR_READ),
        (CallKind::Write, Fault::InputOutput) => Some(ffi::SQLITE_IOERR_WRITE),
        (CallKind::Write, Fault::NoSpace | Fault::ShortWrite) => Some(ffi::SQLITE_FULL),
        (CallKind::Truncate, Fault::InputOutput) => Some(ffi::SQLITE_IOERR_TRUNCATE),
        (CallKind::Sync, Fault::InputOutput) => Some(ffi::SQLITE_IOERR_FSYNC),
        (CallKind::Truncate | CallKind::Sync, Fault::NoSpace) => Some(ffi::SQLITE_FULL),
        (CallKind::ShmMap, Fault::InputOutput) => Some(ffi::SQLITE_IOERR_SHMMAP),
        (CallKind::ShmMap, Fault::NoSpace) => Some(ffi::SQLITE_IOERR_SHMSIZE),
        (CallKind::Read, Fault::NoSpace) => None,
        (_, Fault::ShortWrite) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the calls that fail among ten writes that alternate between two files.
    fn failing(plan: FaultPlan) -> Vec<u64> {
        let mut board = FaultBoard::default();
        assert!(board.arm(plan).is_ok());
        (1..=10)
            .filter(|number| {
                let path = if number % 2 == 0 { "/d/a-wal" } else { "/d/a" };
                board.on_call(CallKind::Write, path).is_some()
            })
            .collect()
    }

    #[test]
    fn plans_pick_calls_by_number_suffix_and_persistence() {
        let plan = FaultPlan::new(CallKind::Write, Fault::InputOutput);
        assert_eq!(failing(plan.clone()), [1]);
        assert_eq!(failing(plan.clone().on_call(4)), [4]);
        assert_eq!(failing(plan.clone().on_call(2).for_files_ending("-wal")), [4]);
        assert_eq!(failing(plan.clone().on_call(8).persistently()), [8, 9, 10]);
        assert_eq!(failing(plan.never()), Vec::<u64>::new());
        let other = FaultPlan::new(CallKind::Sync, Fault::InputOutput);
        assert_eq!(failing(other), Vec::<u64>::new());
    }

    #[test]
    fn calls_are_counted_by_kind_and_suffix_with_and_without_a_plan() {
        let mut board = FaultBoard::default();
        for path in ["/d/a", "/d/a-wal", "/d/a-wal"] {
            assert_eq!(board.on_call(CallKind::Sync, path), None);
        }
        assert_eq!(board.calls(CallKind::Sync, ""), 3);
        assert_eq!(board.calls(CallKind::Sync, "-wal"), 2);
        assert_eq!(board.calls(CallKind::Write, ""), 0);
        assert_eq!((board.matched(), board.injected()), (0, 0));
    }

    #[test]
    fn a_failure_no_disk_can_have_is_refused() {
        let mut board = FaultBoard::default();
        for (call, fault) in [(CallKind::Sync, Fault::ShortWrite), (CallKind::Read, Fault::NoSpace)] {
            assert!(matches!(board.arm(FaultPlan::new(call, fault)), Err(VfsError::UnsupportedFault { .. })));
        }
    }
}
