//! Documents and questions through capture and recall.

use std::collections::BTreeMap;

use scrubjay_core::filter::Filter;
use scrubjay_core::time::Timestamp;
use scrubjay_store::item::Item;
use scrubjay_store::query::Activity;
use serde::Deserialize;

use super::files::Files;
use super::settle::settle_store;
use crate::context::{self, Wanted, inject, vocabulary};
use crate::ops::{Capture, CaptureInput, Index, IndexInput, Message, Operation};
use crate::search::{Arms, Fusion, Question, Rerank, Weights, recall};
use crate::{Ctx, EngineError, Result};

/// Messages captured at a time.
const BATCH: usize = 200;

/// A document to be found.
#[derive(Debug, Clone, Deserialize)]
pub struct TestDocument {
    /// Its id in the test set.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The conversation or file it belongs to.
    #[serde(default)]
    pub session_id: Option<String>,
    /// When it was said or written.
    #[serde(default)]
    pub timestamp: Option<String>,
    /// Who said it.
    #[serde(default)]
    pub role: Option<String>,
}

/// A question and what should be found.
#[derive(Debug, Clone, Deserialize)]
pub struct TestQuestion {
    /// The question.
    pub text: String,
    /// The ids of the documents that answer it.
    #[serde(alias = "gold_docs", alias = "gold")]
    pub wanted: Vec<String>,
    /// When it is asked.
    #[serde(default)]
    pub timestamp: Option<String>,
}

/// What a block for an agent holds, and what the plain list of the best would
/// have held in the same room.
#[derive(Debug, Clone, Default)]
pub struct TrialBlock {
    /// The documents in the block, whole or shortened.
    pub ids: Vec<String>,
    /// Those of them that are whole.
    pub whole: Vec<String>,
    /// The best documents in order, whole, as long as they fit.
    pub plain: Vec<String>,
    /// The tokens of the block.
    pub tokens: usize,
}

/// Tokens of a block for each item that may be in it.
const TOKENS_PER_ITEM: usize = 50;

/// How to ask.
#[derive(Debug, Clone, Copy)]
pub struct TrialQuery {
    /// How many to give back.
    pub limit: usize,
    /// Which arms to use.
    pub arms: Arms,
    /// How to put them together.
    pub fusion: Fusion,
    /// Which weights to use.
    pub weights: Weights,
}

impl TrialQuery {
    /// As people ask, but for this many.
    #[must_use]
    pub fn for_many(limit: usize) -> Self {
        Self { limit, arms: Arms::default(), fusion: Fusion::default(), weights: Weights::default() }
    }
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct TestHit {
    /// Its id in the test set.
    pub id: String,
    /// How well it fits, 0 to 1.
    pub relevance: f64,
    /// What each arm says about it, in the arm's own measure.
    pub arms: Vec<(&'static str, f64)>,
    /// What the ranking model saw.
    pub features: Vec<(&'static str, f32)>,
    /// Newer hits that may have changed what this one says, by their ids in the test set, and what speaks for it.
    pub rivals: Vec<(String, Vec<f32>)>,
}

/// A store that is filled and asked.
pub struct Trial {
    ctx: Ctx,
    // The test set's id of each memory.
    ids: BTreeMap<String, String>,
    // Where documents are written to, if they are files.
    files: Option<Files>,
    settled: bool,
}

impl Trial {
    /// On a context whose store is empty.
    #[must_use]
    pub fn new(ctx: Ctx) -> Self {
        Self { ctx, ids: BTreeMap::new(), files: None, settled: false }
    }

    /// Documents are written to files, one for each session, and indexed, as
    /// code or notes are. A session that is a path with this ending keeps it;
    /// others get a name made of theirs.
    #[must_use]
    pub fn with_files(self, ending: &str) -> Self {
        let folder = self.ctx.home().path.join("files");
        Self { files: Some(Files::new(folder, ending)), ..self }
    }

    /// Captures documents.
    ///
    /// # Errors
    /// When one of them cannot be kept.
    pub async fn add(&mut self, documents: Vec<TestDocument>) -> Result<()> {
        self.settled = false;
        if let Some(files) = &mut self.files {
            let folder = files.write(&documents)?;
            let input = IndexInput { path: Some(folder.display().to_string()), ..IndexInput::default() };
            let done = Index::run(&self.ctx, input).await?.done;
            return match done.skipped.first() {
                Some(skipped) => {
                    Err(EngineError::invalid(format!("{} was left out: {}", skipped.path, skipped.reason)))
                }
                None => Ok(()),
            };
        }
        let mut documents = documents.into_iter().peekable();
        while documents.peek().is_some() {
            let batch: Vec<TestDocument> = documents.by_ref().take(BATCH).collect();
            let ids: Vec<String> = batch.iter().map(|document| document.id.clone()).collect();
            let messages = batch.into_iter().map(message).collect();
            let output = Capture::run(&self.ctx, CaptureInput { messages }).await?;
            for (id, result) in ids.into_iter().zip(output.results) {
                match (result.id, result.error) {
                    (Some(memory), _) => {
                        self.ids.insert(memory, id);
                    }
                    (None, Some(error)) => return Err(EngineError::invalid(format!("document {id}: {error}"))),
                    // There is nothing in it to find.
                    (None, None) => {}
                }
            }
        }
        Ok(())
    }

    /// Links names, gives vectors to everything and writes the index files, as
    /// the background would.
    ///
    /// # Errors
    /// When the embedder or the store fails, or names cannot be linked.
    pub async fn settle(&mut self) -> Result<()> {
        settle_store(&self.ctx).await?;
        self.settled = true;
        Ok(())
    }

    /// Makes the block that an agent would be handed for a question, with no
    /// threshold, and the plain list beside it.
    ///
    /// # Errors
    /// When the search fails.
    pub async fn block(
        &mut self,
        text: &str,
        timestamp: Option<&str>,
        budget: usize,
        asked: TrialQuery,
    ) -> Result<TrialBlock> {
        let limit = (budget / TOKENS_PER_ITEM).max(5);
        let found = self.ask(text, timestamp, TrialQuery { limit, weights: Weights::default(), ..asked }).await?;
        let wanted = Wanted {
            asked: context::InjectionQuery::of(&[text.to_owned()], true),
            session_id: None,
            max_items: limit,
            max_tokens: budget,
            min_relevance: 0.0,
            sources: Vec::new(),
            reflection: false,
            now: self.time(timestamp)?,
        };
        let block = inject(&self.ctx, &wanted).await?;
        let mut trial = TrialBlock { tokens: block.tokens, ..TrialBlock::default() };
        for item in &block.items {
            if let Some(id) = self.ids.get(&item.piece.shown.to_string()) {
                trial.ids.push(id.clone());
                trial.whole.extend((!item.cut).then(|| id.clone()));
            }
        }
        let vocabulary = vocabulary(&self.ctx);
        let store = self.ctx.store().await?;
        let mut used = 0;
        for TestHit { id, .. } in found {
            let Some((memory, _)) = self.ids.iter().find(|(_, known)| **known == id) else { continue };
            let memory = store.get(self.ctx.view(), memory.parse().map_err(EngineError::defect)?).await?;
            used += memory.map_or(0, |memory| vocabulary.count(&format!("{}\n", memory.content)));
            if used > budget {
                break;
            }
            trial.plain.push(id);
        }
        Ok(trial)
    }

    fn time(&self, timestamp: Option<&str>) -> Result<Timestamp> {
        timestamp.map_or_else(|| Ok(self.ctx.now()), |text| text.parse().map_err(EngineError::invalid))
    }

    /// Asks; gives what was found, best first.
    ///
    /// # Errors
    /// When the search fails.
    pub async fn ask(&mut self, text: &str, timestamp: Option<&str>, asked: TrialQuery) -> Result<Vec<TestHit>> {
        if !self.settled {
            self.settle().await?;
        }
        let now = self.time(timestamp)?;
        let question = Question {
            text: text.to_owned(),
            vector: None,
            filter: Filter::default(),
            activity: Activity::Active,
            exclude_sessions: Vec::new(),
            sources: Vec::new(),
            entities: Vec::new(),
            limit: asked.limit,
            // The measure is the order; what is too weak to be shown stays in.
            min_relevance: 0.0,
            following: 1.0,
            near: 0,
            weights: asked.weights,
            fusion: asked.fusion,
            arms: asked.arms,
            rerank: Rerank::from_name(&self.ctx.config().settings.query.rerank),
            now,
        };
        let recalled = recall(&self.ctx, &question).await?;
        let ids = |item: &Item| match (item, &self.files) {
            (Item::Memory(memory), _) => self.ids.get(&memory.id.to_string()).into_iter().cloned().collect(),
            (Item::Chunk(chunk), Some(files)) => files.documents(&chunk.path, chunk.start_line..=chunk.end_line),
            (Item::Chunk(_), None) => Vec::new(),
        };
        let mut found: Vec<TestHit> = Vec::with_capacity(recalled.hits.len());
        for hit in &recalled.hits {
            for id in ids(&hit.item) {
                // A document in several pieces is found by the best of them.
                if found.iter().any(|known| known.id == id) {
                    continue;
                }
                let arms = hit.places.iter().map(|(arm, place)| (*arm, place.score)).collect();
                let rivals = hit
                    .rivals
                    .iter()
                    .filter_map(|(by, evidence)| Some((self.ids.get(&by.to_string())?.clone(), evidence.to_vec())));
                let rivals = rivals.collect();
                found.push(TestHit { id, relevance: hit.relevance, arms, features: hit.features.clone(), rivals });
            }
        }
        found.truncate(asked.limit);
        Ok(found)
    }
}

fn message(document: TestDocument) -> Message {
    Message {
        session_id: document.session_id.unwrap_or_else(|| document.id.clone()),
        role: document.role.filter(|role| !role.trim().is_empty()).unwrap_or_else(|| "user".to_owned()),
        content: document.text,
        time: document.timestamp.map(serde_json::Value::String),
        id: Some(document.id),
        ..Message::default()
    }
}
