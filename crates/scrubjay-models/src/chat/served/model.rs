//! What every served chat model does.

use std::sync::Arc;

use async_trait::async_trait;

use super::super::card::ChatCard;
use super::super::error::ChatError;
use super::super::provider::Chat;
use super::super::request::{ChatReply, ChatRequest, Stop};
use super::protocol::ChatProtocol;
use crate::http::HttpClient;

/// A chat model behind HTTP.
pub struct ServedChat {
    client: Arc<HttpClient>,
    protocol: Box<dyn ChatProtocol>,
    card: ChatCard,
}

impl ServedChat {
    /// A chat model.
    #[must_use]
    pub fn new(client: Arc<HttpClient>, protocol: Box<dyn ChatProtocol>, card: ChatCard) -> Self {
        Self { client, protocol, card }
    }

    /// How it is talked to.
    #[must_use]
    pub fn client(&self) -> &Arc<HttpClient> {
        &self.client
    }
}

#[async_trait]
impl Chat for ServedChat {
    fn model(&self) -> &ChatCard {
        &self.card
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let call = self.protocol.call(request);
        let said = self.client.call(&call, |body| {
            let said = self.protocol.read(body)?;
            if said.text.trim().is_empty() && !said.refused && said.stop == Stop::Done {
                return Err("it is empty".to_owned());
            }
            Ok(said)
        });
        let said = said.await?;
        if said.refused {
            return Err(ChatError::Refused { model: self.card.id.clone() });
        }
        if said.stop == Stop::Length && said.text.trim().is_empty() {
            let output_tokens = said.usage.output_tokens;
            return Err(ChatError::CutOff { model: self.card.id.clone(), output_tokens });
        }
        Ok(ChatReply { text: said.text, usage: said.usage, stop: said.stop })
    }
}
