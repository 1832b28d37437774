//! What every embedder promises.

use scrubjay_models::embed::{Builtin, EmbedError, Embedder, Fake, Multilingual, PrefixScheme, Replay, record};

fn texts() -> Vec<String> {
    ["The heron stood in the water.", "", "water heron", "日本語", "\u{0}\u{1F600}"].map(str::to_owned).to_vec()
}

async fn check(embedder: &dyn Embedder) {
    let card = embedder.model();
    assert!(card.id.starts_with(&format!("{}/", card.provider)) && card.id.contains('@'), "{}", card.id);
    let texts = texts();
    let vectors = embedder.embed_documents(&texts).await.unwrap();
    assert_eq!(vectors.len(), texts.len());
    for vector in &vectors {
        assert_eq!(vector.len(), card.dimensions);
        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-4, "{length}");
    }
    for (text, vector) in texts.iter().zip(&vectors) {
        assert_eq!(&embedder.embed_documents(std::slice::from_ref(text)).await.unwrap()[0], vector);
        if card.prefix_scheme == PrefixScheme::None {
            assert_eq!(&embedder.embed_query(text).await.unwrap(), vector);
        }
    }
    assert!(embedder.embed_documents(&[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn every_embedder_keeps_its_promises() {
    let fake = Fake::new(64);
    let recording = record(&fake, &texts(), &texts()).await.unwrap();
    check(&Builtin::new(2)).await;
    check(&Multilingual::new()).await;
    check(&fake).await;
    check(&Replay::parse(&recording).unwrap()).await;
}

#[tokio::test]
async fn a_fake_knows_words() {
    let fake = Fake::new(256);
    let vectors = fake.embed_documents(&["Tea at noon.", "NOON, tea at!", "a dog"].map(str::to_owned)).await.unwrap();
    assert_eq!(vectors[0], vectors[1]);
    assert_ne!(vectors[0], vectors[2]);
    let other = Fake::named("other", 256).embed_query("Tea at noon.").await.unwrap();
    assert_ne!(vectors[0], other);
}

#[tokio::test]
async fn a_replay_refuses_what_was_not_recorded() {
    let recording = record(&Fake::new(8), &texts(), &[]).await.unwrap();
    let replay = Replay::parse(&recording).unwrap();
    assert!(matches!(replay.embed_query("water heron").await, Err(EmbedError::NotRecorded { role: "query", .. })));
    let unknown = replay.embed_documents(&["water heron".to_owned(), "new".to_owned()]).await;
    assert!(matches!(unknown, Err(EmbedError::NotRecorded { role: "document", length_bytes: 3 })));
    assert!(matches!(Replay::parse(""), Err(EmbedError::Recording { line: 1, .. })));
    assert!(matches!(Replay::parse(&format!("{recording}x")), Err(EmbedError::Recording { line: 7, .. })));
    let short = recording.replacen("\"vector\":[", "\"vector\":[1.0,", 1);
    assert!(matches!(Replay::parse(&short), Err(EmbedError::Dimensions { found: 9, .. })));
    let missing = Replay::read(std::path::Path::new("no such file"));
    assert!(matches!(missing, Err(EmbedError::ReadRecording { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_callers_share_one_model() {
    let embedder = std::sync::Arc::new(Builtin::new(1));
    let expected = embedder.embed_query("tea").await.unwrap();
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let embedder = std::sync::Arc::clone(&embedder);
            tokio::spawn(async move { embedder.embed_query("tea").await.unwrap() })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), expected);
    }
}
