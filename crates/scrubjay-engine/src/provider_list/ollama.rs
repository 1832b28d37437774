//! Ollama, on this machine unless told otherwise.

use scrubjay_models::chat::served::OllamaChat;
use scrubjay_models::embed::served::Ollama;

use super::descriptor::{ChatModels, ChatRuntime, Descriptor, EmbeddingModels, EmbeddingRuntime};

pub(super) static OLLAMA: Descriptor = Descriptor {
    name: "ollama",
    about: "Ollama, on this machine unless `url` says otherwise",
    default_url: "http://127.0.0.1:11434",
    api_key: None,
    headers: &[],
    embedding: Some(EmbeddingModels {
        default_model: "nomic-embed-text",
        takes_dimensions: false,
        auto_rank: None,
        runtime: EmbeddingRuntime::Served(|served| Box::new(Ollama { model: served.model.clone() })),
        batch: None,
    }),
    chat: Some(ChatModels {
        small_model: "llama3.2",
        large_model: "llama3.2",
        runtime: ChatRuntime::Served(|served| Box::new(OllamaChat { model: served.model.clone() })),
    }),
    prices: &[],
};
