//! A sentence-transformer from a folder gives the vectors of the reference.

use std::path::{Path, PathBuf};
use std::process::Command;

use scrubjay_models::embed::{Embedder, Folder};
use serde_json::Value;

use crate::providers::run;

/// Where the weights and the reference vectors are. They are fetched in the long version of the tests; otherwise they
/// are used if they are there.
fn fetched() -> Option<(PathBuf, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let place = root.join("target/sentence-transformer");
    if scrubjay_test::longer(2) == 1 && !place.join("vectors.jsonl").exists() {
        eprintln!(
            "SKIPPED: the weights of all-MiniLM-L6-v2 are not here; tests/sentence-transformer/fetch fetches them"
        );
        return None;
    }
    let output = Command::new(root.join("tests/sentence-transformer/fetch")).output().unwrap();
    if !output.status.success() {
        eprintln!("SKIPPED: the weights of all-MiniLM-L6-v2 could not be fetched:");
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(PathBuf::from);
    Some((lines.next().unwrap(), lines.next().unwrap()))
}

#[test]
fn vectors_are_those_of_the_reference() {
    let Some((model, vectors)) = fetched() else { return };
    let embedder = Folder::read(&model, 2).unwrap();
    assert_eq!(embedder.model().dimensions, 384);
    assert_eq!(embedder.model().max_tokens, 256);
    let lines = std::fs::read_to_string(vectors).unwrap();
    let expected: Vec<(String, Vec<f64>)> = lines
        .lines()
        .map(|line| {
            let entry: Value = serde_json::from_str(line).unwrap();
            let vector = entry["vector"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
            (entry["text"].as_str().unwrap().to_owned(), vector)
        })
        .collect();
    assert_eq!(expected.len(), 100);
    let texts: Vec<String> = expected.iter().map(|(text, _)| text.clone()).collect();
    let found = run(embedder.embed_documents(&texts)).unwrap();
    let mut worst: f64 = 0.0;
    for ((text, expected), found) in expected.iter().zip(&found) {
        let difference = expected.iter().zip(found).map(|(one, other)| (one - f64::from(*other)).abs());
        let difference = difference.fold(0.0, f64::max);
        assert!(difference < 1e-4, "{difference} at {:?}", text.chars().take(60).collect::<String>());
        worst = worst.max(difference);
    }
    eprintln!("the largest difference in 100 vectors of 384 values is {worst:.2e}");
}

#[test]
fn what_is_no_such_model_is_refused_when_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let read = || Folder::read(folder.path(), 1).err().unwrap().to_string();
    assert!(!Folder::is_one(folder.path()));
    assert!(read().contains("config.json is missing"), "{}", read());
    let config = |text: &str| std::fs::write(folder.path().join("config.json"), text).unwrap();
    let sizes = r#""hidden_size":16,"num_hidden_layers":1,"num_attention_heads":2,"intermediate_size":32,
        "vocab_size":5,"max_position_embeddings":8,"hidden_act":"gelu""#;
    config(&format!(r#"{{"model_type":"roberta",{sizes}}}"#));
    assert!(read().contains("roberta"), "{}", read());
    config(&format!(r#"{{"model_type":"bert","position_embedding_type":"relative_key",{sizes}}}"#));
    assert!(read().contains("positions"), "{}", read());
    config(&format!(r#"{{"model_type":"bert",{sizes}}}"#));
    std::fs::write(folder.path().join("modules.json"), r#"[{"type":"x.Pooling","path":"../../etc"}]"#).unwrap();
    assert!(read().contains("outside"), "{}", read());
    std::fs::write(folder.path().join("modules.json"), r#"[{"type":"x.Dense","path":"2_Dense"}]"#).unwrap();
    assert!(read().contains("Dense"), "{}", read());
    std::fs::write(folder.path().join("modules.json"), "[]").unwrap();
    assert!(read().contains("tokenizer.json"), "{}", read());
    let tokenizer = r#"{"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"},
        "model":{"type":"WordPiece","vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2,"a":3}}}"#;
    std::fs::write(folder.path().join("tokenizer.json"), tokenizer).unwrap();
    assert!(read().contains("model.safetensors"), "{}", read());
    for bytes in [&b"short"[..], &[0xff; 64], b"\x02\0\0\0\0\0\0\0{}"] {
        std::fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
        assert!(read().contains("model.safetensors"), "{}", read());
    }
}
