//! The store on a PostgreSQL server that the test starts by itself.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use scrubjay_core::error::ErrorCode;
use scrubjay_store::change::{Captured, NewMemory};
use scrubjay_store::conformance::{CASES, run_with_two_handles};
use scrubjay_store::item::ItemKey;
use scrubjay_store::postgres::{Options, PostgresStore, SCHEMA_VERSION};
use scrubjay_store::query::CheckStatus;
use scrubjay_store::{Indexing, Memories, Store, StoreError, Upkeep};
use scrubjay_test::postgres::PostgresServer;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::support::{Maker, all, cases, view};

/// How many cases run at once. Most of the time of a case is waiting for answers.
const AT_ONCE: usize = 4;

async fn open(url: &str, agent: &str) -> PostgresStore {
    PostgresStore::open(Options::new(url, agent).unwrap()).await.unwrap()
}

// Every case has an agent of its own in one database, and several run at once, so that a row of another agent anywhere
// would be seen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_conforms() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database("conformance");
    drop(open(&url, "first").await);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let failures = Arc::new(Mutex::new(Vec::new()));
    let mut cases = JoinSet::new();
    for case in CASES.iter().copied().flatten() {
        let (url, places, failures) = (url.clone(), Arc::clone(&places), Arc::clone(&failures));
        cases.spawn(async move {
            let _place = places.acquire_owned().await.unwrap();
            let store = open(&url, case.name).await;
            if let Err(failure) = case.run(&store).await {
                failures.lock().unwrap().push(format!("{}: {failure}", case.name));
            }
        });
    }
    let count = cases.join_all().await.len();
    assert_eq!(count, CASES.iter().copied().flatten().count());
    let failures = failures.lock().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_handles_on_postgres_conform() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database("handles");
    let number = Cell::new(0);
    let make = || {
        number.set(number.get() + 1);
        let (url, agent) = (url.clone(), format!("agent-{}", number.get()));
        async move {
            let handle = || async { Arc::new(open(&url, &agent).await) as Arc<dyn Store> };
            [handle().await, handle().await]
        }
    };
    let failures = run_with_two_handles(make).await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

// Waits until so many connections to the database wait for a lock, or `is_over` says that nobody will.
async fn until_waiting(server: &PostgresServer, database: &str, count: usize, is_over: impl Fn() -> bool) {
    while server.waiting(database) < count && !is_over() {
        tokio::task::yield_now().await;
    }
}

// The first writer is stopped after it has drawn its numbers and before it commits, and the second one begins. Whoever
// follows the log meanwhile and afterwards must see what both stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_is_held_open_is_not_overtaken() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database("held");
    let (first, second) = (Arc::new(open(&url, "ada").await), Arc::new(open(&url, "ada").await));
    let mut maker = Maker::new(1);
    let before = maker.message("project/a", "held", "before");
    first.capture(maker.stamp("capture"), vec![before], Vec::new()).await.unwrap();
    let start = second.tail(None, 0, 100).await.unwrap().through;

    // The last that capture touches is the session.
    let held = server.hold("held", "SELECT 1 FROM sessions WHERE session_id = 'held' FOR UPDATE");
    let capture = |store: &Arc<PostgresStore>, maker: &mut Maker, session: &str, text: &str| {
        let (store, stamp, message) =
            (Arc::clone(store), maker.stamp("capture"), maker.message("project/a", session, text));
        tokio::spawn(async move { store.capture(stamp, vec![message], Vec::new()).await.unwrap() })
    };
    let slow = capture(&first, &mut maker, "held", "slow");
    until_waiting(&server, "held", 1, || slow.is_finished()).await;
    let quick = capture(&second, &mut maker, "free", "quick");
    until_waiting(&server, "held", 2, || quick.is_finished()).await;

    // Readers wait for nobody, and another agent's writers do not either.
    let mut seen = BTreeSet::new();
    let meanwhile = second.tail(None, start, 100).await.unwrap();
    seen.extend(meanwhile.entries.iter().map(|entry| entry.key));
    let feed = second.feed(&"project/a".parse().unwrap(), 0, 100).await.unwrap();
    let fed_through = feed.last().unwrap().position;
    let other = open(&url, "grace").await;
    let message = maker.message("project/a", "held", "of another agent");
    let captured = other.capture(maker.stamp("capture"), vec![message], Vec::new()).await.unwrap();
    assert!(matches!(captured[..], [Captured::Stored(_)]));

    drop(held);
    let mut stored = BTreeSet::new();
    for captured in [slow.await.unwrap(), quick.await.unwrap()] {
        let [Captured::Stored(id)] = captured[..] else { panic!("{captured:?}") };
        stored.extend(first.keys_of(&view("project/a"), vec![id]).await.unwrap().into_iter().map(|(_, key)| key));
    }
    let after = second.tail(None, meanwhile.through, 100).await.unwrap();
    seen.extend(after.entries.iter().map(|entry| entry.key));
    assert_eq!(seen, stored, "the log was followed from {start} over {} to {}", meanwhile.through, after.through);
    let fed = second.feed(&"project/a".parse().unwrap(), fed_through, 100).await.unwrap();
    assert_eq!(fed.len() + feed.len(), 3, "and so were the changes");
    let numbers: BTreeSet<ItemKey> = first.all_items(None, 100).await.unwrap().iter().map(|row| row.key).collect();
    assert_eq!(numbers.len(), 3);
}

#[tokio::test]
async fn a_server_that_crashed_is_used_again() {
    let Ok(server) = PostgresServer::start() else { return drop(PostgresServer::shared()) };
    let store = open(&server.url("postgres"), "ada").await;
    let mut maker = Maker::new(1);
    let kept = maker.remember(&store, "project/a", "before the crash").await;
    server.crash();
    let error = store.get(&view("project/a"), kept).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Unavailable, "{error}");
    let message = maker.message("project/a", "s", "lost");
    let error = store.capture(maker.stamp("capture"), vec![message], Vec::new()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Unavailable, "{error}");
    assert!(!error.to_string().contains("scrubjay@"), "no user in it: {error}");
    server.resume().unwrap();
    assert!(store.get(&view("project/a"), kept).await.unwrap().is_some());
    maker.remember(&store, "project/a", "after the crash").await;
    let before_restart = store.tail(None, 0, 100).await.unwrap().entries.len();
    // Idle connections are broken now, and nobody is told.
    server.crash();
    server.resume().unwrap();
    maker.remember(&store, "project/a", "after a restart that nobody saw").await;
    assert_eq!(store.tail(None, 0, 100).await.unwrap().entries.len(), before_restart + 1);
}

// What one writer captures until it is told to stop, each message with an id of its own and again until it is
// acknowledged. Gives the texts that were.
async fn capture_until(store: Arc<PostgresStore>, writer: u64, stop: Arc<AtomicBool>) -> BTreeSet<String> {
    let mut maker = Maker::new(writer);
    let mut acknowledged = BTreeSet::new();
    while !stop.load(Ordering::SeqCst) {
        let text = format!("message {} of {writer}", acknowledged.len());
        let message = maker.message("project/a", "s", &text);
        let new = NewMemory { client_id: Some(text.clone()), ..message };
        loop {
            match store.capture(maker.stamp("capture"), vec![new.clone()], Vec::new()).await {
                Ok(captured) => {
                    assert!(matches!(captured[..], [Captured::Stored(_) | Captured::Duplicate(_)]), "{captured:?}");
                    break;
                }
                // The server is away, or was while it answered.
                Err(error) => assert_eq!(error.code(), ErrorCode::Unavailable, "{error} {error:?}"),
            }
            tokio::task::yield_now().await;
        }
        acknowledged.insert(text);
    }
    acknowledged
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn crash_of_the_server_loses_and_doubles_nothing() {
    let Ok(server) = PostgresServer::start() else { return drop(PostgresServer::shared()) };
    let url = server.url("postgres");
    let stop = Arc::new(AtomicBool::new(false));
    let mut writers = JoinSet::new();
    for writer in 0..3 {
        let store = Arc::new(open(&url, "ada").await);
        writers.spawn(capture_until(store, writer, Arc::clone(&stop)));
    }
    let reader = open(&url, "ada").await;
    let stored = async || reader.counts(&view("project/a")).await.unwrap().active.iter().map(|row| row.3).sum::<u64>();
    for _ in 0..cases(5) {
        let before = stored().await;
        while stored().await < before + 5 {
            tokio::task::yield_now().await;
        }
        server.crash();
        server.resume().unwrap();
    }
    stop.store(true, Ordering::SeqCst);
    let acknowledged: BTreeSet<String> = writers.join_all().await.into_iter().flatten().collect();
    let kept: Vec<String> = all(&reader, &view("project/a")).await.into_iter().map(|memory| memory.content).collect();
    assert_eq!(kept.len(), acknowledged.len(), "each once");
    assert_eq!(kept.into_iter().collect::<BTreeSet<_>>(), acknowledged);
    let findings = reader.check(true).await.unwrap();
    assert!(findings.iter().all(|finding| finding.status == CheckStatus::Good), "{findings:?}");
}

#[tokio::test]
async fn tables_of_a_newer_version_or_of_another_program_are_left_alone() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database("newer");
    drop(open(&url, "ada").await);
    let newer = SCHEMA_VERSION + 1;
    let _ = server.sql("newer", &format!("UPDATE scrubjay_schema SET version = {newer}"));
    let refused = PostgresStore::open(Options::new(&url, "ada").unwrap()).await.err().unwrap();
    assert!(matches!(refused, StoreError::Newer { found, known, .. } if found == newer && known == SCHEMA_VERSION));
    assert_eq!(server.sql("newer", "SELECT version FROM scrubjay_schema"), newer.to_string());

    let url = server.database("foreign");
    let _ = server.sql("foreign", "CREATE TABLE memories (nothing_of_ours text)");
    let refused = PostgresStore::open(Options::new(&url, "ada").unwrap()).await.err().unwrap();
    assert!(matches!(refused, StoreError::Foreign { .. }), "{refused:?}");
    assert_eq!(server.sql("foreign", "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_are_made_once_however_many_begin() {
    let Some(server) = PostgresServer::shared() else { return };
    let url = server.database("beginning");
    let mut opening = JoinSet::new();
    for _ in 0..8 {
        let url = url.clone();
        opening.spawn(async move { open(&url, "ada").await.tail(None, 0, 1).await.unwrap().lineage });
    }
    let lineages: BTreeSet<u64> = opening.join_all().await.into_iter().collect();
    assert_eq!(lineages.len(), 1, "one store, and one agent in it");
    assert_eq!(server.sql("beginning", "SELECT count(*) FROM agents"), "1");
}

#[tokio::test]
async fn a_role_that_owns_nothing_can_use_the_store() {
    let Some(server) = PostgresServer::shared() else { return };
    drop(open(&server.database("roles"), "ada").await);
    let grant = "CREATE ROLE application LOGIN;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO application";
    let _ = server.sql("roles", grant);
    let url = server.url("roles").replace("scrubjay@", "application@");
    let store = open(&url, "ada").await;
    let mut maker = Maker::new(1);
    let id = maker.remember(&store, "project/a", "Ada owns billing").await;
    assert!(store.get(&view("project/a"), id).await.unwrap().is_some());
    let backup = store.backup(std::path::Path::new("/nowhere")).await.unwrap_err();
    assert!(backup.to_string().contains("pg_dump"), "{backup}");
}
