//! Vectors that a caller brings in place of a question's text, and the weights of the arms.

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::{Ctx, EngineError};
use scrubjay_models::embed::{Embedder, Fake};
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

const HERON: &str = "the heron nests in the old oak beside the mill";
const LEDGER: &str = "entries of the ledger are checked on Friday";

fn stocked(app: &TestApp) -> Ctx {
    let here = app.in_project("apple");
    for content in [HERON, LEDGER, "lunch is at noon"] {
        call(&here, "remember", json!({"content": content})).unwrap();
    }
    call(&app.owner, "jobs.run", json!({})).unwrap();
    here
}

fn vector(text: &str) -> Vec<f32> {
    block_on(Fake::new(64).embed_query(text)).unwrap()
}

fn first(ctx: &Ctx, question: Value) -> String {
    let answer = call(ctx, "recall", question).unwrap();
    assert_eq!(answer["warnings"], json!([]), "{answer}");
    answer["hits"][0]["snippet"].as_str().unwrap_or_default().to_owned()
}

fn refusal<T>(result: Result<T, EngineError>) -> String {
    let Err(error) = result else { panic!("it was not refused") };
    assert_eq!(error.code(), ErrorCode::InvalidInput, "{error}");
    error.to_string()
}

#[test]
fn a_vector_is_used_instead_of_the_text() {
    let app = TestApp::on_sqlite();
    let here = stocked(&app);
    assert_eq!(first(&here, json!({"vector": vector("where does the heron nest")})), HERON, "without words");
    assert_eq!(first(&here, json!({"query": "", "vector": vector("entries of the ledger")})), LEDGER);
    assert_eq!(first(&here, json!({"vector": vector("nobody ever mentioned this")})), "", "near nothing");
    // The words lead to one, the vector to the other: each arm goes its own way.
    let both = json!({"query": "ledger", "vector": vector(HERON), "explain": true, "min_score": 0.0});
    let answer = call(&here, "recall", both).unwrap();
    let rank = |text: &str, arm: &str| {
        let hits = answer["hits"].as_array().unwrap();
        hits.iter().find(|hit| hit["snippet"] == text).unwrap()["explanation"]["arms"][arm]["rank"].clone()
    };
    assert_eq!((rank(LEDGER, "lexical"), rank(HERON, "vector")), (json!(1), json!(1)), "{answer}");
    // The same vector as the text has gives the same answer.
    let ask = |question: Value| call(&here, "recall", question).unwrap();
    let text = "where does the heron nest?";
    assert_eq!(ask(json!({"query": text})), ask(json!({"query": text, "vector": vector(text)})));
}

#[test]
fn no_embedder_is_needed_for_a_vector() {
    let app = TestApp::on_sqlite();
    let here = stocked(&app);
    let without = app.again_with(&[("embedding.provider", "none")]).at(here.view().clone()).unwrap();
    assert_eq!(first(&without, json!({"vector": vector("where does the heron nest")})), HERON);
}

#[test]
fn a_vector_that_cannot_be_compared_is_refused() {
    let app = TestApp::on_sqlite();
    let here = stocked(&app);
    let ask = |question: Value| refusal(call(&here, "recall", question));
    for dimensions in [0, 63, 65, 384] {
        let message = ask(json!({"query": "heron", "vector": vec![0.5; dimensions]}));
        assert!(message.contains("fake/words@1") && message.contains("64"), "{message}");
        assert!(message.contains(&format!("has {dimensions} dimensions")), "{message}");
    }
    let mut endless = vec![0.5; 64];
    endless[7] = 1e300;
    ask(json!({"vector": endless}));
    ask(json!({"vector": vec![0.0; 64]}));
    ask(json!({"query": "heron", "vector": vector("heron"), "without_arms": ["vector"]}));
    let nothing = TestApp::on_sqlite();
    let message = refusal(call(&nothing.in_project("apple"), "recall", json!({"vector": vector("heron")})));
    assert!(message.contains("nothing has vectors"), "{message}");
}

#[test]
fn the_weights_of_the_settings_decide() {
    for (vector_weight, text_weight, expected) in [("1", "0", HERON), ("0", "1", LEDGER), ("0.9", "0.1", HERON)] {
        let settings = [("query.hybrid.vector_weight", vector_weight), ("query.hybrid.text_weight", text_weight)];
        let app = TestApp::with(None, &settings);
        let here = stocked(&app);
        let question = json!({"query": "ledger", "vector": vector(HERON), "fusion": "weighted", "min_score": 0.0});
        assert_eq!(first(&here, question), expected, "{vector_weight} {text_weight}");
    }
}

#[test]
fn the_candidate_multiplier_of_the_settings_decides_how_far_down_is_looked() {
    let hits = |multiplier: &str| {
        let app = TestApp::with(None, &[("query.hybrid.candidate_multiplier", multiplier)]);
        let here = app.in_project("apple");
        // The best sixty say the same, and count once.
        let said = |number: usize| {
            let content = if number < 60 { "heron nest".to_owned() } else { format!("heron nest and entry {number}") };
            json!({"session_id": format!("s{number}"), "role": "user", "content": content})
        };
        let messages: Vec<Value> = (0..70).map(said).collect();
        call(&here, "capture", json!({"messages": messages})).unwrap();
        let question = json!({"query": "heron nest", "fusion": "weighted", "limit": 20, "min_score": 0.0,
            "without_arms": ["vector", "neighbours", "entity"]});
        call(&here, "recall", question).unwrap()["hits"].as_array().unwrap().len()
    };
    assert_eq!(hits("1"), 1, "fifty candidates");
    assert_eq!(hits("4"), 11);
}
