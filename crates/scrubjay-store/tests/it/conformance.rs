//! Both backends pass the suite that every backend must pass.

use std::cell::Cell;
use std::sync::Arc;

use scrubjay_core::filter::Filter;
use scrubjay_core::memory::Kind;
use scrubjay_store::Store;
use scrubjay_store::change::{Change, NewMemory};
use scrubjay_store::conformance;
use scrubjay_store::memory::MemoryStore;
use scrubjay_store::query::ListQuery;
use scrubjay_store::sqlite::{Options, SqliteStore};
use serde_json::json;

use crate::support::{Maker, open, view};

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

// Not every backend to come can hold the character NUL, so this is no part of
// the suite.
#[tokio::test]
async fn embedded_backends_hold_nul() {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = open(folder.path().join("store.db"));
    let twin = MemoryStore::new();
    for store in [&sqlite as &dyn Store, &twin] {
        let mut maker = Maker::new(1);
        let mut memory = maker.memory(Kind::Fact, "global", "heron\0osprey");
        memory.tags = vec!["a\0b".to_owned(), "a".to_owned()];
        memory.session_id = Some("\0".to_owned());
        memory.attributes.insert("key".to_owned(), json!("x\0y"));
        let new = NewMemory { client_id: Some("\0".to_owned()), ..NewMemory::plain(memory.clone()) };
        store.apply(&view("global"), maker.stamp("test"), vec![Change::Create(Box::new(new))], vec![]).await.unwrap();
        assert_eq!(store.get(&view("global"), memory.id).await.unwrap().as_ref(), Some(&memory));
        for (filter, admitted) in [
            (json!({"content": "heron\0osprey"}), 1),
            (json!({"content": "heron"}), 0),
            (json!({"content": {"$gt": "heron"}}), 1),
            (json!({"tags": "a\0b"}), 1),
            (json!({"tags": ["b", "a\0c"]}), 0),
            (json!({"session_id": "\0"}), 1),
            (json!({"attributes.key": "x\0y"}), 1),
            (json!({"attributes.key": "x"}), 0),
        ] {
            let query = ListQuery { filter: Filter::parse(&filter).unwrap(), limit: 10, ..ListQuery::default() };
            assert_eq!(store.list(&view("global"), query).await.unwrap().memories.len(), admitted, "{filter}");
        }
    }
}
