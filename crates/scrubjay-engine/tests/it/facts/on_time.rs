//! The schedule.

use std::time::Duration;

use scrubjay_engine::maintain::{Work, due, next, tick};
use scrubjay_engine::schedule::drain;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::json;

const HOUR: Duration = Duration::from_secs(60 * 60);
const ZONE: (&str, &str) = ("maintain.time_zone", "CET-1CEST,M3.5.0,M10.5.0/3");

// Backups need a moment each and have their own tests.
fn app() -> TestApp {
    TestApp::with(None, &[ZONE, ("maintain.backup", ""), ("maintain.tidy", "")])
}

// Lets time pass in steps and tells what ran and when, in local hours since the start.
fn pass(app: &TestApp, steps: usize, step: Duration) -> Vec<(usize, Work)> {
    let mut ran = Vec::new();
    for at in 1..=steps {
        app.clock.advance(step);
        // A new process each time: everything that counts is in the store.
        let ctx = app.again();
        ran.extend(block_on(tick(&ctx)).unwrap().into_iter().map(|due| (at, due.work)));
        assert_eq!(block_on(tick(&ctx)).unwrap(), [], "what is queued is not queued again");
        block_on(drain(&ctx, Duration::from_secs(60))).unwrap();
    }
    ran
}

#[test]
fn each_night_once_and_each_week_once() {
    let app = app();
    assert_eq!(block_on(due(&app.owner)).unwrap(), [], "what was never done is not overdue");
    // From Friday 14:00 local time, fourteen days.
    let ran = pass(&app, 14 * 24, HOUR);
    let count = |work: Work| ran.iter().filter(|(_, ran)| *ran == work).count();
    assert_eq!([Work::Enrich, Work::Consolidate, Work::Decay, Work::Reflect].map(count), [14, 14, 14, 2]);
    let hours =
        |work: Work| ran.iter().filter(|(_, ran)| *ran == work).map(|(at, _)| (at + 14) % 24).collect::<Vec<_>>();
    assert!(hours(Work::Enrich).iter().all(|hour| *hour == 2), "{:?}", hours(Work::Enrich));
    assert!(hours(Work::Consolidate).iter().all(|hour| *hour == 3));
    assert!(hours(Work::Decay).iter().all(|hour| *hour == 4));
    let days: Vec<usize> = ran.iter().filter(|(_, ran)| *ran == Work::Reflect).map(|(at, _)| (at + 14) / 24).collect();
    assert_eq!(days, [2, 9], "Sundays");
}

#[test]
fn what_was_slept_through_is_done_once() {
    let app = app();
    pass(&app, 1, HOUR);
    let ran = pass(&app, 1, HOUR * 24 * 10);
    assert_eq!(ran.len(), 4, "ten nights, and each piece once: {ran:?}");
    assert_eq!(pass(&app, 2, HOUR), []);
}

#[test]
fn clocks_that_change_neither_skip_nor_double_a_night() {
    for start in ["2026-03-27T12:00:00Z", "2026-10-23T12:00:00Z"] {
        let app = app();
        let until: scrubjay_core::time::Timestamp = start.parse().unwrap();
        let ahead = until.millis() - app.owner.now().millis();
        if ahead < 0 {
            continue;
        }
        app.clock.advance(Duration::from_millis(u64::try_from(ahead).unwrap()));
        assert_eq!(pass(&app, 1, Duration::from_secs(1)), []);
        let ran = pass(&app, 4 * 24 * 4, HOUR / 4);
        let count = |work: Work| ran.iter().filter(|(_, ran)| *ran == work).count();
        assert_eq!([Work::Enrich, Work::Consolidate, Work::Decay, Work::Reflect].map(count), [4, 4, 4, 1], "{start}");
    }
}

#[test]
fn a_clock_that_jumped_does_not_stop_it_for_years() {
    let app = app();
    pass(&app, 1, HOUR);
    let store = block_on(app.owner.store()).unwrap();
    // A clock that was four years ahead noted what it did.
    let future = u64::try_from(app.owner.now().millis()).unwrap() + 4 * 365 * 24 * 60 * 60 * 1000;
    block_on(store.set_mark("maintain:decay", future)).unwrap();
    let ran = pass(&app, 48, HOUR);
    assert_eq!(ran.iter().filter(|(_, work)| *work == Work::Decay).count(), 2, "{ran:?}");
    // A clock that was set back a little does not do a night twice.
    let night = block_on(store.mark("maintain:decay")).unwrap().unwrap();
    let just_before = app.owner.now().millis() - i64::try_from(night).unwrap();
    assert!(just_before >= 0);
    block_on(store.set_mark("maintain:decay", u64::try_from(app.owner.now().millis()).unwrap() + 5000)).unwrap();
    assert_eq!(pass(&app, 1, Duration::from_secs(10)), []);
}

#[test]
fn a_worker_that_died_is_replaced_and_what_failed_is_tried_again() {
    let app = app();
    pass(&app, 1, HOUR);
    app.clock.advance(HOUR * 15);
    let queued = block_on(tick(&app.owner)).unwrap();
    assert!(queued.iter().any(|due| due.work == Work::Decay), "{queued:?}");
    let store = block_on(app.owner.store()).unwrap();
    let kinds = ["maintain".to_owned()];
    while block_on(store.claim("dead", &kinds, app.owner.now(), 60_000)).unwrap().is_some() {}
    assert_eq!(block_on(tick(&app.owner)).unwrap(), [], "someone has it");
    app.clock.advance(Duration::from_secs(61));
    let drained = block_on(drain(&app.owner, Duration::from_secs(60))).unwrap();
    assert!(drained.done >= 3 && drained.failed == 0, "{drained:?}");
    assert_eq!(block_on(due(&app.owner)).unwrap(), []);
}

#[test]
fn times_can_be_set_and_nonsense_is_named() {
    let app = TestApp::with(None, &[ZONE, ("maintain.decay", "*/5 * * * *"), ("maintain.reflect", "")]);
    let soon = block_on(async { next(&app.owner) }).unwrap().unwrap();
    assert_eq!(soon.work, Work::Decay);
    let wrong = TestApp::with(None, &[("maintain.decay", "at noon")]);
    let error = block_on(due(&wrong.owner)).unwrap_err().to_string();
    assert!(error.contains("maintain.decay") && error.contains("0 3 * * *"), "{error}");
    let nowhere = TestApp::with(None, &[("maintain.time_zone", "Middle/Earth")]);
    assert!(block_on(due(&nowhere.owner)).unwrap_err().to_string().contains("Europe/Berlin"));
}

#[test]
fn by_hand_it_tells_what_it_did() {
    let app = app();
    super::talks::say(&app.owner, "s", &[("user", "I live in Bern.")]);
    app.clock.advance(HOUR);
    let planned = call(&app.owner, "maintain", json!({"work": "consolidate", "dry_run": true})).unwrap();
    assert!(planned["done"][0]["told"][0].as_str().unwrap().contains("1 new facts"), "{planned}");
    assert_eq!(planned["done"][0]["runs"], json!([]));
    let all = call(&app.owner, "maintain", json!({})).unwrap();
    let names: Vec<&str> = all["done"].as_array().unwrap().iter().map(|done| done["work"].as_str().unwrap()).collect();
    assert_eq!(names, ["enrich", "consolidate", "decay", "reflect", "tidy", "backup"]);
    assert_eq!(all["done"][1]["runs"].as_array().unwrap().len(), 1, "{all}");
    assert_eq!(all["warnings"], json!([]));
    assert!(call(&app.owner, "maintain", json!({"work": "everything"})).is_err());
    assert!(call(&app.owner.confined_to("x".parse().unwrap()), "maintain", json!({})).is_err(), "the owner only");
}
