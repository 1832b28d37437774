//! Consolidation that is cut off at every point where it waits.
//!
//! The future is polled so many times and then dropped: as with a killed process, what was handed to the writer is
//! written and nothing after it. A new process goes on. (The real SIGKILL is in the command line's `crash` tests.)

use std::pin::pin;
use std::task::Poll;

use scrubjay_engine::Ctx;
use scrubjay_engine::consolidate::{Extent, consolidate};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::json;

use super::talks::{BILLING, say, told};

fn prepared() -> TestApp {
    let app = TestApp::with(None, &[("extract.window_tokens", "50"), ("extract.overlap_tokens", "20")]);
    let here = app.in_project("billing");
    call(&here, "remember", json!({"content": "This project uses tabs for indentation"})).unwrap();
    for (session, turns) in BILLING {
        say(&here, session, turns);
        app.clock.advance(std::time::Duration::from_secs(60));
    }
    app
}

// Goes through all sessions, but waits only so many times. True if that was enough.
fn run(ctx: &Ctx, waits: usize) -> bool {
    block_on(async {
        let mut work = pin!(async {
            let store = ctx.store().await.unwrap();
            for (session, _) in BILLING {
                let session = store.session(ctx.view(), session).await.unwrap().unwrap();
                consolidate(ctx, &session, Extent::Apply).await.unwrap();
            }
        });
        let mut left = waits;
        std::future::poll_fn(|context| {
            if left == 0 {
                return Poll::Ready(false);
            }
            left -= 1;
            work.as_mut().poll(context).map(|()| true)
        })
        .await
    })
}

#[test]
fn cut_off_anywhere_it_comes_to_the_same() {
    let whole = prepared();
    let here = whole.in_project("billing");
    assert!(run(&here, usize::MAX));
    let expected = told(&here);
    assert!(expected.lines().count() > 8, "{expected}");
    let mut waits = 1;
    loop {
        let app = prepared();
        let finished = run(&app.in_project("billing"), waits);
        let again = app.again().at(here.view().clone()).unwrap();
        assert!(run(&again, usize::MAX));
        assert_eq!(told(&again), expected, "cut off after {waits} waits");
        if finished {
            break;
        }
        // Early on every point is tried; later ones are more of the same.
        waits += if waits < 60 { 1 } else { 1 + waits / 20 };
    }
    assert!(waits > 30, "it never waited: {waits}");
}

#[test]
fn two_at_once_do_not_double_anything() {
    let app = prepared();
    let (one, other) = (app.in_project("billing"), app.again().at(app.in_project("billing").view().clone()).unwrap());
    let expected = {
        let alone = prepared();
        let here = alone.in_project("billing");
        assert!(run(&here, usize::MAX));
        told(&here)
    };
    block_on(async {
        let work = |ctx: Ctx| async move {
            let store = ctx.store().await.unwrap();
            for (session, _) in BILLING {
                let session = store.session(ctx.view(), session).await.unwrap().unwrap();
                consolidate(&ctx, &session, Extent::Apply).await.unwrap();
            }
        };
        tokio::join!(work(one.clone()), work(other));
    });
    assert!(run(&one, usize::MAX));
    assert_eq!(told(&one), expected);
}

#[test]
fn a_change_made_meanwhile_is_not_overwritten() {
    let app = prepared();
    let here = app.in_project("billing");
    assert!(run(&here, usize::MAX));
    let facts = call(&here, "list", json!({"kind": "fact"})).unwrap()["memories"].as_array().unwrap().clone();
    let tabs = facts.iter().find(|fact| fact["content"].as_str().unwrap().contains("tabs")).unwrap()["id"].clone();
    call(&here, "edit", json!({"id": tabs, "content": "This project uses tabs, two wide"})).unwrap();
    say(&here, "billing-4", &[("user", "This project uses tabs for indentation.")]);
    call(&here, "consolidate", json!({})).unwrap();
    let edited = call(&here, "show", json!({"id": tabs})).unwrap();
    assert_eq!(edited["content"], "This project uses tabs, two wide");
}
