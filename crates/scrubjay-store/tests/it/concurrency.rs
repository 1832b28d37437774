//! Many writers at once: nobody is told that the store is busy, and nothing is
//! lost or stored twice.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Barrier};

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::EndedBy;
use scrubjay_store::change::{Captured, Change, Patch};
use scrubjay_store::query::CheckStatus;
use scrubjay_store::sqlite::{Options, SqliteStore};
use scrubjay_store::{Jobs, Memories, Sessions, Store, Upkeep};

use crate::support::{Maker, all, block_on, open, view};

const WRITERS: u64 = 4;
const ROUNDS: usize = 40;

// What one writer does: messages, facts, changes and jobs, in a place of its own
// and in one that all share. Gives the ids it was told are stored.
fn write(store: &dyn Store, writer: u64) -> Vec<MemoryId> {
    let mut maker = Maker::new(writer);
    let own = format!("project/writer-{writer}");
    let mut ids = Vec::new();
    block_on(async {
        for round in 0..ROUNDS {
            let message = maker.message("global", "shared", &format!("message {round} of writer {writer}"));
            let job = maker.job("extract", &format!("{writer}/{round}"), "global");
            let captured = store.capture(maker.stamp("capture"), vec![message], vec![job]).await.unwrap();
            let [Captured::Stored(said)] = captured[..] else { panic!("{captured:?}") };
            let fact = maker.remember(store, &own, &format!("fact {round} of writer {writer}")).await;
            let patch = Patch { importance: Some(4.0), ..Patch::default() };
            let changes = vec![
                Change::Update { id: said, expected_version: Some(1), patch: Box::new(patch) },
                Change::End { id: fact, expected_version: Some(1), by: EndedBy::Forgotten },
            ];
            store.apply(&view(&own), maker.stamp("test"), changes, Vec::new()).await.unwrap();
            assert!(store.get(&view(&own), said).await.unwrap().is_some(), "what was acknowledged is found at once");
            ids.extend([said, fact]);
        }
    });
    ids
}

// Runs all writers at once, each on the store it is given.
fn write_at_once(stores: &[Arc<SqliteStore>]) -> Vec<MemoryId> {
    let start = Barrier::new(stores.len());
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0u64..)
            .zip(stores)
            .map(|(writer, store)| {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    write(store.as_ref(), writer)
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    })
}

fn nothing_is_lost(path: &Path, written: &[MemoryId]) {
    let store = open(path);
    block_on(async {
        let mut found = BTreeSet::new();
        for writer in 0..WRITERS {
            for memory in all(&store, &view(&format!("project/writer-{writer}"))).await {
                assert_eq!(memory.version, 2, "each was changed once");
                found.insert(memory.id);
            }
        }
        assert_eq!(written.len(), WRITERS as usize * ROUNDS * 2);
        assert_eq!(found, written.iter().copied().collect::<BTreeSet<_>>());
        let session = store.session(&view("global"), "shared").await.unwrap().unwrap();
        assert_eq!(session.messages, WRITERS * ROUNDS as u64);
        let jobs = store.jobs(&view("global"), None, usize::MAX).await.unwrap();
        assert_eq!(jobs.len(), WRITERS as usize * ROUNDS);
        for finding in store.check(true).await.unwrap() {
            assert_eq!(finding.status, CheckStatus::Good, "{finding:?}");
        }
    });
}

#[test]
fn four_threads_write_to_one_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = Arc::new(open(&path));
    let stores: Vec<_> = (0..WRITERS).map(|_| Arc::clone(&store)).collect();
    let written = write_at_once(&stores);
    drop((store, stores));
    nothing_is_lost(&path, &written);
}

#[test]
fn four_stores_write_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    // A small log, so that checkpoints happen in the midst of it.
    let options = || Options { checkpoint_bytes: 64 << 10, ..Options::new(&path) };
    let stores: Vec<_> = (0..WRITERS).map(|_| Arc::new(SqliteStore::open(options()).unwrap())).collect();
    let written = write_at_once(&stores);
    drop(stores);
    nothing_is_lost(&path, &written);
}

#[test]
fn a_job_has_one_worker_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let stores: Vec<_> = (0..WRITERS).map(|_| open(&path)).collect();
    let mut maker = Maker::new(99);
    let jobs: Vec<_> = (0..30).map(|number| maker.job("work", &number.to_string(), "global")).collect();
    let wanted: BTreeSet<_> = jobs.iter().map(|job| job.id).collect();
    let now = maker.now();
    block_on(stores[0].enqueue(jobs, now)).unwrap();
    let claimed: Vec<_> = std::thread::scope(|scope| {
        let workers: Vec<_> = stores
            .iter()
            .enumerate()
            .map(|(number, store)| {
                scope.spawn(move || {
                    block_on(async {
                        let (mut mine, owner) = (Vec::new(), format!("worker {number}"));
                        while let Some(job) = store.claim(&owner, &["work".to_owned()], now, 60_000).await.unwrap() {
                            assert!(store.finish(job.id, &owner).await.unwrap());
                            mine.push(job.id);
                        }
                        mine
                    })
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(claimed.len(), wanted.len(), "no job was done twice");
    assert_eq!(claimed.into_iter().collect::<BTreeSet<_>>(), wanted);
}

#[test]
fn a_message_sent_by_all_at_once_is_stored_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let stores: Vec<_> = (0..WRITERS).map(|_| open(&path)).collect();
    let stored: Vec<Captured> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0u64..)
            .zip(&stores)
            .map(|(writer, store)| {
                scope.spawn(move || {
                    let mut maker = Maker::new(writer);
                    let messages: Vec<_> = (0..25)
                        .map(|number| {
                            let mut message = maker.message("global", "s", &format!("message {number}"));
                            message.client_id = (number % 2 == 0).then(|| number.to_string());
                            message
                        })
                        .collect();
                    let mut answers = Vec::new();
                    for message in messages {
                        let stamp = maker.stamp("capture");
                        answers.extend(block_on(store.capture(stamp, vec![message], Vec::new())).unwrap());
                    }
                    answers
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(stored.iter().filter(|captured| matches!(captured, Captured::Stored(_))).count(), 25);
    assert_eq!(block_on(all(&stores[0], &view("global"))).len(), 25);
}
