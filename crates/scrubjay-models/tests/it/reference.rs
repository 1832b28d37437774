//! Tokens exactly, and vectors nearly, as independent implementations give them.

use std::num::NonZeroUsize;

use scrubjay_models::builtin::{Model, Weights, granite};

use crate::data::{cosine, from_hexadecimal, granite_model, lines, path, tiny_model};

const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

#[track_caller]
fn check_tokens(model: &Model, column: &str) {
    let cases = lines("tokens.jsonl");
    assert!(cases.len() > 80);
    for case in cases {
        let expected: Vec<u32> = serde_json::from_value(case[column].clone()).unwrap();
        assert_eq!(model.tokens(case["text"].as_str().unwrap()), expected, "{}", case["text"]);
    }
}

#[test]
fn byte_level_bpe_gives_the_published_tokens() {
    check_tokens(&granite_model(), "granite");
}

#[test]
fn wordpiece_gives_the_published_tokens() {
    check_tokens(&tiny_model(), "tiny");
}

/// The recorded values are rounded to 8 bits, which alone costs about 0.00004 of cosine.
#[track_caller]
fn check_vectors(model: &Model, name: &str) {
    let cases = lines(name);
    let texts: Vec<&str> = cases.iter().map(|case| case["text"].as_str().unwrap()).collect();
    assert!(texts.len() >= 50);
    let vectors = model.embed(&texts, TWO);
    assert_eq!(vectors.len(), texts.len());
    let mut sum = 0.0;
    for (case, vector) in cases.iter().zip(&vectors) {
        let found = cosine(vector, &from_hexadecimal(case["vector"].as_str().unwrap()));
        assert!(found > 0.9998, "{found} for {}", case["text"]);
        sum += found;
    }
    assert!(sum / texts.len() as f64 > 0.9999);
}

#[test]
fn granite_gives_the_vectors_of_the_float_reference() {
    check_vectors(&granite_model(), "granite-vectors.jsonl");
}

#[test]
fn a_bert_with_mean_pooling_gives_the_vectors_of_the_float_reference() {
    check_vectors(&tiny_model(), "tiny-vectors.jsonl");
}

#[test]
fn vectors_are_the_same_on_every_machine_thread_count_and_batch() {
    for weights in [granite, || Weights::read(&path("tiny-bert.sjw"))] {
        let (fast, portable) = (Model::new(weights().unwrap()).unwrap(), Model::portable(weights().unwrap()).unwrap());
        assert_eq!(portable.instructions(), "portable");
        let cases = lines("tokens.jsonl");
        let texts: Vec<&str> = cases.iter().step_by(9).map(|case| case["text"].as_str().unwrap()).collect();
        let together = fast.embed(&texts, TWO);
        assert_eq!(together, portable.embed(&texts, NonZeroUsize::MIN));
        for (text, vector) in texts.iter().zip(&together) {
            assert_eq!(&fast.embed(&[text], NonZeroUsize::MIN)[0], vector, "{text}");
        }
    }
}

#[test]
fn nothing_gives_nothing() {
    assert!(granite_model().embed(&[], TWO).is_empty());
}

#[test]
fn the_nearest_text_is_the_one_with_the_meaning() {
    let model = granite_model();
    let cases = lines("granite-vectors.jsonl");
    let wireless = "Wireless network configuration: the router uses channel 11 and WPA3.";
    let mut texts: Vec<&str> = cases.iter().map(|case| case["text"].as_str().unwrap()).collect();
    texts.retain(|text| !text.contains("WiFi") && !text.contains("router"));
    texts.push(wireless);
    let question = &model.embed(&["WiFi problem"], TWO)[0];
    let vectors = model.embed(&texts, TWO);
    let nearest = (0..texts.len())
        .max_by(|&one, &other| cosine(question, &vectors[one]).total_cmp(&cosine(question, &vectors[other])));
    assert_eq!(texts[nearest.unwrap()], wireless);
}
