//! Both backends pass the suite that every backend must pass.

use std::cell::Cell;
use std::sync::Arc;

use scrubjay_store::Store;
use scrubjay_store::conformance;
use scrubjay_store::memory::MemoryStore;
use scrubjay_store::sqlite::{Options, SqliteStore};

#[tokio::test]
async fn memory_conforms() {
    let failures = conformance::run(|| async { Arc::new(MemoryStore::new()) as Arc<dyn Store> }).await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test]
async fn sqlite_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let number = Cell::new(0);
    let make = || {
        number.set(number.get() + 1);
        let path = folder.path().join(format!("{}.db", number.get()));
        async { Arc::new(SqliteStore::open(Options::new(path)).unwrap()) as Arc<dyn Store> }
    };
    let failures = conformance::run(make).await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_handles_on_memory_conform() {
    let make = || async {
        let twin: Arc<dyn Store> = Arc::new(MemoryStore::new());
        [Arc::clone(&twin), twin]
    };
    let failures = conformance::run_with_two_handles(make).await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_handles_on_sqlite_conform() {
    let folder = tempfile::tempdir().unwrap();
    let number = Cell::new(0);
    let make = || {
        number.set(number.get() + 1);
        let path = folder.path().join(format!("{}.db", number.get()));
        async move {
            let handle = || Arc::new(SqliteStore::open(Options::new(&path)).unwrap()) as Arc<dyn Store>;
            [handle(), handle()]
        }
    };
    let failures = conformance::run_with_two_handles(make).await;
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
