//! Vectors of a caller in a namespace of their own.

use std::sync::Arc;

use scrubjay_core::error::ErrorCode;
use scrubjay_core::scope::{Scope, View};
use scrubjay_engine::vector_space::{NewEntry, VectorSpace};
use scrubjay_engine::{Ctx, EngineError};
use scrubjay_store::memory::MemoryStore;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn refusal<T>(result: Result<T, EngineError>) -> String {
    let Err(error) = result else { panic!("it was not refused") };
    assert_eq!(error.code(), ErrorCode::InvalidInput, "{error}");
    error.to_string()
}

fn apps() -> [TestApp; 2] {
    [TestApp::on_sqlite(), TestApp::with(Some(Arc::new(MemoryStore::default())), &[])]
}

fn project(name: &str) -> Scope {
    Scope::Project(name.parse().unwrap())
}

async fn opened(ctx: &Ctx, scope: Scope, namespace: &str) -> VectorSpace {
    VectorSpace::open(ctx, scope, namespace, 3).await.unwrap()
}

async fn ids(space: &VectorSpace, vector: [f32; 3], k: usize) -> Vec<String> {
    space.search(&vector, k, None).await.unwrap().into_iter().map(|hit| hit.id).collect()
}

#[test]
fn vectors_are_inserted_searched_overwritten_and_deleted() {
    for app in apps() {
        block_on(async {
            let space = opened(&app.in_project("apple"), project("apple"), "images").await;
            assert_eq!(ids(&space, [1.0, 0.0, 0.0], 5).await, Vec::<String>::new());
            space.insert("x", &[2.0, 0.0, 0.0], json!({"path": "x.png"})).await.unwrap();
            space.insert("y", &[0.0, 0.5, 0.0], json!({"path": "y.png"})).await.unwrap();
            space.insert("xy", &[3.0, 3.0, 0.0], json!("a diagonal")).await.unwrap();
            let hits = space.search(&[10.0, 1.0, 0.0], 2, None).await.unwrap();
            assert_eq!(hits[0].id, "x");
            assert_eq!(hits[0].payload, json!({"path": "x.png"}));
            assert!((hits[0].cosine - 10.0 / 101.0_f32.sqrt()).abs() < 1e-6, "{hits:?}");
            assert_eq!((hits.len(), hits[1].id.as_str()), (2, "xy"));
            let of_y = |payload: &Value| payload["path"] == "y.png";
            let hits = space.search(&[1.0, 0.0, 0.0], 1, Some(&of_y)).await.unwrap();
            assert_eq!((hits.len(), hits[0].id.as_str(), hits[0].cosine), (1, "y", 0.0));
            // The same id again.
            space.insert("x", &[0.0, 0.0, 1.0], json!("moved")).await.unwrap();
            assert_eq!(space.count().await.unwrap(), 3);
            let hits = space.search(&[0.0, 0.0, 7.0], 1, None).await.unwrap();
            assert_eq!((hits[0].id.as_str(), &hits[0].payload), ("x", &json!("moved")));
            assert!(space.delete("x").await.unwrap());
            assert!(!space.delete("x").await.unwrap());
            assert_eq!(ids(&space, [0.0, 1.0, 0.0], 9).await, ["y", "xy"]);
            assert_eq!(space.clear().await.unwrap(), 2);
            assert_eq!((space.count().await.unwrap(), ids(&space, [1.0, 0.0, 0.0], 9).await.len()), (0, 0));
        });
    }
}

#[test]
fn vectors_that_cannot_be_compared_are_refused() {
    for app in apps() {
        block_on(async {
            let here = app.in_project("apple");
            let space = opened(&here, project("apple"), "images").await;
            space.insert("x", &[1.0, 0.0, 0.0], Value::Null).await.unwrap();
            for bad in [&[1.0, 0.0][..], &[1.0; 4], &[], &[f32::NAN, 0.0, 1.0], &[f32::INFINITY, 0.0, 1.0], &[0.0; 3]] {
                refusal(space.insert("bad", bad, Value::Null).await);
                refusal(space.search(bad, 3, None).await);
            }
            let good = NewEntry { id: "good".to_owned(), vector: vec![0.0, 1.0, 0.0], payload: Value::Null };
            let bad = NewEntry { id: String::new(), ..good.clone() };
            refusal(space.insert_all(vec![good, bad]).await);
            assert_eq!(ids(&space, [0.0, 1.0, 0.0], 9).await, ["x"], "all of them or none");
            let message = refusal(VectorSpace::open(&here, project("apple"), "images", 4).await);
            assert!(message.contains("have 3 dimensions"), "{message}");
            refusal(VectorSpace::open(&here, project("apple"), "images", 0).await);
            refusal(VectorSpace::open(&here, project("apple"), " ", 3).await);
            // A namespace that was emptied can begin anew; who had it open is told.
            space.clear().await.unwrap();
            let other = VectorSpace::open(&here, project("apple"), "images", 2).await.unwrap();
            other.insert("flat", &[1.0, 0.0], Value::Null).await.unwrap();
            refusal(space.search(&[1.0, 0.0, 0.0], 1, None).await);
            assert!(space.insert("x", &[1.0, 0.0, 0.0], Value::Null).await.is_err());
        });
    }
}

#[test]
fn namespaces_and_projects_do_not_see_each_other() {
    for app in apps() {
        block_on(async {
            let here = app.in_project("apple");
            let own = opened(&here, project("apple"), "images").await;
            own.insert("x", &[1.0, 0.0, 0.0], json!("ours")).await.unwrap();
            let there = app.in_project("pear");
            let others = [
                opened(&here, project("apple"), "sounds").await,
                opened(&there, project("pear"), "images").await,
                opened(&here, Scope::Global, "images").await,
            ];
            for other in &others {
                assert_eq!(ids(other, [1.0, 0.0, 0.0], 9).await, Vec::<String>::new());
                assert_eq!(other.count().await.unwrap(), 0);
                assert!(!other.delete("x").await.unwrap());
                other.insert("x", &[0.0, 1.0, 0.0], json!("theirs")).await.unwrap();
                other.clear().await.unwrap();
            }
            let hits = own.search(&[1.0, 0.0, 0.0], 9, None).await.unwrap();
            assert_eq!((hits.len(), &hits[0].payload), (1, &json!("ours")));
            // A token of one project neither reads another nor writes what holds for all.
            let confined = app.owner.clone().acting_as("agent").confined_to("pear".parse().unwrap());
            assert!(VectorSpace::open(&confined, project("apple"), "images", 3).await.is_err());
            let shared = opened(&confined, Scope::Global, "images").await;
            let refused = shared.insert("x", &[1.0, 0.0, 0.0], Value::Null).await.unwrap_err();
            assert_eq!(refused.code(), ErrorCode::Refused, "{refused}");
            assert_eq!(shared.clear().await.unwrap_err().code(), ErrorCode::Refused);
        });
        // They are no memories.
        let recalled = call(&app.in_project("apple"), "recall", json!({"query": "ours", "min_score": 0.0})).unwrap();
        assert_eq!(recalled["hits"], json!([]));
    }
}

#[test]
fn vectors_outlive_the_process_and_hold_no_secrets() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let secret = ["AKIA", "IOSFODNN7EXAMPLQ"].concat();
    block_on(async {
        let space = opened(&here, project("apple"), "notes").await;
        let payload = json!({"text": format!("the key is {secret}"), "lines": [1, 2.5]});
        space.insert("x", &[1.0, 2.0, 3.0], payload).await.unwrap();
        let many = (0..2500).map(|number: u16| NewEntry {
            id: format!("n{number:04}"),
            vector: vec![f32::from(number), 2500.0, -1.0],
            payload: json!(number),
        });
        space.insert_all(many.collect()).await.unwrap();
    });
    let again = app.again().at(View::project("apple".parse().unwrap())).unwrap();
    block_on(async {
        let space = opened(&again, project("apple"), "notes").await;
        assert_eq!(space.count().await.unwrap(), 2501);
        let hits = space.search(&[1.0, 2.0, 3.0], 1, None).await.unwrap();
        assert_eq!((hits[0].id.as_str(), &hits[0].payload["lines"]), ("x", &json!([1, 2.5])));
        assert!(!hits[0].payload.to_string().contains(&secret), "{hits:?}");
        // Beyond the first page, too.
        assert_eq!(ids(&space, [1.0, 0.0, 0.0], 2).await, ["n2499", "n2498"]);
    });
}
