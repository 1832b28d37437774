//! Builds the disk as it may look after a power cut at some place in the log.
//!
//! Certain is what a completed sync covered: the bytes of a file after its own sync, and the names in a directory
//! after a sync of that directory (which SQLite asks for with the first sync of a new journal or WAL, and with
//! some deletions). Everything else is decided by a [`CutPolicy`] and a seed:
//!
//! - a write is there, is missing, or is torn into 512-byte sectors of which some are there. Bytes of the same sector
//!   that a write did not touch are never damaged, which is the promise `SQLITE_IOCAP_POWERSAFE_OVERWRITE` makes;
//! - a file that an unsynced write extended may have the old size, or the new one with zeros or garbage in the gap;
//! - a truncation took place or did not;
//! - a creation or deletion took place or did not; of several at one path, an initial part took place;
//! - what a *failed* sync should have covered stays in doubt even after a later sync succeeds, because the system
//!   marks such pages clean without having written them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use super::record::{Action, FileId, Log, Operation};
use super::rng::Rng;

/// The unit a disk writes whole.
const SECTOR_BYTES: u64 = 512;

/// How the operations that no sync covered fare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CutPolicy {
    /// Each one fares for itself, torn writes included: the disk wrote in any order.
    Scattered,
    /// An initial part of them reached the disk and the next one is torn: the disk wrote in order.
    InOrder,
    /// None of them reached the disk.
    SyncedOnly,
    /// All of them reached the disk, as after a kill of the process alone.
    Everything,
}

/// What an image was made of: the files written, and how the operations in doubt fared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutImage {
    /// The files, in the image directory.
    pub files: Vec<PathBuf>,
    /// Operations in doubt that reached the disk.
    pub kept: usize,
    /// Operations in doubt that did not.
    pub lost: usize,
    /// Writes in doubt of which some sectors did.
    pub torn: usize,
}

/// An image still in memory, keyed by the recorded paths.
#[derive(Debug, Default)]
pub(super) struct BuiltImage {
    pub(super) files: BTreeMap<PathBuf, Vec<u8>>,
    pub(super) kept: usize,
    pub(super) lost: usize,
    pub(super) torn: usize,
}

/// The first `length` operations of the log decide the image; the same arguments always give the same one.
pub(super) fn build(log: &Log, length: usize, seed: u64, policy: CutPolicy) -> BuiltImage {
    let operations = log.operations().get(..length).unwrap_or(log.operations());
    // The position takes part in the seed so that one seed over many positions is not one pattern.
    let mut rng = Rng::new(seed ^ (length as u64).rotate_left(32));
    let fates = decide(operations, policy, &mut rng);
    let mut image = BuiltImage::default();
    let mut contents: HashMap<FileId, Vec<u8>> = HashMap::new();
    let mut names: BTreeMap<PathBuf, FileId> = BTreeMap::new();
    for (index, record) in log.files().iter().enumerate() {
        if let Some(initial) = &record.initial {
            contents.insert(FileId(index), initial.clone());
            names.insert(record.path.to_path_buf(), FileId(index));
        }
    }
    for (index, operation) in operations.iter().enumerate() {
        let fate = match fates.get(&index) {
            None => Fate::Kept,
            Some(fate) => {
                match fate {
                    Fate::Kept => image.kept += 1,
                    Fate::Lost => image.lost += 1,
                    Fate::Torn => image.torn += 1,
                }
                *fate
            }
        };
        let file = contents.entry(operation.file).or_default();
        match &operation.action {
            Action::Write { offset_bytes, bytes } => match fate {
                Fate::Kept => overlay(file, *offset_bytes, bytes),
                Fate::Lost if policy == CutPolicy::Scattered => {
                    extend_or_not(file, *offset_bytes, bytes.len(), &mut rng);
                }
                Fate::Lost => {}
                Fate::Torn => tear(file, *offset_bytes, bytes, &mut rng),
            },
            Action::Truncate { size_bytes } if fate == Fate::Kept => {
                file.resize(*size_bytes as usize, 0);
            }
            Action::Create if fate == Fate::Kept => {
                names.insert(operation.path.to_path_buf(), operation.file);
            }
            Action::Delete if fate == Fate::Kept => {
                names.remove(&*operation.path);
            }
            _ => {}
        }
    }
    for (path, file) in names {
        image.files.insert(path, contents.get(&file).cloned().unwrap_or_default());
    }
    image
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    Lost,
    Torn,
}

/// The fate of every operation in doubt, by index; what is not in the map is certain.
fn decide(operations: &[Operation], policy: CutPolicy, rng: &mut Rng) -> HashMap<usize, Fate> {
    let contents = contents_in_doubt(operations);
    let names = names_in_doubt(operations);
    let mut fates = HashMap::new();
    match policy {
        CutPolicy::Everything => {
            fates.extend(contents.iter().map(|index| (*index, Fate::Kept)));
            fates.extend(names.values().flatten().map(|index| (*index, Fate::Kept)));
        }
        CutPolicy::SyncedOnly => {
            fates.extend(contents.iter().map(|index| (*index, Fate::Lost)));
            fates.extend(names.values().flatten().map(|index| (*index, Fate::Lost)));
        }
        CutPolicy::InOrder => {
            let mut all = contents.clone();
            all.extend(names.values().flatten());
            let reached = rng.below(all.len() + 1);
            for (rank, index) in all.into_iter().enumerate() {
                let fate = match rank.cmp(&reached) {
                    std::cmp::Ordering::Less => Fate::Kept,
                    std::cmp::Ordering::Equal if is_write(&operations[index]) => Fate::Torn,
                    _ => Fate::Lost,
                };
                fates.insert(index, fate);
            }
        }
        CutPolicy::Scattered => {
            for index in contents {
                let fate = match rng.below(4) {
                    0 if is_write(&operations[index]) => Fate::Torn,
                    0 | 1 => Fate::Lost,
                    _ => Fate::Kept,
                };
                fates.insert(index, fate);
            }
            for indices in names.values() {
                let took_place = rng.below(indices.len() + 1);
                for (rank, index) in indices.iter().enumerate() {
                    let fate = if rank < took_place { Fate::Kept } else { Fate::Lost };
                    fates.insert(*index, fate);
                }
            }
        }
    }
    fates
}

fn is_write(operation: &Operation) -> bool {
    matches!(operation.action, Action::Write { .. })
}

/// The writes and truncations whose first later sync of the same file failed or never came.
fn contents_in_doubt(operations: &[Operation]) -> BTreeSet<usize> {
    let mut waiting: HashMap<FileId, Vec<usize>> = HashMap::new();
    let mut abandoned = BTreeSet::new();
    for (index, operation) in operations.iter().enumerate() {
        let of_file = waiting.entry(operation.file).or_default();
        match operation.action {
            Action::Write { .. } | Action::Truncate { .. } => of_file.push(index),
            Action::Sync { .. } => of_file.clear(),
            Action::SyncFailed => abandoned.extend(of_file.drain(..)),
            Action::Create | Action::Delete | Action::SyncDirectory => {}
        }
    }
    abandoned.extend(waiting.into_values().flatten());
    abandoned
}

/// The creations and deletions since the last sync of their directory, by path, in order.
fn names_in_doubt(operations: &[Operation]) -> BTreeMap<&Path, Vec<usize>> {
    let mut waiting: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (index, operation) in operations.iter().enumerate() {
        match operation.action {
            Action::Create | Action::Delete => {
                waiting.entry(&operation.path).or_default().push(index);
            }
            Action::SyncDirectory => {
                let flushed = operation.path.parent();
                waiting.retain(|path, _| path.parent() != flushed);
            }
            _ => {}
        }
    }
    waiting
}

/// Most writes append, so the new end is copied and not first filled with zeros: without optimisation, filling is the
/// slowest step of an image.
fn overlay(file: &mut Vec<u8>, offset_bytes: u64, bytes: &[u8]) {
    let start = offset_bytes as usize;
    if file.len() < start {
        file.resize(start, 0);
    }
    let (over, beyond) = bytes.split_at(bytes.len().min(file.len() - start));
    file[start..start + over.len()].copy_from_slice(over);
    file.extend_from_slice(beyond);
}

/// Keeps some sectors of a write, each by a coin; the others keep what was there before.
fn tear(file: &mut Vec<u8>, offset_bytes: u64, bytes: &[u8], rng: &mut Rng) {
    let size_before = file.len();
    let mut rest = bytes;
    let mut offset = offset_bytes;
    while !rest.is_empty() {
        let to_boundary = (SECTOR_BYTES - offset % SECTOR_BYTES) as usize;
        let (sector, after) = rest.split_at(to_boundary.min(rest.len()));
        if rng.one_in(2) {
            overlay(file, offset, sector);
        } else if file.len() > size_before {
            // A sector before this one extended the file: the size covers this one too or stops there.
            extend_or_not(file, offset, sector.len(), rng);
        }
        offset += sector.len() as u64;
        rest = after;
    }
    extend_or_not(file, offset_bytes, bytes.len(), rng);
}

/// The size may have been written without the data: then the gap reads as zeros or as what lay on the disk before.
fn extend_or_not(file: &mut Vec<u8>, offset_bytes: u64, length_bytes: usize, rng: &mut Rng) {
    let size_before = file.len();
    let end = offset_bytes as usize + length_bytes;
    if size_before >= end || rng.one_in(2) {
        return;
    }
    file.resize(end, 0);
    if rng.one_in(2) {
        for byte in &mut file[size_before..] {
            *byte = rng.next_u64() as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::Seen;
    use super::*;

    const DATABASE: &str = "/d/a";
    const SEEN: Seen = Seen { inode: 1, size_bytes: 0 };

    /// A log over one file that holds 2,048 bytes of 1 before anything is recorded.
    fn log_with_file() -> (Log, FileId) {
        let mut log = Log::default();
        let file = log.adopt(Path::new(DATABASE), SEEN, vec![1; 2_048]);
        (log, file)
    }

    /// All contents the database file takes over many seeds; `None` stands for "no such file".
    fn outcomes(log: &Log, policy: CutPolicy) -> BTreeSet<Option<Vec<u8>>> {
        (0..400)
            .map(|seed| {
                let image = build(log, log.position().operations(), seed, policy);
                image.files.get(Path::new(DATABASE)).cloned()
            })
            .collect()
    }

    #[test]
    fn what_a_sync_covered_is_always_there() {
        let (mut log, file) = log_with_file();
        log.write(file, 512, &[2; 512]);
        log.truncate(file, 1_024);
        log.sync(file, 2, false);
        let mut expected = vec![1; 512];
        expected.extend([2; 512]);
        for policy in [CutPolicy::Scattered, CutPolicy::InOrder, CutPolicy::SyncedOnly, CutPolicy::Everything] {
            assert_eq!(outcomes(&log, policy), BTreeSet::from([Some(expected.clone())]));
        }
    }

    #[test]
    fn an_unsynced_write_is_there_missing_or_torn_at_sectors_and_nowhere_else() {
        let (mut log, file) = log_with_file();
        log.write(file, 256, &[2; 1_024]);
        let outcomes = outcomes(&log, CutPolicy::Scattered);
        // The write touches three sectors, so there are eight ways to keep some of them.
        assert_eq!(outcomes.len(), 8);
        for contents in outcomes.into_iter().flatten() {
            assert_eq!(contents.len(), 2_048);
            assert!(contents[..256].iter().chain(&contents[1_280..]).all(|byte| *byte == 1));
            for part in [256..512, 512..1_024, 1_024..1_280] {
                let first = contents[part.start];
                assert!(contents[part].iter().all(|byte| *byte == first));
            }
        }
    }

    #[test]
    fn an_unsynced_extension_has_the_old_size_or_the_new_one() {
        let (mut log, file) = log_with_file();
        log.write(file, 2_048, &[2; 512]);
        let outcomes = outcomes(&log, CutPolicy::Scattered);
        let with_tail = |tail: &[u8]| {
            let mut contents = vec![1; 2_048];
            contents.extend_from_slice(tail);
            Some(contents)
        };
        assert!(outcomes.contains(&with_tail(&[])));
        assert!(outcomes.contains(&with_tail(&[0; 512])));
        assert!(outcomes.contains(&with_tail(&[2; 512])));
        assert!(outcomes.len() > 3, "garbage in the gap never appeared");
    }

    #[test]
    fn a_failed_sync_leaves_its_writes_in_doubt_for_ever() {
        let (mut log, file) = log_with_file();
        log.write(file, 0, &[2; 512]);
        log.sync_failed(file);
        log.write(file, 512, &[3; 512]);
        log.sync(file, 2, false);
        let outcomes = outcomes(&log, CutPolicy::Scattered);
        assert_eq!(outcomes.len(), 2);
        assert!(outcomes.iter().flatten().all(|contents| contents[512..1_024] == [3; 512]));
    }

    #[test]
    fn names_are_certain_after_a_sync_of_their_directory_only() {
        let check = |log: &Log, existing: bool, missing: bool| {
            let outcomes = outcomes(log, CutPolicy::Scattered);
            assert_eq!(outcomes.iter().any(Option::is_some), existing);
            assert_eq!(outcomes.iter().any(Option::is_none), missing);
        };
        let (mut log, _) = log_with_file();
        check(&log, true, false);
        log.delete(Path::new(DATABASE), false);
        check(&log, true, true);
        let elsewhere = log.create(Path::new("/e/b"), 2);
        log.sync(elsewhere, 2, true);
        check(&log, true, true);
        let journal = log.create(Path::new("/d/a-journal"), 3);
        log.sync(journal, 2, true);
        check(&log, false, true);
        let again = log.create(Path::new(DATABASE), 4);
        log.sync(again, 2, false);
        check(&log, true, true);
        log.sync(journal, 2, true);
        check(&log, true, false);
    }

    #[test]
    fn in_order_never_keeps_a_later_write_without_the_earlier_ones() {
        let (mut log, file) = log_with_file();
        log.write(file, 0, &[2; 512]);
        log.write(file, 512, &[2; 512]);
        log.write(file, 1_024, &[2; 512]);
        let outcomes = outcomes(&log, CutPolicy::InOrder);
        assert_eq!(outcomes.len(), 4);
        for contents in outcomes.into_iter().flatten() {
            let kept: Vec<bool> = [0, 512, 1_024].map(|at| contents[at] == 2).to_vec();
            assert!(kept.is_sorted_by(|left, right| left >= right), "{kept:?}");
        }
    }

    #[test]
    fn the_extremes_keep_all_or_nothing_and_a_position_hides_what_came_later() {
        let (mut log, file) = log_with_file();
        log.write(file, 0, &[2; 2_048]);
        log.write(file, 0, &[3; 2_048]);
        assert_eq!(outcomes(&log, CutPolicy::SyncedOnly), BTreeSet::from([Some(vec![1; 2_048])]));
        assert_eq!(outcomes(&log, CutPolicy::Everything), BTreeSet::from([Some(vec![3; 2_048])]));
        let earlier = build(&log, 1, 0, CutPolicy::Everything);
        assert_eq!(earlier.files[Path::new(DATABASE)], vec![2; 2_048]);
    }
}
