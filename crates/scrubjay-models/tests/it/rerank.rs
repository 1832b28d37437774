//! What every reranker promises, and the built-in one against independent implementations.

use std::num::NonZeroUsize;
use std::sync::Arc;

use scrubjay_models::builtin::{CrossEncoder, WeightError, granite, ms_marco_minilm};
use scrubjay_models::rerank::{Builtin, Fake, Reranker};
use serde_json::Value;

use crate::data::lines;

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

async fn check(reranker: &dyn Reranker) {
    let id = reranker.id();
    assert!(id.contains('/') && id.contains('@'), "{id}");
    let question = "When did the heron leave the water?";
    let long = "The heron left the water at noon. ".repeat(2000);
    let passages: Vec<String> =
        ["The heron left the water at noon.", "", "Bread rises.", "日本語", "\u{0}\u{1F600}", &long]
            .map(str::to_owned)
            .into();
    let scores = reranker.score(question, &passages).await.unwrap();
    assert_eq!(scores.len(), passages.len());
    assert!(scores.iter().all(|score| score.is_finite()));
    assert!(scores[0] > scores[2], "{scores:?}");
    for (passage, score) in passages.iter().zip(&scores) {
        assert_eq!(reranker.score(question, std::slice::from_ref(passage)).await.unwrap(), [*score], "{passage}");
    }
    assert!(reranker.score(question, &[]).await.unwrap().is_empty());
    assert_eq!(reranker.score("", &passages).await.unwrap().len(), passages.len());
}

#[tokio::test]
async fn every_reranker_keeps_its_promises() {
    check(&Builtin::new(2)).await;
    check(&Fake).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_share_one_model() {
    let reranker = Arc::new(Builtin::new(1));
    let passages = ["Tea at noon.".to_owned(), "A dog.".to_owned()];
    let expected = reranker.score("tea", &passages).await.unwrap();
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let (reranker, passages) = (Arc::clone(&reranker), passages.clone());
            tokio::spawn(async move { reranker.score("tea", &passages).await.unwrap() })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), expected);
    }
}

fn model() -> CrossEncoder {
    CrossEncoder::new(ms_marco_minilm().unwrap()).unwrap()
}

fn text<'case>(case: &'case Value, name: &str) -> &'case str {
    case[name].as_str().unwrap()
}

#[test]
fn pairs_have_the_published_tokens() {
    let model = model();
    let cases = lines("pairs.jsonl");
    assert!(cases.len() > 30);
    for case in cases {
        let ids: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
        let expected = (ids, case["question_ids"].as_u64().unwrap() as usize);
        assert_eq!(model.tokens(text(&case, "question"), text(&case, "passage")), expected, "{case}");
    }
}

/// Activations have 7 bits here and 64 in the reference. The published file itself is further away from it, because it
/// rounds the activations of all tokens alike.
#[test]
fn scores_are_near_those_of_the_float_reference() {
    let model = model();
    let (mut squares, mut published_squares, mut count) = (0.0, 0.0, 0.0);
    for case in lines("pairs.jsonl") {
        let score = model.score(text(&case, "question"), &[text(&case, "passage")], NonZeroUsize::MIN)[0];
        let distance = f64::from(score) - case["score"].as_f64().unwrap();
        assert!(distance.abs() < 0.6, "{score} for {case}");
        squares += distance * distance;
        published_squares += (case["published"].as_f64().unwrap() - case["score"].as_f64().unwrap()).powi(2);
        count += 1.0;
    }
    let (ours, published) = ((squares / count).sqrt(), (published_squares / count).sqrt());
    assert!(ours < 0.15 && ours < published, "{ours} and {published}");
}

#[test]
fn scores_are_the_same_on_every_machine_thread_count_and_batch() {
    let (fast, portable) = (model(), CrossEncoder::portable(ms_marco_minilm().unwrap()).unwrap());
    assert_eq!(portable.instructions(), "portable");
    let cases = lines("pairs.jsonl");
    let passages: Vec<&str> = cases.iter().step_by(4).map(|case| text(case, "passage")).collect();
    let question = text(&cases[0], "question");
    let together = fast.score(question, &passages, TWO);
    assert_eq!(together, portable.score(question, &passages, NonZeroUsize::MIN));
    for (passage, score) in passages.iter().zip(&together) {
        assert_eq!(fast.score(question, &[passage], NonZeroUsize::MIN), [*score], "{passage}");
    }
    assert!(fast.score(question, &[], TWO).is_empty());
}

#[test]
fn the_best_passage_is_the_one_with_the_answer() {
    let cases = lines("pairs.jsonl");
    let passages: Vec<&str> =
        cases.iter().map(|case| text(case, "passage")).filter(|passage| passage.len() < 200).collect();
    let scores = model().score("When was the violin made?", &passages, TWO);
    let best = (0..passages.len()).max_by(|&one, &other| scores[one].total_cmp(&scores[other])).unwrap();
    assert_eq!(passages[best], "The violin was made in 1887 and repaired twice.");
}

#[test]
fn weights_that_do_not_compare_texts_are_refused() {
    assert!(matches!(CrossEncoder::new(granite().unwrap()), Err(WeightError::Section { .. })));
}
