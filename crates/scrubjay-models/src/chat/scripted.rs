//! A test aid: a chat model that says what it was told to say.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use super::card::ChatCard;
use super::error::ChatError;
use super::provider::Chat;
use super::request::{ChatReply, ChatRequest, Stop, Usage};

type Reply = Box<dyn Fn(&ChatRequest) -> Option<String> + Send + Sync>;

/// Gives prepared answers in order, or those of a function, and remembers what it was asked.
pub struct Scripted {
    card: ChatCard,
    answers: Mutex<VecDeque<ChatReply>>,
    reply: Option<Reply>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Scripted {
    /// Gives these answers, one per call; then none.
    #[must_use]
    pub fn new(answers: Vec<ChatReply>) -> Self {
        Self {
            card: ChatCard::new("scripted", "script", false),
            answers: Mutex::new(answers.into()),
            reply: None,
            requests: Mutex::default(),
        }
    }

    /// Gives these texts, one per call; then none.
    #[must_use]
    pub fn texts(texts: &[&str]) -> Self {
        Self::new(texts.iter().map(|text| answer(text)).collect())
    }

    /// Answers with what a function makes of a request; an error where it gives none.
    #[must_use]
    pub fn by(reply: impl Fn(&ChatRequest) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { reply: Some(Box::new(reply)), ..Self::new(Vec::new()) }
    }

    /// What it was asked so far.
    #[must_use]
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Chat for Scripted {
    fn model(&self) -> &ChatCard {
        &self.card
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let next = match &self.reply {
            Some(reply) => reply(request).map(|text| answer(&text)),
            None => self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front(),
        };
        next.ok_or_else(|| ChatError::NotRecorded { length_chars: request.length_chars() })
    }
}

fn answer(text: &str) -> ChatReply {
    // Four characters a token is near enough where nobody pays.
    let output_tokens = text.chars().count().div_ceil(4) as u64;
    ChatReply { text: text.to_owned(), usage: Usage { input_tokens: 0, output_tokens }, stop: Stop::Done }
}
