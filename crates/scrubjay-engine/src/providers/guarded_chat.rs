//! A chat model that keeps the rules.

use std::sync::Arc;

use async_trait::async_trait;
use scrubjay_models::chat::{Chat, ChatCard, ChatError, ChatReply, ChatRequest, Usage};

use super::guard::Guard;
use super::ledger::estimated_tokens;

/// A chat model that is paid for, or is someone else's.
pub(crate) struct GuardedChat {
    pub(crate) inner: Arc<dyn Chat>,
    pub(crate) guard: Guard,
}

#[async_trait]
impl Chat for GuardedChat {
    fn model(&self) -> &ChatCard {
        self.inner.model()
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let unnoted =
            |error: crate::EngineError| ChatError::Paused { why: format!("{}: {error}", self.inner.model().id) };
        let read = std::iter::once(&request.system).chain(request.turns.iter().map(|turn| &turn.text));
        let estimate = (estimated_tokens(read), u64::from(request.max_tokens));
        let begun = self.guard.begin(estimate).await.map_err(unnoted)?.map_err(|why| ChatError::Paused { why })?;
        let mut request = request.clone();
        request.system = self.guard.clean(&request.system);
        for turn in &mut request.turns {
            turn.text = self.guard.clean(&turn.text);
        }
        let result = self.inner.complete(&request).await;
        let usage = match &result {
            Ok(answer) => answer.usage,
            Err(ChatError::CutOff { output_tokens, .. }) => Usage { input_tokens: 0, output_tokens: *output_tokens },
            Err(_) => Usage::default(),
        };
        // A call that was not answered is not paid, as far as anyone can know.
        let calls = u64::from(!matches!(result, Err(ChatError::Call(_))));
        self.guard.end(begun, calls, (usage.input_tokens, usage.output_tokens)).await.map_err(unnoted)?;
        result
    }
}
