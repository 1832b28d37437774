//! A test aid: vectors that were recorded before.
//!
//! The recording is a text file with a JSON object per line: first the card of the model, then
//! `{"role":"document","text":…,"vector":[…]}` and the same with `query`.

use std::collections::HashMap;
use std::path::Path;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::answer::check_vectors;
use super::card::ModelCard;
use super::error::EmbedError;
use super::provider::Embedder;

/// Answers with what another embedder once answered. A text that was not recorded is an error.
#[derive(Debug)]
pub struct Replay {
    card: ModelCard,
    vectors: HashMap<(Role, String), Vec<f32>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Role {
    Document,
    Query,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    role: Role,
    text: String,
    vector: Vec<f32>,
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// If the file cannot be read, a line is not understood, or a vector is none of this model.
    pub fn read(path: &Path) -> Result<Self, EmbedError> {
        let read = std::fs::read_to_string(path);
        Self::parse(&read.map_err(|source| EmbedError::ReadRecording { path: path.to_owned(), source })?)
    }

    /// Understands a recording.
    ///
    /// # Errors
    /// If a line is not understood, or a vector is none of this model.
    pub fn parse(recording: &str) -> Result<Self, EmbedError> {
        let mut lines = recording.lines();
        let card: ModelCard = understood(1, lines.next().unwrap_or_default())?;
        let mut vectors = HashMap::new();
        for (number, line) in lines.enumerate() {
            let entry: Entry = understood(number + 2, line)?;
            let vector = check_vectors(vec![entry.vector], 1, &card)?.remove(0);
            vectors.insert((entry.role, entry.text), vector);
        }
        Ok(Self { card, vectors })
    }

    fn look_up(&self, role: Role, text: &str) -> Result<Vec<f32>, EmbedError> {
        let name = match role {
            Role::Document => "document",
            Role::Query => "query",
        };
        let missing = || EmbedError::NotRecorded { role: name, length_bytes: text.len() };
        self.vectors.get(&(role, text.to_owned())).cloned().ok_or_else(missing)
    }
}

#[async_trait]
impl Embedder for Replay {
    fn model(&self) -> &ModelCard {
        &self.card
    }

    async fn embed_documents(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.look_up(Role::Document, text)).collect()
    }

    async fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.look_up(Role::Query, text)
    }
}

/// Lets an embedder answer and gives the recording of it.
///
/// # Errors
/// If the embedder fails.
pub async fn record(embedder: &dyn Embedder, documents: &[String], queries: &[String]) -> Result<String, EmbedError> {
    let mut entries = Vec::with_capacity(documents.len() + queries.len());
    for (text, vector) in documents.iter().zip(embedder.embed_documents(documents).await?) {
        entries.push(Entry { role: Role::Document, text: text.clone(), vector });
    }
    for text in queries {
        let vector = embedder.embed_query(text).await?;
        entries.push(Entry { role: Role::Query, text: text.clone(), vector });
    }
    let mut recording = written(1, embedder.model())?;
    for (number, entry) in entries.iter().enumerate() {
        recording.push_str(&written(number + 2, entry)?);
    }
    Ok(recording)
}

fn understood<'line, Value: Deserialize<'line>>(number: usize, line: &'line str) -> Result<Value, EmbedError> {
    serde_json::from_str(line).map_err(|source| EmbedError::Recording { line: number, source })
}

fn written(number: usize, value: &impl Serialize) -> Result<String, EmbedError> {
    let line = serde_json::to_string(value).map_err(|source| EmbedError::Recording { line: number, source })?;
    Ok(line + "\n")
}
