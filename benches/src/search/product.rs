//! The whole product: memories kept by `capture` in a store of its own, and asked for by `recall` and `inject`.
//!
//! Everything is as a user has it, but for the model (see `vectors.rs`) and for facts, which are not drawn from texts
//! that say nothing.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use scrubjay_core::scope::{ProjectId, View};
use scrubjay_engine::Ctx;
use scrubjay_engine::ops::{self, Capture, CaptureInput, Inject, InjectInput, List, Recall};
use scrubjay_engine::schedule::drain;
use serde_json::json;
use tokio::runtime::Runtime;

use super::contender::Among;
use super::corpus::{Corpus, Document, Question, WANTED_KIND};
use super::vectors::{CorpusVectors, first_word};
use crate::capture::open_with;
use crate::measure::{Stopwatch, Taken};

const LARGE: &str = "large";
const SMALL: &str = "small";
/// How many messages a call brings.
const AT_ONCE: u64 = 256;
const MESSAGES_OF_A_SESSION: u64 = 50;

/// A store that is open, seen from its large project and from its small one.
pub(super) struct Product {
    runtime: Runtime,
    large: Ctx,
    small: Ctx,
}

/// What filling the store took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Built {
    /// Until all was acknowledged.
    pub(super) captured: Taken,
    /// Until all that follows was done: vectors stored, names linked, index files written.
    pub(super) followed: Taken,
    pub(super) store_bytes: u64,
    pub(super) index_bytes: u64,
}

/// Fills a store with so many documents.
pub(super) fn build(corpus: &Arc<Corpus>, size: u64, folder: &Path) -> anyhow::Result<Built> {
    let product = Product::open(folder, CorpusVectors::new(Some(Arc::clone(corpus)), &corpus.questions), "auto")?;
    let (mut capturing, mut following) = (Stopwatch::default(), Stopwatch::default());
    let mut next = 0;
    while next < size {
        let end = (next + AT_ONCE).min(size);
        let input = messages((next..end).map(|key| corpus.document(key)))?;
        let kept = capturing.time(|| Ok(product.runtime.block_on(ops::run::<Capture>(&product.large, input))?))?;
        anyhow::ensure!(kept.results.iter().all(|result| result.id.is_some()), "a message was not kept");
        next = end;
    }
    let drained = following.time(|| Ok(product.runtime.block_on(drain(&product.large, Duration::MAX))?))?;
    anyhow::ensure!(drained.left == 0 && drained.failed == 0, "jobs are left: {drained:?}");
    // Index files are written before the first answer at the latest.
    following.time(|| product.recall(&corpus.questions[0], Among::All))?;
    drop(product);
    let (index_bytes, all_bytes) = (bytes_under(&folder.join("index"))?, bytes_under(folder)?);
    Ok(Built {
        captured: capturing.taken(),
        followed: following.taken(),
        store_bytes: all_bytes - index_bytes,
        index_bytes,
    })
}

fn messages(documents: impl Iterator<Item = Document>) -> anyhow::Result<CaptureInput> {
    let messages: Vec<serde_json::Value> = documents
        .map(|document| {
            let key = document.key;
            json!({
                "session_id": format!("session-{}", key / MESSAGES_OF_A_SESSION),
                "role": if key.is_multiple_of(2) { "user" } else { "assistant" },
                "id": format!("m{key}"),
                "project": if document.in_small_scope { SMALL } else { LARGE },
                "type": type_name(document.kind),
                "content": format!("{} {}", first_word(key), document.text),
            })
        })
        .collect();
    Ok(serde_json::from_value(json!({"messages": messages}))?)
}

fn type_name(kind: u8) -> String {
    format!("kind{kind}")
}

impl Product {
    /// Opens the store in a folder, with a value of the setting `query.rerank`.
    pub(super) fn open(folder: &Path, vectors: CorpusVectors, rerank: &str) -> anyhow::Result<Product> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build()?;
        let view = |name: &str| -> anyhow::Result<View> { Ok(View::project(name.parse::<ProjectId>()?)) };
        let settings = [("extract.enabled", "false"), ("query.rerank", rerank)];
        let large = open_with(folder, Some(Arc::new(vectors)), view(LARGE)?, &settings)?;
        let small = large.at(view(SMALL)?)?;
        Ok(Product { runtime, large, small })
    }

    /// How many hits there are.
    pub(super) fn recall(&self, question: &Question, among: Among) -> anyhow::Result<usize> {
        let mut input = json!({"query": question.words});
        if among == Among::Kind {
            input["type"] = type_name(WANTED_KIND).into();
        }
        let ctx = if among == Among::Scope { &self.small } else { &self.large };
        let output = self.runtime.block_on(ops::run::<Recall>(ctx, serde_json::from_value(input)?))?;
        anyhow::ensure!(output.warnings.is_empty(), "the search was not whole: {:?}", output.warnings);
        Ok(output.hits.len())
    }

    /// How many characters an agent is handed before this turn.
    pub(super) fn inject(&self, question: &Question, session: &str) -> anyhow::Result<usize> {
        let (text, session) = (question.words.clone(), Some(session.to_owned()));
        let input = InjectInput { text, session, ..InjectInput::default() };
        Ok(self.runtime.block_on(ops::run::<Inject>(&self.large, input))?.text.len())
    }

    /// The twenty last memories.
    pub(super) fn list(&self) -> anyhow::Result<()> {
        let input = serde_json::from_value(json!({"limit": 20}))?;
        self.runtime.block_on(ops::run::<List>(&self.large, input))?;
        Ok(())
    }
}

fn bytes_under(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += if meta.is_dir() { bytes_under(&entry.path())? } else { meta.len() };
    }
    Ok(bytes)
}
