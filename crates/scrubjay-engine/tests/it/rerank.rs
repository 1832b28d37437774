//! A cross-encoder compares the first few hits of a recall: where it reads them, and if it cannot.

use std::sync::Arc;

use async_trait::async_trait;
use scrubjay_engine::Ctx;
use scrubjay_models::rerank::{RerankError, Reranker};
use scrubjay_test::TestApp;
use scrubjay_test::app::call;
use serde_json::{Value, json};

const TURNS: [&str; 4] = [
    "The staging database listens on port 5433",
    "Staging is deployed from the release branch",
    "The production database listens on port 5432",
    "Ada owns the staging database and its backups",
];

const SPANISH: [&str; 3] = [
    "La base de datos de pruebas está en el puerto 5433",
    "Las pruebas se despliegan desde la rama de entregas",
    "La base de datos de producción está en el puerto 5432",
];

fn filled(app: &TestApp, turns: &[&str]) -> Ctx {
    let here = app.in_project("apple");
    for (number, turn) in turns.iter().enumerate() {
        let message = json!({"session_id": format!("s{number}"), "role": "user", "content": turn});
        call(&here, "capture", json!({"messages": [message]})).unwrap();
    }
    call(&here, "reembed", json!({})).unwrap();
    here
}

fn recall(ctx: &Ctx, query: &str) -> Value {
    call(ctx, "recall", json!({"query": query, "explain": true, "min_score": 0.0})).unwrap()
}

// How many hits were read.
fn read(answer: &Value) -> usize {
    let hits = answer["hits"].as_array().unwrap().iter();
    hits.filter(|hit| hit["explanation"]["features"].get("rerank").is_some()).count()
}

#[test]
fn the_first_few_short_hits_are_compared_unless_it_is_switched_off() {
    let question = "which port does the staging database listen on?";
    let app = TestApp::with_own_models(&[]);
    let answer = recall(&filled(&app, &TURNS), question);
    assert!((2..=6).contains(&read(&answer)), "{answer}");
    assert!(answer["hits"][0]["snippet"].as_str().unwrap().contains("5433"), "{answer}");

    let app = TestApp::with_own_models(&[("query.rerank", "off")]);
    assert_eq!(read(&recall(&filled(&app, &TURNS), question)), 0);
}

#[test]
fn what_is_not_english_is_read_only_if_it_is_switched_on() {
    let question = "¿en qué puerto está la base de datos de pruebas?";
    let app = TestApp::with_own_models(&[]);
    assert_eq!(read(&recall(&filled(&app, &SPANISH), question)), 0);
    let app = TestApp::with_own_models(&[("query.rerank", "on")]);
    assert!(read(&recall(&filled(&app, &SPANISH), question)) >= 2);
}

// A model that says something that is no score.
struct Broken;

#[async_trait]
impl Reranker for Broken {
    fn id(&self) -> &str {
        "broken"
    }

    fn max_tokens(&self) -> usize {
        512
    }

    async fn score(&self, _question: &str, _passages: &[String]) -> Result<Vec<f32>, RerankError> {
        Err(RerankError::NotFinite { model: "broken".to_owned(), place: 0 })
    }
}

#[test]
fn a_model_that_fails_costs_its_opinion_and_nothing_else() {
    let app = TestApp::with_reranker(Arc::new(Broken));
    let answer = recall(&filled(&app, &TURNS), "which port does the staging database listen on?");
    assert!(answer["hits"].as_array().unwrap().len() >= 2, "{answer}");
    let warnings = answer["warnings"].to_string();
    assert!(warnings.contains("the order is that of the first search"), "{warnings}");
}
