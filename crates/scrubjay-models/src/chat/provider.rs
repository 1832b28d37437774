//! The contract of a chat model.

use async_trait::async_trait;

use super::card::ChatCard;
use super::error::ChatError;
use super::request::{ChatReply, ChatRequest};

/// Something that answers in words.
///
/// - An answer that was cut off, is empty or cannot be read is an error, never an answer.
/// - With a [`super::Shape`] the model is told to answer in JSON of that shape. Whether it did is for the caller to
///   check; [`super::ask`] does.
/// - Dropping the future ends the call; a provider may have been paid for it nevertheless.
/// - Nothing is remembered between calls.
#[async_trait]
pub trait Chat: Send + Sync {
    /// Which model it is.
    fn model(&self) -> &ChatCard;

    /// The model's answer.
    ///
    /// # Errors
    /// If the provider fails, refuses, or answers with something that is no answer.
    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError>;
}
