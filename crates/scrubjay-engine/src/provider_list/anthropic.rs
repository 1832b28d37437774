//! Anthropic.

use scrubjay_models::chat::served::{ANTHROPIC_VERSION, AnthropicChat};

use super::descriptor::{ApiKey, ChatModels, ChatRuntime, Descriptor};

pub(super) static ANTHROPIC: Descriptor = Descriptor {
    name: "anthropic",
    about: "Anthropic",
    default_url: "https://api.anthropic.com",
    api_key: Some(ApiKey {
        about: "The key of Anthropic. ANTHROPIC_API_KEY is used if this is empty.",
        variables: &["ANTHROPIC_API_KEY"],
        header: ("x-api-key", ""),
        optional_elsewhere: false,
    }),
    headers: &[("anthropic-version", ANTHROPIC_VERSION)],
    embedding: None,
    chat: Some(ChatModels {
        small_model: "claude-haiku-4-5",
        large_model: "claude-sonnet-4-5",
        runtime: ChatRuntime::Served(|served| Box::new(AnthropicChat { model: served.model.clone() })),
    }),
    prices: &["claude-haiku-4-5=1.00/5.00", "claude-sonnet-4-5=3.00/15.00"],
};
