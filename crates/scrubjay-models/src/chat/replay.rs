//! A test aid: answers that were recorded before.
//!
//! The recording is a text file with a JSON object per line: first the card of the model, then
//! `{"request":…,"answer":…}`. Only what a model is asked counts, not how long its answer may be.

use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::card::ChatCard;
use super::error::ChatError;
use super::provider::Chat;
use super::request::{ChatReply, ChatRequest};

/// Answers with what another model once answered. A request that was not recorded is an error.
#[derive(Debug)]
pub struct Replay {
    card: ChatCard,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    request: ChatRequest,
    answer: ChatReply,
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// If the file cannot be read or a line is not understood.
    pub fn read(path: &Path) -> Result<Self, ChatError> {
        let read = std::fs::read_to_string(path);
        Self::parse(&read.map_err(|source| ChatError::ReadRecording { path: path.to_owned(), source })?)
    }

    /// Understands a recording.
    ///
    /// # Errors
    /// If a line is not understood.
    pub fn parse(recording: &str) -> Result<Self, ChatError> {
        let mut lines = recording.lines().enumerate();
        let (_, first) = lines.next().unwrap_or_default();
        let card = understood(1, first)?;
        let entries = lines.map(|(place, line)| understood(place + 1, line)).collect::<Result<_, _>>()?;
        Ok(Self { card, entries })
    }
}

#[async_trait]
impl Chat for Replay {
    fn model(&self) -> &ChatCard {
        &self.card
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let same = |entry: &&Entry| {
            let recorded = &entry.request;
            (&recorded.system, &recorded.turns, &recorded.shape) == (&request.system, &request.turns, &request.shape)
        };
        let found = self.entries.iter().find(same).map(|entry| entry.answer.clone());
        found.ok_or_else(|| ChatError::NotRecorded { length_chars: request.length_chars() })
    }
}

/// Lets a model answer and keeps what it says, for [`Recorder::recording`].
pub struct Recorder<'chat> {
    chat: &'chat dyn Chat,
    entries: Mutex<Vec<Entry>>,
}

/// Stands between a caller and a model and keeps what they say.
#[must_use]
pub fn record(chat: &dyn Chat) -> Recorder<'_> {
    Recorder { chat, entries: Mutex::default() }
}

impl Recorder<'_> {
    /// Everything so far, as [`Replay`] reads it.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn recording(&self) -> Result<String, ChatError> {
        let mut recording = written(1, self.chat.model())?;
        for (place, entry) in self.entries.lock().unwrap_or_else(PoisonError::into_inner).iter().enumerate() {
            recording.push_str(&written(place + 2, entry)?);
        }
        Ok(recording)
    }
}

#[async_trait]
impl Chat for Recorder<'_> {
    fn model(&self) -> &ChatCard {
        self.chat.model()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let answer = self.chat.complete(request).await?;
        let entry = Entry { request: request.clone(), answer: answer.clone() };
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
        Ok(answer)
    }
}

fn understood<'line, Value: Deserialize<'line>>(number: usize, line: &'line str) -> Result<Value, ChatError> {
    serde_json::from_str(line).map_err(|source| ChatError::Recording { line: number, source })
}

fn written(number: usize, value: &impl Serialize) -> Result<String, ChatError> {
    let line = serde_json::to_string(value).map_err(|source| ChatError::Recording { line: number, source })?;
    Ok(line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::Scripted;

    #[test]
    fn what_was_recorded_is_said_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let model = Scripted::texts(&["one", "two"]);
        let recorder = record(&model);
        let asked = [ChatRequest::new("s", "first"), ChatRequest::new("s", "second")];
        for request in &asked {
            runtime.block_on(recorder.complete(request)).unwrap();
        }
        let replay = Replay::parse(&recorder.recording().unwrap()).unwrap();
        assert_eq!(replay.model(), model.model());
        assert_eq!(runtime.block_on(replay.complete(&asked[1].clone().up_to(7))).unwrap().text, "two");
        let other = runtime.block_on(replay.complete(&ChatRequest::new("s", "third")));
        assert!(matches!(other, Err(ChatError::NotRecorded { .. })));
        assert!(matches!(Replay::parse("no"), Err(ChatError::Recording { line: 1, .. })));
    }
}
