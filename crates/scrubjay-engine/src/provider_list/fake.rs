//! A provider that exists in unit tests only: this file and its line in the list are all that it takes to add one.

use scrubjay_models::chat::served::OpenAiChat;
use scrubjay_models::embed::served::OpenAi;

use super::descriptor::{ApiKey, ChatModels, ChatRuntime, Descriptor, EmbeddingModels, EmbeddingRuntime};

pub(super) static FAKE: Descriptor = Descriptor {
    name: "acme",
    about: "a provider of the unit tests",
    default_url: "https://models.acme.example/v1",
    api_key: Some(ApiKey {
        about: "The key of Acme. ACME_API_KEY is used if this is empty.",
        variables: &["ACME_API_KEY"],
        header: ("authorization", "Bearer "),
        optional_elsewhere: false,
    }),
    headers: &[("x-acme-version", "7")],
    embedding: Some(EmbeddingModels {
        default_model: "text-embedding-3-small",
        takes_dimensions: false,
        auto_rank: Some(1),
        runtime: EmbeddingRuntime::Served(|served| {
            Box::new(OpenAi { model: served.model.clone(), dimensions: None, most_texts: 4 })
        }),
        batch: None,
    }),
    chat: Some(ChatModels {
        small_model: "gpt-5-nano",
        large_model: "gpt-5-mini",
        runtime: ChatRuntime::Served(|served| {
            Box::new(OpenAiChat { model: served.model.clone(), original: served.at_default_url })
        }),
    }),
    prices: &["text-embedding-3-small=0.5"],
};
