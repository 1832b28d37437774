//! What a chat model is asked, and what it answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// What the model is to do; empty for nothing special.
    pub system: String,
    /// The conversation; the last turn is the user's.
    pub turns: Vec<Turn>,
    /// The JSON that is wanted; none for plain text.
    pub shape: Option<Shape>,
    /// The longest answer, in tokens.
    pub max_tokens: u32,
    /// 0 for the likeliest answer, 1 for varied ones; none for what the model does by itself.
    pub temperature: Option<f32>,
}

impl ChatRequest {
    /// One question with instructions, answered in plain text of up to 1,024 tokens.
    #[must_use]
    pub fn new(system: impl Into<String>, question: impl Into<String>) -> Self {
        let turns = vec![Turn { speaker: Speaker::User, text: question.into() }];
        Self { system: system.into(), turns, shape: None, max_tokens: 1024, temperature: None }
    }

    /// The same, answered in JSON.
    #[must_use]
    pub fn shaped(mut self, name: &str, schema: Value) -> Self {
        self.shape = Some(Shape { name: name.to_owned(), schema });
        self
    }

    /// The same, with another limit for the answer.
    #[must_use]
    pub fn up_to(mut self, max_tokens: u32) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// All text that would be sent, in characters; for estimates.
    #[must_use]
    pub fn length_chars(&self) -> usize {
        let turns: usize = self.turns.iter().map(|turn| turn.text.chars().count()).sum();
        let shape = self.shape.as_ref().map_or(0, |shape| shape.schema.to_string().len());
        self.system.chars().count() + turns + shape
    }
}

/// A part of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
}

/// Who speaks in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Whoever asks.
    User,
    /// The model.
    Assistant,
}

/// The JSON that is wanted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// A name for it, of letters, digits, `_` and `-`.
    pub name: String,
    /// Its JSON schema; an object at the top.
    pub schema: Value,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text; with a shape, what should be JSON.
    pub text: String,
    /// What it took.
    pub usage: Usage,
    /// Why it ended.
    pub stop: Stop,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The model was done.
    Done,
    /// It ran into the limit: plain text may still be of use, JSON is not.
    Length,
}

/// What a call took, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}
