//! Everyday use, measured on a handful of turns whose figures can be checked by hand.

use scrubjay_core::scope::View;
use scrubjay_engine::eval::everyday::{EverydaySet, Figures, Measurement, Numbered, PromptGroup, figures, measure};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn read<T: DeserializeOwned>(records: &[Value]) -> Vec<Numbered<T>> {
    let record = |record: &Value| serde_json::from_value(record.clone()).unwrap();
    (1..).zip(records).map(|(line, value)| Numbered { line, record: record(value) }).collect()
}

fn turn(project: &str, id: &str, day: u32, text: &str) -> Value {
    let timestamp = format!("2020-03-{day:02}T09:00:00Z");
    json!({"ns": project, "id": id, "session_id": format!("day-{day}"), "timestamp": timestamp, "role": "user", "text": text})
}

fn set() -> EverydaySet {
    let turns = [
        turn("apple", "a1", 1, "The staging database listens on port 5433."),
        turn("apple", "a2", 2, "Marta plays the violin in the orchestra."),
        turn("apple", "a3", 3, "The staging database listens on port 6000 now."),
        turn("apple", "a4", 4, "Please remember: we always use pnpm, never npm."),
        turn("banana", "a1", 5, "The logo is drawn in dark green ink."),
    ];
    let prompts = [
        json!({"qid": "q1", "ns": "apple", "category": "update", "text": "which port does the staging database listen on?", "gold_docs": ["a3"], "outdated_docs": ["a1"]}),
        json!({"qid": "q2", "ns": "apple", "category": "fact", "text": "who plays the violin?", "gold_docs": ["a2"]}),
        json!({"qid": "q3", "ns": "banana", "category": "fact", "text": "which colour of ink is the logo drawn in?", "gold_docs": ["a1"]}),
        json!({"qid": "q4", "ns": "apple", "category": "unrelated", "text": "thanks", "abstain": true}),
        // The answer is in another project.
        json!({"qid": "q5", "ns": "banana", "category": "unrelated", "text": "which port does the staging database listen on?", "abstain": true}),
    ];
    let facts = [
        json!({"ns": "apple", "fact": "The project uses pnpm", "evidence": ["a4"]}),
        json!({"ns": "banana", "fact": "The logo is green", "evidence": ["a1"], "lasting": false}),
    ];
    EverydaySet::new(read(&turns), read(&prompts), read(&facts)).unwrap()
}

fn measured(app: &TestApp, draw_facts: bool) -> Measurement {
    block_on(measure(&app.owner, &set(), draw_facts)).unwrap()
}

fn row(rows: &[Figures], group: &PromptGroup) -> Figures {
    rows.iter().find(|row| row.group == *group).unwrap().clone()
}

#[test]
fn figures_are_those_of_recall_and_inject() {
    // A store of one memory has no crowd to tell a near miss from, so the threshold is above the default.
    let app = TestApp::with_own_models(&[("query.min_score", "0.34")]);
    let measured = measured(&app, true);
    assert_eq!(measured.warnings, [""; 0]);
    // What each prompt got is what the operations answer.
    for outcome in &measured.outcomes {
        let here = app.in_project(&outcome.project);
        let recalled = call(&here, "recall", json!({"query": outcome.text})).unwrap();
        assert_eq!(outcome.hits, recalled["hits"].as_array().unwrap().len(), "{outcome:?}");
        let injected = call(&here, "inject", json!({"text": outcome.text, "session": outcome.qid})).unwrap();
        assert_eq!(outcome.items, injected["items"].as_array().unwrap().len(), "{outcome:?}");
    }
    let rows = figures(&measured.outcomes);
    let all = row(&rows, &PromptGroup::All);
    assert_eq!((all.related, all.unrelated, all.changed), (3, 2, 1));
    // Each related prompt has one right turn, and it comes first.
    assert_eq!(all.recall, [Some(1.0); 3], "{:#?}", measured.outcomes);
    assert_eq!((all.mean_reciprocal_rank, all.answered, all.injected), (Some(1.0), Some(1.0), Some(1.0)));
    assert_eq!((all.valid_first, all.false_inject), (Some(1.0), Some(0.0)));
    let banana = row(&rows, &PromptGroup::Project("banana".to_owned()));
    assert_eq!((banana.related, banana.unrelated, banana.false_recall), (1, 1, Some(0.0)));
    // “Please remember” makes a fact; the logo does not.
    assert_eq!((measured.facts.gold, measured.facts.lasting, measured.facts.lasting_found), (2, 1, 1));
    assert_eq!(measured.facts.missed, ["The logo is green"]);
}

#[test]
fn without_facts_there_are_turns_alone() {
    let app = TestApp::on_sqlite();
    let measured = measured(&app, false);
    assert_eq!((measured.facts.drawn, measured.facts.missed.len()), (0, 2));
}

#[test]
fn the_last_turn_of_each_project_was_said_yesterday() {
    let app = TestApp::on_sqlite();
    measured(&app, false);
    for (project, turns) in [("apple", 4), ("banana", 1)] {
        let here = app.owner.at(View::project(project.parse().unwrap())).unwrap();
        let listed = call(&here, "list", json!({"kind": "episode"})).unwrap();
        let times: Vec<&str> = listed["memories"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| memory["event_time"].as_str().unwrap())
            .collect();
        assert_eq!((times[0], times.len()), ("2026-04-30T12:00:00.000Z", turns));
    }
}
