//! What was written is there again. Files that are not ours, or newer than us,
//! are refused and left as they are.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Barrier;

use rusqlite::Connection;
use scrubjay_core::entity::EntityType;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::EntityId;
use scrubjay_store::change::{NewMention, UndoTarget};
use scrubjay_store::query::{CheckStatus, EntityQuery};
use scrubjay_store::sqlite::{Options, SCHEMA_VERSION, SqliteStore};
use scrubjay_store::{Entities, Jobs, Memories, Sessions, StoreError, Upkeep};

use crate::support::{Maker, all, beside, block_on, names_in, open, view};

fn refusal(path: &Path) -> StoreError {
    match SqliteStore::open(Options::new(path)) {
        Err(error) => error,
        Ok(_) => panic!("{} was opened", path.display()),
    }
}

#[test]
fn what_was_written_is_there_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut maker = Maker::new(1);
    let view = view("project/a");
    let mut seen = None;
    for round in 0..3 {
        let store = open(&path);
        block_on(async {
            let look = async || {
                (
                    all(&store, &view).await,
                    store.entities(&view, EntityQuery { limit: 100, ..EntityQuery::default() }).await.unwrap(),
                    store.sessions(&view, 100, 0).await.unwrap(),
                    store.jobs(&view, None, 100).await.unwrap(),
                    store.mark("mark").await.unwrap(),
                    store.counts(&view).await.unwrap(),
                )
            };
            if let Some(seen) = seen.take() {
                assert_eq!(look().await, seen, "after opening again");
            }
            let mut message = maker.message("project/a", "s", &format!("message {round}"));
            let id = EntityId::from(maker.uuid());
            message.mentions =
                vec![NewMention { id, name: format!("Name {round}"), entity_type: EntityType::Person, alias: None }];
            let job = maker.job("extract", "s", "project/a");
            store.capture(maker.stamp("capture"), vec![message], vec![job]).await.unwrap();
            maker.remember(&store, "project/a", "kept").await;
            maker.remember(&store, "project/a", "undone").await;
            store.undo(&view, maker.stamp("undo"), UndoTarget::Last).await.unwrap();
            store.set_mark("mark", round).await.unwrap();
            if round == 1 {
                store.checkpoint().await.unwrap();
            }
            seen = Some(look().await);
        });
    }
}

#[test]
fn a_new_store_is_private_and_sound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/store.db");
    let store = open(&path);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&folder.path().join("deep")), 0o700);
    block_on(Maker::new(1).remember(&store, "global", "first"));
    for suffix in ["-wal", "-shm"] {
        let beside = beside(&path, suffix);
        assert!(!beside.exists() || mode(&beside) == 0o600, "{}", beside.display());
    }
    for finding in block_on(store.check(true)).unwrap() {
        assert_eq!(finding.status, CheckStatus::Good, "{finding:?}");
    }
    assert_eq!(store.location(), Some(path.as_path()));
}

#[test]
fn a_newer_store_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    {
        let store = open(&path);
        block_on(async {
            Maker::new(1).remember(&store, "global", "from the future").await;
            store.checkpoint().await.unwrap();
        });
    }
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    drop(connection);
    let before = fs::read(&path).unwrap();
    let error = refusal(&path);
    assert!(
        matches!(error, StoreError::Newer { found, known, .. } if found == SCHEMA_VERSION + 1 && known == SCHEMA_VERSION),
        "{error:?}"
    );
    assert_eq!(error.code(), ErrorCode::StoreNewer);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert!(fs::metadata(beside(&path, "-wal")).map_or(0, |log| log.len()) == 0, "nothing was logged either");
}

#[test]
fn a_newer_store_with_a_log_keeps_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let log = beside(&path, "-wal");
    let store = open(&path);
    block_on(Maker::new(1).remember(&store, "global", "from the future"));
    // Another connection keeps the log from being cut.
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    drop(store);
    let before = (fs::read(&path).unwrap(), fs::read(&log).unwrap());
    assert!(!before.1.is_empty());
    assert!(matches!(refusal(&path), StoreError::Newer { .. }));
    assert!((fs::read(&path).unwrap(), fs::read(&log).unwrap()) == before, "a byte was changed");
    drop(connection);
}

#[test]
fn a_foreign_database_is_refused_and_left_alone() {
    for (name, setup) in [
        ("tables", "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')"),
        ("version", "PRAGMA user_version = 7"),
        ("application", "PRAGMA application_id = 123"),
        ("log", "PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("foreign.db");
        Connection::open(&path).unwrap().execute_batch(setup).unwrap();
        let before = fs::read(&path).unwrap();
        let error = refusal(&path);
        assert!(matches!(error, StoreError::Foreign { .. }), "{name}: {error:?}");
        assert_eq!(error.code(), ErrorCode::Refused);
        assert!(fs::read(&path).unwrap() == before, "{name}: a byte was changed");
        assert!(!names_in(folder.path()).iter().any(|name| name.ends_with("-journal")), "{name}");
    }
}

#[test]
fn what_is_no_database_is_refused_and_left_alone() {
    for content in [&b"# My notes\n"[..], &[0; 5000], b"SQLite format 3\0", &[0xff; 100]] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.md");
        fs::write(&path, content).unwrap();
        let error = refusal(&path);
        assert!(matches!(error, StoreError::Damaged { .. } | StoreError::Foreign { .. }), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    let folder = tempfile::tempdir().unwrap();
    let error = refusal(folder.path());
    assert_ne!(error.code(), ErrorCode::Internal, "a folder is no store: {error:?}");
}

#[test]
fn an_empty_file_becomes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    fs::write(&path, []).unwrap();
    block_on(Maker::new(1).remember(&open(&path), "global", "first"));
}

#[test]
fn many_may_create_one_store_at_once() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let start = Barrier::new(6);
        std::thread::scope(|scope| {
            for number in 0..6 {
                let (path, start) = (&path, &start);
                scope.spawn(move || {
                    start.wait();
                    let store = open(path);
                    block_on(Maker::new(number).remember(&store, "global", "from one of many"));
                });
            }
        });
        assert_eq!(block_on(all(&open(&path), &view("global"))).len(), 6);
    }
}
