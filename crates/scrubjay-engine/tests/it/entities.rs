//! Names that a small model finds in the background, without a chat model and without a network.

use std::time::Duration;

use scrubjay_engine::ctx::Ctx;
use scrubjay_engine::schedule::drain;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn app(strategy: &str) -> TestApp {
    TestApp::with(None, &[("entities.strategy", strategy), ("extract.enabled", "false")])
}

fn say(ctx: &Ctx, content: &str) -> Value {
    call(ctx, "capture", json!({"messages": [{"session_id": "s", "role": "user", "content": content}]})).unwrap()
}

fn work(ctx: &Ctx) {
    let drained = block_on(drain(ctx, Duration::from_secs(60))).unwrap();
    assert_eq!((drained.failed, drained.left), (0, 0), "{drained:?}");
}

fn names(ctx: &Ctx) -> Vec<String> {
    let listed = call(ctx, "entities", json!({})).unwrap();
    listed["entities"].as_array().unwrap().iter().map(|entity| entity["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_person_named_once_is_known_in_the_next_process() {
    let app = app("accurate");
    say(&app.in_project("apple"), "Yesterday I met Caroline at the station, and she works for Microsoft now.");
    work(&app.owner);
    let later = app.again().at(app.in_project("apple").view().clone()).unwrap();
    let about = call(&later, "entity", json!({"name": "caroline"})).unwrap();
    assert_eq!((&about["entity"]["type"], &about["entity"]["mention_count"]), (&json!("person"), &json!(1)), "{about}");
    assert_eq!(about["memories"].as_array().unwrap().len(), 1);
    let about = call(&later, "entity", json!({"name": "Microsoft"})).unwrap();
    assert_eq!(about["entity"]["type"], "organization");
}

#[test]
fn the_fast_strategy_asks_no_model() {
    let app = app("fast");
    let here = app.in_project("apple");
    say(&here, "Yesterday I met Caroline at the station.");
    say(&here, "write to ann@example.org");
    work(&app.owner);
    assert!(call(&here, "entity", json!({"name": "caroline"})).is_err());
    assert_eq!(names(&here), ["ann@example.org"]);
}

#[test]
fn a_name_that_was_found_is_linked_wherever_it_stands() {
    let app = app("accurate");
    let here = app.in_project("apple");
    say(&here, "Yesterday I met Caroline at the station.");
    say(&here, "caroline again");
    say(&here, "I told Mark about it.");
    say(&here, "please mark it well");
    work(&app.owner);
    let about = |name: &str| call(&here, "entity", json!({"name": name})).unwrap()["entity"]["mention_count"].clone();
    assert_eq!((about("Caroline"), about("Mark")), (json!(2), json!(1)));
}

#[test]
fn an_assistants_names_are_linked_only_if_they_are_known() {
    let app = app("accurate");
    let here = app.in_project("apple");
    let answer = "You could ask Joanna, or Caroline, about it.";
    call(&here, "capture", json!({"messages": [{"session_id": "s", "role": "assistant", "content": answer}]})).unwrap();
    say(&here, "Yesterday I met Caroline at the station.");
    work(&app.owner);
    assert_eq!(names(&here), ["Caroline"]);
    assert_eq!(call(&here, "entity", json!({"name": "Caroline"})).unwrap()["entity"]["mention_count"], 2);
}

#[test]
fn what_one_project_names_another_never_sees() {
    let app = app("accurate");
    let (apple, birch) = (app.in_project("apple"), app.in_project("birch"));
    say(&apple, "Yesterday I met Caroline at the station.");
    say(&birch, "Today I met Joanna, not caroline, at the harbour.");
    work(&app.owner);
    assert_eq!(names(&apple), ["Caroline"]);
    assert_eq!(names(&birch), ["Joanna"]);
    assert!(names(&app.owner).is_empty(), "nothing is global");
    assert!(call(&birch, "entity", json!({"name": "Caroline"})).is_err());
}

#[test]
fn a_purge_takes_the_names_along() {
    let app = app("accurate");
    let here = app.in_project("apple");
    let id = say(&here, "Yesterday I met Caroline at the station.")["results"][0]["id"].clone();
    work(&app.owner);
    assert_eq!(names(&here), ["Caroline"]);
    call(&here, "purge", json!({"ids": [id], "yes": true})).unwrap();
    work(&app.owner);
    assert!(names(&here).is_empty());
}

#[test]
fn a_long_backlog_is_gone_through_to_its_end() {
    let app = app("accurate");
    let here = app.in_project("apple");
    // More than the model reads in one go, and one message that is longer than what it reads of one.
    let padding = "then it rained again and nobody went out ".repeat(250);
    for day in 0..8 {
        say(&here, &format!("On day {day} I met Caroline at the station. {padding}"));
    }
    say(&here, &format!("{} At last I met Joanna at the harbour.", padding.repeat(2)));
    say(&here, "Then I met Deborah at the station.");
    work(&app.owner);
    let mut found = names(&here);
    found.sort();
    assert_eq!(found, ["Caroline", "Deborah"], "what stands late in a long text is not read");
    let about = call(&here, "entity", json!({"name": "Caroline"})).unwrap();
    assert_eq!(about["entity"]["mention_count"], 8);
    work(&app.owner);
    assert_eq!(call(&here, "entity", json!({"name": "Caroline"})).unwrap()["entity"]["mention_count"], 8);
}

#[test]
fn review_tells_what_speaks_for_a_merge() {
    let app = app("accurate");
    let here = app.in_project("apple");
    let person = |name: &str| {
        let record = json!({"record": "entity", "name": name, "type": "person", "scope": "project/apple",
            "aliases": [], "summary": null, "protected": false, "id": "", "mention_count": 0});
        record.to_string()
    };
    let lines = ["Caroline", "Caroline Herschel"].map(person);
    call(&here, "import", json!({"lines": lines})).unwrap();
    say(&here, "Yesterday I met Caroline at the station.");
    say(&here, "Caroline Herschel found eight comets.");
    say(&here, "I asked Caroline whether Caroline Herschel is her aunt.");
    work(&app.owner);
    let waiting = || call(&here, "review", json!({})).unwrap()["confirmations"].clone();
    let merge = &waiting()[0]["merge"];
    let texts = |side: &Value| side.as_array().unwrap().iter().map(|one| one["text"].clone()).collect::<Vec<_>>();
    assert_eq!((&merge["into"]["name"], &merge["from"]["name"]), (&json!("Caroline Herschel"), &json!("Caroline")));
    assert_eq!(texts(&merge["from"]["memories"]), ["Yesterday I met Caroline at the station."], "{merge}");
    assert_eq!(texts(&merge["into"]["memories"]), ["Caroline Herschel found eight comets."], "{merge}");
    assert_eq!(texts(&merge["together"]), ["I asked Caroline whether Caroline Herschel is her aunt."], "{merge}");
    // One who is gone by now says nothing any more, and breaks nothing.
    call(&here, "entity.merge", json!({"into": "Caroline Herschel", "from": merge["from"]["id"]})).unwrap();
    assert_eq!(waiting()[0]["merge"], Value::Null);
}
