//! A year of nights.

use std::time::Duration;

use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[test]
fn a_year_of_nights_follows_the_formula() {
    let app = TestApp::on_sqlite();
    let remember = |content: &str, more: Value| {
        let mut input = json!({"content": content});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call(&app.owner, "remember", input).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let certain = remember("The mill is red", json!({}));
    let unsure = remember("The barn may leak", json!({"confidence": 0.5}));
    let used = remember("The well is deep", json!({}));
    let confirmed = remember("The gate squeaks", json!({}));
    call(&app.owner, "confirm", json!({"id": confirmed})).unwrap();
    let episode = remember("We painted the fence", json!({"kind": "episode"}));
    let mut gone: Vec<(usize, String)> = Vec::new();
    for day in 1..=365_usize {
        app.clock.advance(DAY);
        if day == 20 {
            // Being shown is being used, and fading begins anew.
            call(&app.owner, "show", json!({"id": used})).unwrap();
        }
        let planned = call(&app.owner, "decay", json!({"dry_run": true})).unwrap();
        let done = call(&app.owner, "decay", json!({})).unwrap();
        assert_eq!(planned["faded"], done["faded"], "day {day}");
        for faded in done["faded"].as_array().unwrap() {
            let id = faded["id"].as_str().unwrap().to_owned();
            let (start, since) = if id == unsure {
                (0.5, 0)
            } else if id == used {
                (1.0, 20)
            } else {
                (1.0, 0)
            };
            let expected = start * (-0.1 * (day - since) as f64).exp();
            assert!((faded["effective_confidence"].as_f64().unwrap() - expected).abs() < 1e-6, "{faded}");
            gone.push((day, id));
        }
    }
    // 10 ln(c / 0.05): 29.957 days for certainty, 23.026 for a half.
    assert_eq!(gone, [(24, unsure), (30, certain.clone()), (50, used)]);
    for id in [confirmed, episode] {
        let memory = call(&app.owner, "show", json!({"id": id})).unwrap();
        assert_eq!((&memory["ended_by"], &memory["effective_confidence"]), (&Value::Null, &json!(1.0)), "{memory}");
    }
    let memory = call(&app.owner, "show", json!({"id": certain})).unwrap();
    assert_eq!(
        (&memory["ended_by"], &memory["confidence"]),
        (&json!("decayed"), &json!(1.0)),
        "nothing is counted down"
    );
    call(&app.owner, "restore", json!({"ids": [certain]})).unwrap();
    assert_eq!(
        call(&app.owner, "decay", json!({})).unwrap()["faded"].as_array().unwrap().len(),
        0,
        "restored is shown"
    );
}

#[test]
fn many_facts_fade_in_one_run_that_can_be_undone() {
    let app = TestApp::on_sqlite();
    for number in 0..1203 {
        call(
            &app.owner,
            "remember",
            json!({"content": format!("item {number} is in box {}", number * 7), "id": format!("{number}")}),
        )
        .unwrap();
    }
    app.clock.advance(DAY * 40);
    let done = call(&app.owner, "decay", json!({})).unwrap();
    assert_eq!((done["looked_at"].as_u64(), done["faded"].as_array().unwrap().len()), (Some(1203), 1203));
    let undone = call(&app.owner, "undo", json!({"target": done["runs"][0]})).unwrap();
    assert_eq!(undone["changes"], 1203);
}
