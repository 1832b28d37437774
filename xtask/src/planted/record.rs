//! Which bugs were seen, so that a run that was cut short can go on.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use super::Bug;

/// One line for each bug that was seen.
pub(crate) struct Record {
    path: PathBuf,
    seen: BTreeSet<String>,
}

impl Record {
    /// Begins an empty record in place of the one there may be.
    pub(crate) fn begin(path: PathBuf) -> anyhow::Result<Self> {
        fs::write(&path, "")?;
        Ok(Self { path, seen: BTreeSet::new() })
    }

    /// Goes on with the record of an earlier run.
    pub(crate) fn resume(path: PathBuf) -> anyhow::Result<Self> {
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            other => other?,
        };
        let seen = text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
        Ok(Self { path, seen })
    }

    pub(crate) fn has(&self, bug: &Bug) -> bool {
        self.seen.contains(&bug.key())
    }

    pub(crate) fn add(&mut self, bug: &Bug) -> anyhow::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        writeln!(file, "{} {}", bug.key(), bug.what)?;
        self.seen.insert(bug.key());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUG: Bug = Bug { what: "a", file: "b", find: "c", replace: "d", package: "e", test: "f" };

    #[test]
    fn a_run_goes_on_where_it_was_cut_short_and_tries_changed_bugs_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seen");
        assert!(!Record::resume(path.clone()).unwrap().has(&BUG));
        Record::begin(path.clone()).unwrap().add(&BUG).unwrap();
        let resumed = Record::resume(path.clone()).unwrap();
        assert!(resumed.has(&BUG));
        assert!(!resumed.has(&Bug { test: "another", ..BUG }));
        assert!(!Record::begin(path).unwrap().has(&BUG));
    }
}
