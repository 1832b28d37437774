//! Background work.

use std::sync::Mutex;
use std::time::Duration;

use scrubjay_core::scope::Scope;
use scrubjay_engine::EngineError;
use scrubjay_engine::schedule::jobs::JobKind;
use scrubjay_engine::schedule::{drain, drain_kinds};
use scrubjay_store::change::NewJob;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::json;

#[test]
fn names_learned_later_are_linked() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let say = |content: &str| {
        let message = json!({"messages": [{"session_id": "s", "role": "user", "content": content}]});
        call(&here, "capture", message).unwrap();
    };
    say("ask @Meridian about the billing code");
    say("Meridian said the invoice is late");
    let drained = block_on(drain(&app.owner, Duration::from_secs(5))).unwrap();
    assert!(drained.done >= 2, "names and vectors: {drained:?}");
    assert_eq!((drained.failed, drained.left), (0, 0));
    let about = call(&here, "entity", json!({"name": "meridian"})).unwrap();
    assert_eq!(about["memories"].as_array().unwrap().len(), 2, "{about}");
    assert_eq!(about["entity"]["mention_count"], 2);
}

#[test]
fn work_is_queued_once_however_much_comes_in() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    for number in 0..20 {
        let message = json!({"messages": [{"session_id": "s", "role": "user", "content": format!("line {number}")}]});
        call(&here, "capture", message).unwrap();
    }
    assert_eq!(
        call(&here, "jobs", json!({})).unwrap()["jobs"].as_array().unwrap().len(),
        3,
        "names, vectors and facts"
    );
}

#[test]
fn vectors_do_not_wait_behind_a_backlog() {
    static RAN: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let app = TestApp::on_sqlite();
    let kinds = [
        JobKind {
            name: "slow",
            about: "notes that it ran",
            takes_turns: false,
            run: |_, _| {
                RAN.lock().unwrap().push("slow");
                Box::pin(async { Ok(()) })
            },
        },
        JobKind {
            name: "soon",
            about: "notes that it ran",
            takes_turns: true,
            run: |_, _| {
                RAN.lock().unwrap().push("soon");
                Box::pin(async { Ok(()) })
            },
        },
    ];
    block_on(async {
        let (ctx, store) = (&app.owner, app.owner.store().await.unwrap());
        for (kind, count) in [("slow", 4), ("soon", 2)] {
            for number in 0..count {
                let job = NewJob {
                    id: ctx.job_id().unwrap(),
                    kind: kind.to_owned(),
                    key: format!("{kind}-{number}"),
                    scope: Scope::Global,
                    payload: json!({}),
                    run_after: ctx.now(),
                };
                store.enqueue(vec![job], ctx.now()).await.unwrap();
            }
        }
        let drained = drain_kinds(ctx, &kinds, Duration::from_secs(5)).await.unwrap();
        assert_eq!((drained.done, drained.left), (6, 0));
    });
    assert_eq!(*RAN.lock().unwrap(), ["soon", "slow", "soon", "slow", "slow", "slow"]);
}

#[test]
fn work_that_keeps_failing_is_parked_and_blocks_nobody() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let poisoned = [JobKind {
        name: "link_entities",
        about: "fails each time",
        takes_turns: false,
        run: |_, _| Box::pin(async { Err(EngineError::invalid("poisoned")) }),
    }];
    call(&here, "capture", json!({"messages": [{"session_id": "s", "role": "user", "content": "bad day"}]})).unwrap();
    let mut waits = Vec::new();
    for attempt in 1..=5 {
        let drained = block_on(drain_kinds(&app.owner, &poisoned, Duration::from_secs(5))).unwrap();
        assert_eq!((drained.done, drained.failed), (0, 1), "try {attempt}");
        let again = block_on(drain_kinds(&app.owner, &poisoned, Duration::from_secs(5))).unwrap();
        assert_eq!(again.failed, 0, "it is not tried again at once");
        let jobs = call(&here, "jobs", json!({})).unwrap();
        let job = jobs["jobs"].as_array().unwrap().iter().find(|job| job["kind"] == "link_entities").unwrap().clone();
        waits.push(job["run_after"].as_str().unwrap().to_owned());
        app.clock.advance(Duration::from_secs(120));
    }
    assert!(waits[..4].windows(2).all(|pair| pair[0] < pair[1]), "each wait ends later: {waits:?}");
    let parked = call(&here, "jobs", json!({"state": "parked"})).unwrap();
    assert_eq!((&parked["jobs"][0]["tries"], &parked["jobs"][0]["last_error"]), (&json!(5), &json!("poisoned")));
    call(
        &app.in_project("birch"),
        "capture",
        json!({"messages": [{"session_id": "s", "role": "user", "content": "good day"}]}),
    )
    .unwrap();
    assert!(block_on(drain(&app.owner, Duration::from_secs(5))).unwrap().done >= 1, "others' work goes on");
    let waits_for_its_time = |jobs: serde_json::Value| {
        jobs["jobs"].as_array().unwrap().iter().all(|job| job["kind"] == "extract" && job["tries"] == 0)
    };
    assert!(waits_for_its_time(call(&app.in_project("birch"), "jobs", json!({})).unwrap()));
    assert_eq!(call(&here, "jobs.retry", json!({})).unwrap()["queued"], 1);
    assert_eq!(block_on(drain(&app.owner, Duration::from_secs(5))).unwrap().done, 1);
    assert!(waits_for_its_time(call(&here, "jobs", json!({})).unwrap()));
}

#[test]
fn a_dead_workers_job_is_taken_over_after_its_lease() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    call(&here, "capture", json!({"messages": [{"session_id": "s", "role": "user", "content": "hello there"}]}))
        .unwrap();
    let store = block_on(here.store()).unwrap();
    let kinds = ["link_entities".to_owned()];
    let claim = |owner: &str| block_on(store.claim(owner, &kinds, app.owner.now(), 60_000)).unwrap();
    let job = claim("dead").unwrap();
    assert!(claim("alive").is_none());
    app.clock.advance(Duration::from_secs(61));
    assert_eq!(claim("alive").unwrap().id, job.id);
    assert!(!block_on(store.finish(job.id, "dead")).unwrap(), "the dead one has no say any more");
    assert!(block_on(store.finish(job.id, "alive")).unwrap());
}
