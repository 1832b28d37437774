//! What hooks left behind: who is told of it, and when it stays where it is.

use std::fs;

use scrubjay_core::scope::View;
use scrubjay_engine::hooks::{Spooled, drain, spool};
use scrubjay_engine::ops::Message;
use scrubjay_engine::spool::Spool;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::json;

fn said(project: &str, role: &str, content: &str) -> Spooled {
    let message = Message {
        session_id: "s".to_owned(),
        role: role.to_owned(),
        content: content.to_owned(),
        time: Some(json!("2026-05-01T11:00:00Z")),
        ..Message::default()
    };
    Spooled { project: Some(project.to_owned()), messages: vec![message], ..Spooled::default() }
}

#[test]
fn nobody_hears_of_what_another_project_had_set_aside() {
    let app = TestApp::on_sqlite();
    let warnings = |ctx: &scrubjay_engine::Ctx| {
        let recalled = call(ctx, "recall", json!({"query": "anything"})).unwrap();
        let injected = call(ctx, "inject", json!({"text": "anything"})).unwrap();
        let about_hooks = |answer: &serde_json::Value| {
            let mut all = answer["warnings"].as_array().unwrap().clone();
            all.retain(|warning| warning.as_str().unwrap().contains("hook"));
            serde_json::Value::Array(all).to_string()
        };
        assert_eq!(about_hooks(&recalled), about_hooks(&injected));
        about_hooks(&recalled)
    };
    let confined = |project: &str| app.owner.clone().confined_to(project.parse().unwrap());
    let folder = spool(&app.owner);
    // A message of no role is refused.
    said("pear", "", "of the pear").put(&folder, app.owner.now(), app.owner.uuid().unwrap()).unwrap();
    assert_eq!(block_on(drain(&app.owner)).unwrap().set_aside.len(), 1);
    assert!(warnings(&app.in_project("pear")).contains("1 message from a hook was set aside"));
    assert!(warnings(&confined("pear")).contains("1 message from a hook was set aside"));
    for elsewhere in [app.in_project("apple"), confined("apple"), app.owner.at(View::global()).unwrap()] {
        assert_eq!(warnings(&elsewhere), "[]", "{:?}", elsewhere.view());
    }
    // What belongs nowhere concerns the owner alone.
    fs::create_dir(app.path().join("spool").join("default").join("x.json")).unwrap();
    block_on(drain(&app.owner)).unwrap();
    assert!(warnings(&app.in_project("apple")).contains("1 message from a hook"));
    assert_eq!(warnings(&confined("apple")), "[]");
    for name in ["spool", "spool.retry", "spool.discard"] {
        assert!(call(&confined("pear"), name, json!({})).is_err(), "{name}");
    }
}

#[test]
fn a_store_that_cannot_be_used_sets_nothing_aside() {
    let app = TestApp::on_sqlite();
    let folder = spool(&app.owner);
    said("apple", "user", "kept until the store is mended")
        .put(&folder, app.owner.now(), app.owner.uuid().unwrap())
        .unwrap();
    let store = app.path().join("default.sqlite");
    fs::write(&store, "this is no database, however long it is made to be").unwrap();
    assert!(block_on(drain(&app.again())).is_err());
    assert_eq!((folder.waiting().len(), folder.count_aside()), (1, 0));
    fs::remove_file(store).unwrap();
    assert_eq!(block_on(drain(&app.again())).unwrap().messages, 1);
    assert!(folder.is_empty());
}

#[test]
fn nothing_that_was_set_aside_is_replaced() {
    let app = TestApp::on_sqlite();
    let folder = app.path().join("spool").join("default");
    for _ in 0..3 {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("1-a.json"), "{ torn").unwrap();
        block_on(drain(&app.owner)).unwrap();
    }
    let names: Vec<String> = Spool::of(app.path(), "default").aside().into_iter().map(|found| found.id).collect();
    assert_eq!(names, ["1-a-2.json", "1-a-3.json", "1-a.json"]);
}
