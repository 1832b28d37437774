//! What a chat model says about itself.

use serde::{Deserialize, Serialize};

/// A chat model and who runs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatCard {
    /// Provider and model: `anthropic/claude-haiku-4-5`.
    pub id: String,
    /// Who runs it: `openai`, `anthropic`, `gemini`, `ollama`, …
    pub provider: String,
    /// The provider's own name for the model.
    pub model: String,
    /// Whether texts leave this machine.
    pub remote: bool,
    /// Whether each call counts against somebody's plan. Such a model is asked once, and what it does not answer is
    /// left to rules.
    #[serde(default)]
    pub scarce: bool,
}

impl ChatCard {
    /// A card whose id is made of the other two names.
    #[must_use]
    pub fn new(provider: &str, model: &str, remote: bool) -> Self {
        Self {
            id: format!("{provider}/{model}"),
            provider: provider.to_owned(),
            model: model.to_owned(),
            remote,
            scarce: false,
        }
    }

    /// The same for a model whose calls count against somebody's plan.
    #[must_use]
    pub fn scarce(self) -> Self {
        Self { scarce: true, ..self }
    }
}
