//! Flipped bytes, lost ends and overwritten heads are noticed, never a panic.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use scrubjay_core::error::ErrorCode;
use scrubjay_store::change::{Change, Patch, UndoTarget};
use scrubjay_store::query::{Activity, CheckStatus, EntityQuery, ListQuery};
use scrubjay_store::sqlite::{Options, SqliteStore};
use scrubjay_store::{Entities, Indexing, Jobs, Memories, Sessions, StoreError, Upkeep};

use crate::support::{Maker, Random, block_on, cases, open, view};

const PAGE_BYTES: u64 = 4096;

/// Overwrites one page in the middle of a file with noise.
pub(crate) fn ruin_a_page(path: &Path, seed: u64) {
    let mut random = Random::new(seed);
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let pages = file.metadata().unwrap().len() / PAGE_BYTES;
    let page = 2 + random.below(pages - 2);
    let noise: Vec<u8> = (0..PAGE_BYTES / 8).flat_map(|_| random.next().to_le_bytes()).collect();
    file.write_all_at(&noise, page * PAGE_BYTES).unwrap();
}

// A store with something in every table and no free page, all of it in the main
// file; gives its bytes.
fn sound_store(path: &Path) -> Vec<u8> {
    let store = open(path);
    let mut maker = Maker::new(1);
    block_on(async {
        for number in 0..120 {
            let text = format!("message {number} about herons {}", "and ospreys ".repeat(number % 30));
            let mut message = maker.message("project/a", &format!("session {}", number % 5), &text);
            message.memory.tags = vec!["tag".to_owned()];
            message.memory.attributes.insert("number".to_owned(), serde_json::json!(number));
            let job = maker.job("extract", &number.to_string(), "project/a");
            let id = message.memory.id;
            store.capture(maker.stamp("capture"), vec![message], vec![job]).await.unwrap();
            if number % 3 == 0 {
                let patch = Patch { importance: Some(4.5), ..Patch::default() };
                let change = Change::Update { id, expected_version: None, patch: Box::new(patch) };
                store.apply(&view("project/a"), maker.stamp("test"), vec![change], Vec::new()).await.unwrap();
            }
        }
        store.checkpoint().await.unwrap();
    });
    drop(store);
    fs::read(path).unwrap()
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Refused,
    Found,
    Unnoticed,
}

// Opens a damaged store and uses all of it. Every failure must be called damage;
// nothing may panic.
fn use_damaged(path: &Path) -> Verdict {
    let used = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let store = match SqliteStore::open(Options::new(path)) {
            Ok(store) => store,
            Err(error) => {
                assert_is_damage(&error);
                return Verdict::Refused;
            }
        };
        block_on(use_everything(&store));
        match block_on(store.check(true)) {
            Err(error) => {
                assert_is_damage(&error);
                Verdict::Found
            }
            Ok(findings) if findings.iter().any(|finding| finding.status > CheckStatus::Warning) => Verdict::Found,
            Ok(_) => Verdict::Unnoticed,
        }
    }));
    used.unwrap_or_else(|_| panic!("using {} panicked", path.display()))
}

fn assert_is_damage(error: &StoreError) {
    let named = matches!(error.code(), ErrorCode::StoreDamaged | ErrorCode::StoreNewer | ErrorCode::Refused);
    assert!(named, "damage is called by its name: {error} {error:?}");
}

// Whatever comes of it, as long as damage is called damage. What a damaged row
// says may be nonsense, so an answer may be "not found" or "conflict" as well.
async fn use_everything(store: &SqliteStore) {
    let view = view("project/a");
    let mut maker = Maker::new(2);
    let judge = |error: Option<StoreError>| {
        if let Some(error) = error {
            let honest = matches!(error.code(), ErrorCode::StoreDamaged | ErrorCode::NotFound | ErrorCode::Conflict);
            assert!(honest, "{error} {error:?}");
        }
    };
    let listed = store.list(&view, ListQuery { activity: Activity::Any, limit: 1000, ..ListQuery::default() }).await;
    let ids: Vec<_> = listed.iter().flat_map(|page| &page.memories).map(|memory| memory.id).collect();
    judge(listed.err());
    for id in ids.iter().take(40) {
        judge(store.history(&view, *id).await.err());
        judge(store.links(&view, *id).await.err());
        judge(store.mentioned(&view, *id).await.err());
    }
    judge(store.counts(&view).await.err());
    judge(store.sessions(&view, 100, 0).await.err());
    judge(store.jobs(&view, None, 1000).await.err());
    judge(store.entities(&view, EntityQuery { limit: 100, ..EntityQuery::default() }).await.err());
    judge(store.feed(&crate::support::scope("project/a"), 0, 1000).await.err());
    judge(store.tail(Some(&view), 0, 1000).await.err());
    judge(store.all_items(None, 1000).await.err());
    let message = maker.message("project/a", "session 1", "a message after the damage");
    judge(store.capture(maker.stamp("capture"), vec![message], Vec::new()).await.err());
    judge(store.undo(&view, maker.stamp("undo"), UndoTarget::Last).await.err());
    if let Some(id) = ids.first() {
        judge(store.touch(&view, vec![*id], maker.now()).await.err());
        judge(store.purge(&view, maker.stamp("purge"), vec![*id], false).await.err());
    }
}

fn with_store(mut ruin: impl FnMut(&Path, &[u8])) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let sound = sound_store(&path);
    assert_eq!(use_sound(&folder.path().join("copy.db"), &sound), Verdict::Unnoticed, "there is no false alarm");
    ruin(&path, &sound);
}

fn use_sound(path: &Path, sound: &[u8]) -> Verdict {
    restore(path, sound);
    use_damaged(path)
}

// Puts back the sound bytes, without a log or a mark.
fn restore(path: &Path, sound: &[u8]) {
    for suffix in ["-wal", "-shm", ".damaged"] {
        let _ = fs::remove_file(crate::support::beside(path, suffix));
    }
    fs::write(path, sound).unwrap();
}

#[test]
fn a_ruined_page_is_found() {
    with_store(|path, sound| {
        for seed in 0..u64::from(cases(12)) {
            restore(path, sound);
            ruin_a_page(path, seed);
            assert_ne!(use_damaged(path), Verdict::Unnoticed, "seed {seed}");
        }
    });
}

#[test]
fn flipped_bytes_never_cause_a_panic() {
    with_store(|path, sound| {
        let mut noticed = 0;
        let tries = u64::from(cases(16));
        for seed in 0..tries {
            restore(path, sound);
            let mut random = Random::new(seed);
            let file = OpenOptions::new().write(true).open(path).unwrap();
            let (first, last) = (sound.len() as u64 / 8, sound.len() as u64);
            for _ in 0..=random.below(20) {
                let at = first + random.below(last - first);
                let flipped = sound[usize::try_from(at).unwrap()] ^ (1 << random.below(8));
                file.write_all_at(&[flipped], at).unwrap();
            }
            noticed += u64::from(use_damaged(path) != Verdict::Unnoticed);
        }
        // A flipped bit in a number or in unused space cannot be seen by anyone.
        assert!(noticed * 3 >= tries * 2, "only {noticed} of {tries} were noticed");
    });
}

#[test]
fn a_flipped_byte_in_a_text_is_found() {
    with_store(|path, sound| {
        let needle = b"message 77 about herons";
        let at = sound.windows(needle.len()).position(|window| window == needle).unwrap();
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.write_all_at(b"M", at as u64).unwrap();
        let store = open(path);
        let findings = block_on(store.check(true)).unwrap();
        assert!(findings.iter().any(|finding| finding.check == "texts" && finding.status == CheckStatus::Damaged));
    });
}

#[test]
fn a_lost_end_is_found() {
    with_store(|path, sound| {
        for share in [1, 2, 3, 5, 9] {
            restore(path, sound);
            let kept = sound.len() as u64 * share / 10;
            OpenOptions::new().write(true).open(path).unwrap().set_len(kept).unwrap();
            assert_ne!(use_damaged(path), Verdict::Unnoticed, "{share} tenths kept");
        }
        for kept in [1, 16, 99, 100, 511, 512, 4095] {
            restore(path, sound);
            OpenOptions::new().write(true).open(path).unwrap().set_len(kept).unwrap();
            assert_ne!(use_damaged(path), Verdict::Unnoticed, "{kept} bytes kept");
        }
    });
}

#[test]
fn an_overwritten_head_is_found() {
    with_store(|path, sound| {
        for length in [4, 16, 100, 4096] {
            for byte in [0, b'x', 0xff] {
                restore(path, sound);
                let file = OpenOptions::new().write(true).open(path).unwrap();
                file.write_all_at(&vec![byte; length], 0).unwrap();
                assert_ne!(use_damaged(path), Verdict::Unnoticed, "{length} times {byte}");
            }
        }
    });
}

#[test]
fn a_torn_log_loses_its_end_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let log = crate::support::beside(&path, "-wal");
    let mut maker = Maker::new(1);
    {
        let store = open(&path);
        block_on(async {
            for number in 0..30 {
                maker.remember(&store, "project/a", &format!("fact {number}")).await;
            }
        });
    }
    let (main, whole) = (fs::read(&path).unwrap(), fs::read(&log).unwrap());
    let mut least = usize::MAX;
    for tenths in (0..=10).rev() {
        restore(&path, &main);
        fs::write(&log, &whole[..whole.len() * tenths / 10]).unwrap();
        let store = match SqliteStore::open(Options::new(&path)) {
            Ok(store) => store,
            // Nothing but an empty beginning is left; the schema itself was in the log.
            Err(error) => panic!("{tenths} tenths: {error}"),
        };
        block_on(async {
            let found = crate::support::all(&store, &view("project/a")).await.len();
            assert!(found <= least && (tenths < 10 || found == 30), "{tenths} tenths hold {found}");
            least = found;
            for finding in store.check(true).await.unwrap() {
                assert_eq!(finding.status, CheckStatus::Good, "{finding:?}");
            }
        });
    }
}

// A state that only a newer version knows, say, is not taken for another.
#[test]
fn an_unknown_state_of_a_job_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let (store, mut maker) = (open(&path), Maker::new(1));
    let here = view("project/a");
    block_on(async {
        let job = maker.job("extract", "key", "project/a");
        store.enqueue(vec![job], maker.now()).await.unwrap();
        assert_eq!(store.jobs(&here, None, 10).await.unwrap().len(), 1);
    });
    let other = rusqlite::Connection::open(&path).unwrap();
    assert_eq!(other.execute("UPDATE jobs SET state = 'dreaming'", []).unwrap(), 1);
    let error = block_on(store.jobs(&here, None, 10)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::StoreDamaged, "{error:?}");
}
