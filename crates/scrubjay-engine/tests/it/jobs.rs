//! Background work.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use scrubjay_core::memory::{Kind, Origin, OriginKind};
use scrubjay_core::scope::{Scope, View};
use scrubjay_engine::capture::{Draft, prepare};
use scrubjay_engine::schedule::jobs::{JobKind, KINDS};
use scrubjay_engine::schedule::{Drained, drain, drain_kinds};
use scrubjay_engine::{Ctx, EngineError, queue};
use scrubjay_store::change::NewJob;
use scrubjay_store::query::{Job, JobState};
use scrubjay_test::app::{block_on, call};
use scrubjay_test::{TestApp, TestClock};
use serde_json::json;

type Running<'a> = Pin<Box<dyn Future<Output = scrubjay_engine::Result<()>> + Send + 'a>>;

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
fn vectors_and_other_work_take_turns() {
    static RAN: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    static CLOCK: OnceLock<Arc<TestClock>> = OnceLock::new();
    // Each job takes a second.
    fn ran(kind: &'static str) {
        RAN.lock().unwrap().push(kind);
        CLOCK.get().unwrap().advance(Duration::from_secs(1));
    }
    let app = TestApp::on_sqlite();
    assert!(CLOCK.set(app.clock.clone()).is_ok());
    let kind = |name, takes_turns, run| JobKind {
        name,
        about: "notes that it ran",
        takes_turns,
        asks_chat: false,
        wait_ms: |_| 0,
        run,
    };
    let kinds = [
        kind("slow", false, |_, _| {
            ran("slow");
            Box::pin(async { Ok(()) })
        }),
        kind("soon", true, |_, _| {
            ran("soon");
            Box::pin(async { Ok(()) })
        }),
    ];
    let ctx = &app.owner;
    let drain = |budget| {
        block_on(drain_kinds(ctx, &kinds, budget)).unwrap();
        std::mem::take(&mut *RAN.lock().unwrap())
    };
    block_on(async {
        for (kind, count) in [("slow", 40), ("soon", 30)] {
            for number in 0..count {
                let job = NewJob {
                    id: ctx.job_id().unwrap(),
                    kind: kind.to_owned(),
                    key: format!("{kind}-{number}"),
                    scope: Scope::Global,
                    payload: json!({}),
                    run_after: ctx.now(),
                };
                ctx.store().await.unwrap().enqueue(vec![job], ctx.now()).await.unwrap();
            }
        }
    });
    // All of the slow ones have waited longer.
    let long = drain(Duration::from_secs(8));
    assert_eq!(long.iter().filter(|kind| **kind == "soon").count(), 4, "{long:?}");
    // Whoever has time for one job only does not always do the same kind.
    let short: Vec<&str> = (0..20).flat_map(|_| drain(Duration::from_secs(1))).collect();
    assert_eq!(short.len(), 20);
    for kind in ["slow", "soon"] {
        assert!(short.iter().filter(|ran| **ran == kind).count() >= 5, "{short:?}");
    }
}

#[test]
fn work_that_keeps_failing_is_parked_and_blocks_nobody() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let poisoned = [JobKind {
        name: "link_entities",
        about: "fails each time",
        takes_turns: false,
        asks_chat: false,
        wait_ms: |_| 0,
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
fn a_job_that_panics_is_a_failed_try_and_its_worker_goes_on() {
    let app = TestApp::on_sqlite();
    let kinds = [
        kind("rotten", |_, _| Box::pin(async { panic!("out of fingers") })),
        kind("sound", |_, _| Box::pin(async { Ok(()) })),
    ];
    queue(&app.owner, "rotten");
    queue(&app.owner, "sound");
    let drained = block_on(drain_kinds(&app.owner, &kinds, Duration::from_secs(5))).unwrap();
    assert_eq!((drained.done, drained.failed), (1, 1));
    let jobs = call(&app.owner, "jobs", json!({})).unwrap();
    let rotten = jobs["jobs"].as_array().unwrap().iter().find(|job| job["kind"] == "rotten").unwrap();
    let error = rotten["last_error"].as_str().unwrap();
    assert!(error.contains("the job rotten panicked") && !error.contains("fingers"), "{error}");
    assert_eq!((&rotten["tries"], &rotten["state"]), (&json!(1), &json!("queued")));
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

// A job of this kind, due now.
fn queue(ctx: &Ctx, kind: &str) {
    let job = NewJob {
        id: ctx.job_id().unwrap(),
        kind: kind.to_owned(),
        key: "key".to_owned(),
        scope: Scope::Global,
        payload: json!({}),
        run_after: ctx.now(),
    };
    block_on(async { ctx.store().await.unwrap().enqueue(vec![job], ctx.now()).await }).unwrap();
}

fn kind(name: &'static str, run: for<'a> fn(&'a Ctx, &'a Job) -> Running<'a>) -> JobKind {
    JobKind { name, about: "is watched", takes_turns: false, asks_chat: false, wait_ms: |_| 0, run }
}

#[test]
fn a_job_that_outlasts_its_lease_runs_once() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    static CLOCK: OnceLock<Arc<TestClock>> = OnceLock::new();
    // Three leases long, while another worker looks for work all the time.
    fn long<'a>(ctx: &'a Ctx, _: &'a Job) -> Running<'a> {
        Box::pin(async move {
            if RUNS.fetch_add(1, Ordering::Relaxed) > 0 {
                return Ok(());
            }
            let store = ctx.store().await?;
            for _ in 0..6 {
                CLOCK.get().unwrap().advance(Duration::from_millis(500));
                let wanted = ctx.now().plus_millis(1000);
                let is_extended = async || {
                    let held = store.jobs(&View::global(), Some(JobState::Running), 1).await.unwrap();
                    held.first().is_none_or(|job| job.lease_until >= Some(wanted))
                };
                let extended = async {
                    while !is_extended().await {
                        tokio::task::yield_now().await;
                    }
                };
                let _ = tokio::time::timeout(Duration::from_secs(5), extended).await;
                drain_kinds(ctx, &[kind("long", long)], Duration::from_secs(1)).await?;
            }
            Ok(())
        })
    }
    let app = TestApp::with(None, &[("jobs.lease_ms", "1000")]);
    assert!(CLOCK.set(app.clock.clone()).is_ok());
    queue(&app.owner, "long");
    let drained = block_on(drain_kinds(&app.owner, &[kind("long", long)], Duration::from_secs(60))).unwrap();
    assert_eq!(drained, Drained { done: 1, ..Drained::default() });
    assert_eq!(RUNS.load(Ordering::Relaxed), 1);
}

#[test]
fn a_job_that_another_worker_took_over_is_not_counted_as_done() {
    static CLOCK: OnceLock<Arc<TestClock>> = OnceLock::new();
    // As if this process had slept for longer than its lease.
    async fn lose(ctx: &Ctx, name: &str) {
        CLOCK.get().unwrap().advance(Duration::from_secs(2));
        let store = ctx.store().await.unwrap();
        assert!(store.claim("another", &[name.to_owned()], ctx.now(), 60_000).await.unwrap().is_some());
    }
    let kinds = [
        kind("finished", |ctx, _| {
            Box::pin(async move {
                lose(ctx, "finished").await;
                Ok(())
            })
        }),
        kind("failed", |ctx, _| {
            Box::pin(async move {
                lose(ctx, "failed").await;
                Err(EngineError::refused("no"))
            })
        }),
        // Never ends by itself.
        kind("dropped", |ctx, _| {
            Box::pin(async move {
                lose(ctx, "dropped").await;
                std::future::pending().await
            })
        }),
    ];
    let app = TestApp::with(None, &[("jobs.lease_ms", "1000")]);
    assert!(CLOCK.set(app.clock.clone()).is_ok());
    for kind in &kinds {
        queue(&app.owner, kind.name);
    }
    let drained = block_on(drain_kinds(&app.owner, &kinds, Duration::from_secs(60))).unwrap();
    assert_eq!(drained, Drained { lost: 3, ..Drained::default() });
    let jobs = call(&app.owner, "jobs", json!({})).unwrap();
    let states: Vec<_> = jobs["jobs"].as_array().unwrap().iter().map(|job| (&job["state"], &job["tries"])).collect();
    assert_eq!(states, [(&json!("running"), &json!(2)); 3], "they are the other's: {jobs}");
}

#[test]
fn a_clock_that_was_ahead_leaves_nothing_waiting_for_years() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let say = |content: &str| {
        let message = json!({"messages": [{"session_id": "s", "role": "user", "content": content}]});
        call(&here, "capture", message).unwrap();
    };
    let finding = |check: &str| {
        let doctor = call(&app.owner, "doctor", json!({"quick": true})).unwrap();
        let found = doctor["findings"].as_array().unwrap().iter().find(|found| found["check"] == check).cloned();
        found.unwrap()
    };
    let years = Duration::from_secs(3 * 365 * 86_400);
    app.clock.advance(years);
    say("said while the clock was ahead");
    // Its jobs are due in three years, and the worker that had one of them died.
    let store = block_on(here.store()).unwrap();
    assert!(block_on(store.claim("dead", &["link_entities".to_owned()], app.owner.now(), 60_000)).unwrap().is_some());
    app.clock.set_back(years);
    say("said when the clock was right again");
    assert_eq!(finding("jobs")["status"], "warning");
    assert!(finding("jobs")["detail"].as_str().unwrap().contains("far ahead"), "{}", finding("jobs"));
    block_on(drain(&app.owner, Duration::from_secs(5))).unwrap();
    assert!(finding("vectors")["detail"].as_str().unwrap().starts_with("2 of 2 items"), "{}", finding("vectors"));
    app.clock.advance(Duration::from_secs(61));
    block_on(drain(&app.owner, Duration::from_secs(5))).unwrap();
    app.clock.advance(Duration::from_secs(300));
    block_on(drain(&app.owner, Duration::from_secs(5))).unwrap();
    assert_eq!(call(&here, "jobs", json!({})).unwrap()["jobs"], json!([]), "all of it is done");
    assert_eq!(finding("jobs")["status"], "good");
    assert!(finding("jobs")["detail"].as_str().unwrap().contains("brought back"), "{}", finding("jobs"));
}

#[test]
fn waits_that_are_meant_are_left_alone() {
    let app = TestApp::with(None, &[("extract.every_seconds", "604800"), ("jobs.backoff_ms", "3600000")]);
    let here = app.in_project("apple");
    let failing = [JobKind {
        name: "link_entities",
        about: "fails each time",
        takes_turns: false,
        asks_chat: false,
        wait_ms: |_| 0,
        run: |_, _| Box::pin(async { Err(EngineError::invalid("not today")) }),
    }];
    call(&here, "capture", json!({"messages": [{"session_id": "s", "role": "user", "content": "in a week"}]})).unwrap();
    block_on(drain_kinds(&app.owner, &failing, Duration::from_secs(5))).unwrap();
    block_on(drain(&app.owner, Duration::from_secs(5))).unwrap();
    let jobs = call(&here, "jobs", json!({})).unwrap();
    let due = |kind: &str| {
        let job = jobs["jobs"].as_array().unwrap().iter().find(|job| job["kind"] == kind).cloned();
        job.unwrap_or_else(|| panic!("{kind}: {jobs}"))["run_after"].as_str().unwrap().to_owned()
    };
    assert!(due("extract").starts_with("2026-05-08T12:00"), "a week later: {jobs}");
    assert!(due("link_entities").starts_with("2026-05-01T14:00"), "two hours later: {jobs}");
}

#[test]
fn what_an_import_leaves_is_noticed_in_turns_and_each_conversation_once() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let scope: Scope = here.view().home();
    let jobs = |kind: &str| {
        let all = call(&here, "jobs", json!({"limit": 1000})).unwrap()["jobs"].as_array().unwrap().clone();
        all.into_iter().filter(|job| job["kind"] == kind).count()
    };
    block_on(async {
        let store = here.store().await.unwrap();
        for page in 0..11_u32 {
            // Each page holds a message of every conversation.
            let mut messages = Vec::new();
            for number in 0..500 {
                let mut memory = prepare(
                    &here,
                    Draft {
                        kind: Kind::Episode,
                        scope: scope.clone(),
                        content: format!("page {page}, message {number}"),
                        memory_type: None,
                        session_id: Some(format!("s{}", number % 50)),
                        role: Some("user".to_owned()),
                        importance: None,
                        confidence: None,
                        event_time: None,
                        origin: Origin::from(OriginKind::User),
                        tags: Vec::new(),
                        source_ids: Vec::new(),
                        attributes: BTreeMap::new(),
                        client_id: None,
                        explicit: false,
                    },
                )
                .unwrap();
                memory.mentions.clear();
                messages.push(memory);
            }
            let job = queue::in_scope(&here, queue::NOTICE_SESSIONS, &scope).unwrap();
            store.capture(here.stamp("capture").unwrap(), messages, vec![job]).await.unwrap();
        }
    });
    let notice = KINDS.iter().find(|kind| kind.name == "notice_sessions").unwrap();
    let work = || {
        block_on(async {
            let store = here.store().await.unwrap();
            let kinds = [notice.name.to_owned()];
            let job = store.claim("me", &kinds, here.now(), 60_000).await.unwrap().unwrap();
            (notice.run)(&app.owner, &job).await.unwrap();
            assert!(store.finish(job.id, "me").await.unwrap());
        });
    };
    work();
    assert_eq!((jobs("extract"), jobs("notice_sessions")), (50, 1), "there is more to go through");
    work();
    assert_eq!((jobs("extract"), jobs("notice_sessions")), (50, 0));
}
