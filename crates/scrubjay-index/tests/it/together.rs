//! Readers go on while a writer merges and removes.

use std::sync::atomic::{AtomicBool, Ordering};

use scrubjay_index::{Batch, Bm25, Index};

use crate::reference::{IDENTITY, ask, item, query};

const DOCUMENTS: u64 = 60;
const ROUNDS: u64 = 80;

/// Every round replaces all documents by their next edition. A reader with a handle of its own, as another process
/// would have, must always find all documents of one edition, and the answers of that edition.
#[test]
fn a_reader_sees_the_state_before_or_after_a_change_and_nothing_between() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path());
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    let edition = |edition: u64| -> Vec<_> { (0..DOCUMENTS).map(|key| item(key, edition)).collect() };
    let terms = query(11, 5);
    let expected: Vec<_> = (0..=ROUNDS)
        .map(|round| {
            let snapshot = Index::in_memory().snapshot(&["global"]).unwrap();
            let items = if round == 0 { Vec::new() } else { edition(round) };
            let snapshot = snapshot.with_tail("global", items, &[]).unwrap();
            ask(&snapshot, &terms, &Bm25::default(), 10).unwrap()
        })
        .collect();
    let finished = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = || {
            let index = Index::open(folder.path());
            let first = index.snapshot(&["global"]).unwrap();
            let mut seen = std::collections::BTreeSet::new();
            let mut last = 0;
            while !finished.load(Ordering::Acquire) || last < ROUNDS {
                index.reload_if_changed().unwrap();
                let snapshot = index.snapshot(&["global"]).unwrap();
                assert!(snapshot.through() >= last, "the index went back");
                last = snapshot.through();
                assert_eq!(ask(&snapshot, &terms, &Bm25::default(), 10).unwrap(), expected[last as usize]);
                seen.insert(last);
            }
            // What was opened first still answers as it did then.
            let through = first.through() as usize;
            assert_eq!(ask(&first, &terms, &Bm25::default(), 10).unwrap(), expected[through]);
            seen.len()
        };
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        for round in 1..=ROUNDS {
            match round % 10 {
                7 => {
                    let mut rebuild = writer.rebuild(IDENTITY);
                    rebuild.add("global", edition(round)).unwrap();
                    rebuild.finish(round).unwrap();
                }
                _ => {
                    // In pieces, so that there is something to merge.
                    let items = edition(round);
                    let batches = items.chunks(7).map(|some| Batch {
                        scope: "global".to_owned(),
                        upserts: some.to_vec(),
                        removals: Vec::new(),
                    });
                    writer.apply(batches.collect(), round).unwrap();
                }
            }
        }
        finished.store(true, Ordering::Release);
        for reader in readers {
            assert!(reader.join().unwrap() >= 1);
        }
    });
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let files = names.filter(|name| name.to_str().unwrap().ends_with(".segment")).count();
    assert_eq!(files, index.summary().unwrap().unwrap().scopes[0].segments, "files are left over");
}

#[test]
fn a_reader_that_holds_an_old_manifest_finds_its_way_to_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let writing = Index::open(folder.path());
    let reading = Index::open(folder.path());
    assert_eq!(reading.snapshot(&["global"]).unwrap().through(), 0);
    let mut writer = writing.try_writer().unwrap().unwrap();
    let rebuild = |writer: &mut scrubjay_index::Writer, through: u64| {
        let mut rebuild = writer.rebuild(IDENTITY);
        rebuild.add("global", (0..20).map(|key| item(key, through)).collect()).unwrap();
        rebuild.finish(through).unwrap();
    };
    rebuild(&mut writer, 1);
    assert!(reading.reload_if_changed().unwrap());
    assert!(!reading.reload_if_changed().unwrap());
    assert_eq!(reading.summary().unwrap().unwrap().through, 1);
    // The files of manifest 1 go before the reader has opened them.
    rebuild(&mut writer, 2);
    let snapshot = reading.snapshot(&["global"]).unwrap();
    assert_eq!(snapshot.through(), 2);
    assert_eq!(snapshot.documents(&snapshot.shards()).unwrap(), 20);
    drop(snapshot);
    // After a wipe file numbers begin again; the old file must not be taken for the new one.
    writer.wipe().unwrap();
    rebuild(&mut writer, 3);
    assert_eq!(reading.snapshot(&["task", "global"]).unwrap().through(), 3);
    writer.wipe().unwrap();
    assert!(reading.reload_if_changed().unwrap());
    assert!(reading.summary().unwrap().is_none());
}
