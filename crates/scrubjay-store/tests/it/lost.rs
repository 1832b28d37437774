//! A store that is lost, swapped or damaged is never passed over in silence.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use scrubjay_core::error::ErrorCode;
use scrubjay_store::query::CheckStatus;
use scrubjay_store::sqlite::{Options, SqliteStore};
use scrubjay_store::{Entities, Memories, StoreError, Upkeep};

use crate::support::{Maker, all, beside, block_on, names_in, open, view};

fn refusal(options: Options) -> StoreError {
    let path = options.path.clone();
    SqliteStore::open(options).err().unwrap_or_else(|| panic!("{} was opened", path.display()))
}

// A store of a few facts, all of them in its main file, and closed.
fn settled(path: &Path) {
    let store = open(path);
    let mut maker = Maker::new(1);
    block_on(async {
        for number in 0..40 {
            maker.remember(&store, "global", &format!("fact {number} {}", "filling ".repeat(60))).await;
        }
        store.checkpoint().await.unwrap();
    });
}

#[test]
fn a_store_that_is_gone_or_empty_is_not_begun_anew() {
    for empty in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        settled(&path);
        fs::remove_file(&path).unwrap();
        if empty {
            fs::write(&path, []).unwrap();
        }
        let before = names_in(folder.path());
        let error = refusal(Options { advice: Some("ask Ada".to_owned()), ..Options::new(&path) });
        assert!(matches!(error, StoreError::Lost { .. }), "{error:?}");
        assert_eq!(error.code(), ErrorCode::StoreDamaged);
        let said = error.to_string();
        assert!(said.contains("store.db.lineage") && said.contains("ask Ada") && said.contains("--new"), "{said}");
        assert_eq!(names_in(folder.path()), before, "nothing was made");
        let anew = SqliteStore::open(Options { begin_anew: true, ..Options::new(&path) }).unwrap();
        assert!(block_on(all(&anew, &view("global"))).is_empty());
    }
}

#[test]
fn what_a_caller_knows_of_a_store_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let traces = vec!["a backup of 7 memories".to_owned()];
    let error = refusal(Options { traces: traces.clone(), ..Options::new(&path) });
    assert!(error.to_string().contains("a backup of 7 memories"), "{error}");
    assert!(!path.exists());
    open(&path);
    SqliteStore::open(Options { traces, ..Options::new(&path) }).unwrap();
}

#[test]
fn a_log_without_its_store_is_kept() {
    for begin_anew in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        {
            let store = open(&path);
            block_on(Maker::new(1).remember(&store, "global", "only in the log"));
        }
        let log = fs::read(beside(&path, "-wal")).unwrap();
        assert!(!log.is_empty());
        fs::write(&path, []).unwrap();
        fs::remove_file(beside(&path, ".lineage")).unwrap();
        let options = Options { begin_anew, ..Options::new(&path) };
        if begin_anew {
            SqliteStore::open(options).unwrap();
            assert_eq!(fs::read(beside(&path, "-wal.kept.1")).unwrap(), log);
        } else {
            let error = refusal(options);
            assert!(error.to_string().contains("store.db-wal"), "{error}");
            assert_eq!(fs::read(beside(&path, "-wal")).unwrap(), log);
        }
    }
}

#[test]
fn a_restore_keeps_a_log_that_lost_its_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let (copy, aside) = (folder.path().join("copy"), folder.path().join("aside"));
    {
        let store = open(&path);
        block_on(async {
            let mut maker = Maker::new(1);
            maker.remember(&store, "global", "in the copy").await;
            store.backup(&copy).await.unwrap();
            maker.remember(&store, "global", "only in the log").await;
        });
    }
    let log = fs::read(beside(&path, "-wal")).unwrap();
    fs::remove_file(&path).unwrap();
    SqliteStore::restore(&Options::new(&path), &copy, &aside).unwrap();
    assert_eq!(fs::read(aside.join("store.db-wal")).unwrap(), log);
    assert_eq!(block_on(all(&open(&path), &view("global"))).len(), 1);
}

type Disturb = fn(&Path, &Path);

fn cut(path: &Path, bytes: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

const DISTURBANCES: [(&str, Disturb); 10] = [
    ("deleted", |store, _| fs::remove_file(store).unwrap()),
    ("moved away", |store, _| rename(store, &beside(store, ".away"))),
    ("replaced", |store, other| rename(other, store)),
    ("emptied", |store, _| cut(store, 0)),
    ("cut", |store, _| cut(store, fs::metadata(store).unwrap().len() / 2)),
    ("overwritten in place", |store, other| {
        fs::copy(other, store).unwrap();
    }),
    ("log deleted", |store, _| fs::remove_file(beside(store, "-wal")).unwrap()),
    ("log replaced", |store, _| {
        let log = beside(store, "-wal");
        fs::copy(&log, beside(store, ".copy")).unwrap();
        rename(&beside(store, ".copy"), &log);
    }),
    ("log emptied", |store, _| cut(&beside(store, "-wal"), 0)),
    ("log cut", |store, _| cut(&beside(store, "-wal"), 5000)),
];

#[expect(clippy::disallowed_methods, reason = "this is what happens to the files of a store")]
fn rename(from: &Path, to: &Path) {
    fs::rename(from, to).unwrap();
}

#[test]
fn files_that_change_under_a_writer_are_noticed_before_it_acknowledges() {
    for (what, disturb) in DISTURBANCES {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("store.db"), folder.path().join("other.db"));
        settled(&path);
        settled(&other);
        let store = open(&path);
        let mut maker = Maker::new(2);
        block_on(async {
            maker.remember(&store, "global", "before it happened").await;
            assert!(store.trouble().is_none());
            disturb(&path, &other);
            for _ in 0..30 {
                let message = maker.message("global", "s", "said to files that are not there");
                let answer = store.capture(maker.stamp("capture"), vec![message], Vec::new()).await;
                let error = answer.expect_err(what);
                assert!(matches!(error, StoreError::Replaced { .. }), "{what}: {error:?}");
                assert_eq!(error.code(), ErrorCode::Unavailable);
            }
            assert!(matches!(store.trouble(), Some(StoreError::Replaced { .. })), "{what}");
        });
    }
}

// Whoever still has the old files open, or catches a mixture of both, sees damage
// that is none of the store's that lies there now.
#[test]
fn readers_of_swapped_files_mark_no_store_as_damaged() {
    for (what, disturb) in DISTURBANCES {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("store.db"), folder.path().join("other.db"));
        settled(&path);
        settled(&other);
        let sound = fs::read(&path).unwrap();
        let store = open(&path);
        let mut maker = Maker::new(2);
        block_on(async {
            maker.remember(&store, "global", "before it happened").await;
            assert_eq!(all(&store, &view("global")).await.len(), 41);
            disturb(&path, &other);
            let mut said = Vec::new();
            for number in 0..3 {
                said.push(store.counts(&view("global")).await.map(drop));
                said.push(store.sparse(&"global".parse().unwrap(), 9, "none", 100).await.map(drop));
                said.push(store.check(true).await.map(drop));
                said.push(store.backup(&folder.path().join(format!("copy {number}"))).await.map(drop));
            }
            for error in said.into_iter().filter_map(Result::err) {
                assert!(!matches!(error, StoreError::Damaged { .. }), "{what}: {error:?}");
            }
        });
        drop(store);
        for suffix in ["-wal", "-shm"] {
            let _ = fs::remove_file(beside(&path, suffix));
        }
        fs::write(&path, &sound).unwrap();
        let store = open(&path);
        assert!(store.trouble().is_none(), "{what}: {:?}", store.trouble());
        block_on(maker.remember(&store, "global", "after the store was put back"));
    }
}

// What other processes do to the same files by way of SQLite is no disturbance.
#[test]
fn others_who_write_checkpoint_and_restore_raise_no_alarm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let (copy, aside) = (folder.path().join("copy"), folder.path().join("aside"));
    let store = open(&path);
    let mut maker = Maker::new(1);
    block_on(async {
        maker.remember(&store, "global", "in the copy").await;
        store.backup(&copy).await.unwrap();
        for round in 0..4 {
            let other = open(&path);
            for number in 0..40 {
                let text = format!("{round} {number} {}", "filling ".repeat(60));
                maker.remember(&other, "global", &text).await;
            }
            maker.remember(&store, "global", "beside the other").await;
            other.checkpoint().await.unwrap();
            maker.remember(&store, "global", "after the other's checkpoint").await;
            store.checkpoint().await.unwrap();
            maker.remember(&other, "global", "after our own").await;
        }
        // It becomes much shorter.
        SqliteStore::restore(&Options::new(&path), &copy, &aside).unwrap();
        maker.remember(&store, "global", "after the restore").await;
        store.checkpoint().await.unwrap();
        maker.remember(&store, "global", "and after it was moved").await;
        assert_eq!(all(&store, &view("global")).await.len(), 3);
    });
}

fn ruin_texts(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.windows(8).position(|window| window == b"filling ").unwrap();
    bytes[at] ^= 0x20;
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(&bytes[at..=at], at as u64).unwrap();
}

#[test]
fn damage_that_was_found_refuses_writes_until_it_is_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let (copy, aside) = (folder.path().join("copy"), folder.path().join("aside"));
    settled(&path);
    block_on(open(&path).backup(&copy)).unwrap();
    // A changed letter: SQLite does not see it, and every write would succeed.
    ruin_texts(&path);
    let mut maker = Maker::new(2);
    let store = open(&path);
    let is_refused = |error: StoreError| matches!(error, StoreError::Damaged { .. });
    let write = async |store: &SqliteStore, maker: &mut Maker| {
        let message = maker.message("global", "s", "said to a damaged store");
        store.capture(maker.stamp("capture"), vec![message], Vec::new()).await
    };
    block_on(async {
        let findings = store.check(true).await.unwrap();
        assert!(findings.iter().any(|finding| finding.status == CheckStatus::Damaged), "{findings:?}");
        assert!(is_refused(write(&store, &mut maker).await.unwrap_err()), "this process knows");
        assert!(matches!(store.trouble(), Some(StoreError::Damaged { .. })));
        let second = open(&path);
        assert!(is_refused(write(&second, &mut maker).await.unwrap_err()), "and so does every other");
        assert_eq!(all(&second, &view("global")).await.len(), 40, "reading goes on");
        // Nothing that is derived is wrong, so a repair cannot help.
        store.repair().await.unwrap();
        assert!(is_refused(write(&store, &mut maker).await.unwrap_err()));
    });
    drop(store);
    SqliteStore::restore(&Options::new(&path), &copy, &aside).unwrap();
    let store = open(&path);
    assert!(store.trouble().is_none());
    block_on(write(&store, &mut maker)).unwrap();
}

#[test]
fn a_mark_goes_when_a_repair_finds_the_store_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    settled(&path);
    fs::write(beside(&path, ".damaged"), "a page could not be read\n").unwrap();
    let store = open(&path);
    block_on(async {
        let findings = store.check(true).await.unwrap();
        let marked = findings.iter().find(|finding| finding.status == CheckStatus::Damaged).unwrap();
        assert!(marked.detail.contains("a page could not be read") && marked.detail.contains("--repair"), "{marked:?}");
        store.repair().await.unwrap();
        Maker::new(2).remember(&store, "global", "written again").await;
    });
}

#[test]
fn a_store_without_its_log_files_can_be_read_and_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("a b%20?#.db");
    settled(&path);
    for suffix in ["", "-wal", "-shm"] {
        let keep = suffix.is_empty();
        if !keep {
            let _ = fs::remove_file(beside(&path, suffix));
        }
    }
    let before = fs::read(&path).unwrap();
    let store = SqliteStore::open_read_only(Options::new(&path)).unwrap();
    let mut maker = Maker::new(2);
    block_on(async {
        assert_eq!(all(&store, &view("global")).await.len(), 40);
        let message = maker.message("global", "s", "not to be kept");
        let error = store.capture(maker.stamp("capture"), vec![message], Vec::new()).await.unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
        assert!(matches!(store.trouble(), Some(StoreError::ReadOnly { .. })));
        assert!(store.check(true).await.unwrap().iter().all(|finding| finding.status < CheckStatus::Repairable));
    });
    assert!(fs::read(&path).unwrap() == before);
}
