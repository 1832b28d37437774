//! Copies made while others write restore; bad ones are not kept.

use std::fs;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scrubjay_core::error::ErrorCode;
use scrubjay_store::memory::MemoryStore;
use scrubjay_store::query::CheckStatus;
use scrubjay_store::sqlite::{Options, SqliteStore};
use scrubjay_store::{Jobs, Memories, Store, StoreError, Upkeep};

use crate::support::{Maker, all, block_on, names_in, open, view};

async fn fill(store: &dyn Store, maker: &mut Maker, count: usize) {
    for number in 0..count {
        let message = maker.message("project/a", "s", &format!("message {number} {}", "filling ".repeat(40)));
        let job = maker.job("extract", &number.to_string(), "project/a");
        store.capture(maker.stamp("capture"), vec![message], vec![job]).await.unwrap();
    }
}

fn only_backups_are_left(folder: &Path, wanted: &[&str]) {
    assert_eq!(names_in(folder), wanted, "no drafts, no logs");
}

#[test]
fn a_backup_made_while_others_write_is_one_state_and_restores() {
    let folder = tempfile::tempdir().unwrap();
    let backups = tempfile::tempdir().unwrap();
    let store = Arc::new(open(folder.path().join("store.db")));
    let mut maker = Maker::new(1);
    block_on(fill(store.as_ref(), &mut maker, 100));
    let stop = AtomicBool::new(false);
    let copies: Vec<_> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut maker = Maker::new(2);
            block_on(async {
                let mut number = 0;
                while !stop.load(Ordering::Relaxed) {
                    // One transaction each: a memory, its job and its session.
                    let message = maker.message("project/a", "t", &format!("meanwhile {number}"));
                    let job = maker.job("extract", &format!("t/{number}"), "project/a");
                    store.capture(maker.stamp("capture"), vec![message], vec![job]).await.unwrap();
                    number += 1;
                }
            });
        });
        let copies = (0..3)
            .map(|number| {
                let to = backups.path().join(format!("{number}.backup"));
                block_on(store.backup(&to))
            })
            .collect();
        stop.store(true, Ordering::Relaxed);
        copies
    });
    only_backups_are_left(backups.path(), &["0.backup", "1.backup", "2.backup"]);
    let mut least = 100;
    for (number, copy) in copies.into_iter().enumerate() {
        let copy = copy.unwrap();
        let metadata = fs::metadata(&copy.path).unwrap();
        assert_eq!((metadata.len(), metadata.permissions().mode() & 0o777), (copy.size_bytes, 0o600));
        assert!(copy.memories >= least, "later copies hold more");
        least = copy.memories;
        let scratch = backups.path().join("scratch");
        assert_eq!(SqliteStore::verify_backup(&copy.path, &scratch).unwrap(), copy.memories);
        assert!(!scratch.exists());
        // A real restore: the copy becomes a store like any other.
        let restored = folder.path().join(format!("restored {number}.db"));
        fs::copy(&copy.path, &restored).unwrap();
        let restored = open(&restored);
        block_on(async {
            let memories = all(&restored, &view("project/a")).await;
            let jobs = restored.jobs(&view("project/a"), None, usize::MAX).await.unwrap();
            assert_eq!(memories.len() as u64, copy.memories);
            assert_eq!(jobs.len(), memories.len(), "no transaction is there by half");
            for finding in restored.check(true).await.unwrap() {
                assert_eq!(finding.status, CheckStatus::Good, "{finding:?}");
            }
            Maker::new(3).remember(&restored, "project/a", "life goes on").await;
            let original = all(store.as_ref(), &view("project/a")).await;
            assert!(memories.iter().all(|memory| original.contains(memory)));
        });
    }
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path().join("store.db"));
    let to = folder.path().join("mine");
    fs::write(&to, "precious").unwrap();
    let error = block_on(store.backup(&to)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Conflict);
    assert_eq!(fs::read(&to).unwrap(), b"precious");
    let nowhere = folder.path().join("mine/inside a file");
    assert!(block_on(store.backup(&nowhere)).is_err());
}

#[test]
fn a_backup_of_a_damaged_store_fails_and_leaves_nothing() {
    for seed in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let backups = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        {
            let store = open(&path);
            block_on(async {
                fill(&store, &mut Maker::new(1), 150).await;
                store.checkpoint().await.unwrap();
            });
        }
        crate::damage::ruin_a_page(&path, seed);
        let to = backups.path().join("copy");
        let Ok(store) = SqliteStore::open(Options::new(&path)) else { continue };
        let error = block_on(store.backup(&to)).unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreDamaged, "{error:?}");
        only_backups_are_left(backups.path(), &[]);
    }
}

#[test]
fn a_damaged_backup_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path().join("store.db"));
    block_on(fill(&store, &mut Maker::new(1), 100));
    let to = folder.path().join("copy");
    block_on(store.backup(&to)).unwrap();
    let scratch = folder.path().join("scratch");
    let sound = fs::read(&to).unwrap();
    for seed in 0..6 {
        crate::damage::ruin_a_page(&to, seed);
        let error = SqliteStore::verify_backup(&to, &scratch).unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreDamaged, "{error:?}");
        fs::write(&to, &sound).unwrap();
    }
    // Cut off in the middle, and something else altogether.
    fs::OpenOptions::new().write(true).open(&to).unwrap().set_len(sound.len() as u64 / 2).unwrap();
    assert!(SqliteStore::verify_backup(&to, &scratch).is_err());
    fs::OpenOptions::new().write(true).open(&to).unwrap().write_all_at(b"not a database at all", 0).unwrap();
    assert!(SqliteStore::verify_backup(&to, &scratch).is_err());
    assert!(!scratch.exists());
}

#[test]
fn a_backup_interrupted_before_does_not_get_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let backups = tempfile::tempdir().unwrap();
    let store = open(folder.path().join("store.db"));
    block_on(fill(&store, &mut Maker::new(1), 20));
    // What a process that died in the midst of it leaves.
    fs::write(backups.path().join("copy.unverified"), "half a copy").unwrap();
    fs::write(backups.path().join("copy.restored"), vec![7; 100_000]).unwrap();
    block_on(store.backup(&backups.path().join("copy"))).unwrap();
    only_backups_are_left(backups.path(), &["copy"]);
}

#[test]
fn a_store_without_a_disk_cannot_be_backed_up() {
    let folder = tempfile::tempdir().unwrap();
    let store = MemoryStore::new();
    let error = block_on(store.backup(&folder.path().join("copy"))).unwrap_err();
    assert!(matches!(error, StoreError::Unsupported { .. }), "{error:?}");
    assert_eq!(store.location(), None);
    only_backups_are_left(folder.path(), &[]);
}
