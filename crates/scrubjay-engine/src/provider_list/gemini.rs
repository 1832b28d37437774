//! Google's Gemini.

use scrubjay_models::batch::GeminiBatch;
use scrubjay_models::chat::served::GeminiChat;
use scrubjay_models::embed::served::Gemini;

use super::descriptor::{ApiKey, ChatModels, ChatRuntime, Descriptor, EmbeddingModels, EmbeddingRuntime, ServedModel};

pub(super) static GEMINI: Descriptor = Descriptor {
    name: "gemini",
    about: "Google's Gemini",
    default_url: "https://generativelanguage.googleapis.com/v1beta",
    api_key: Some(ApiKey {
        about: "The key of Gemini. GEMINI_API_KEY or GOOGLE_API_KEY is used if this is empty.",
        variables: &["GOOGLE_API_KEY", "GEMINI_API_KEY"],
        header: ("x-goog-api-key", ""),
        optional_elsewhere: false,
    }),
    headers: &[],
    embedding: Some(EmbeddingModels {
        default_model: "gemini-embedding-001",
        takes_dimensions: true,
        auto_rank: Some(2),
        runtime: EmbeddingRuntime::Served(|served| Box::new(embeddings(served))),
        batch: Some(|client, served| Box::new(GeminiBatch { client, protocol: embeddings(served) })),
    }),
    chat: Some(ChatModels {
        small_model: "gemini-2.5-flash-lite",
        large_model: "gemini-2.5-flash",
        runtime: ChatRuntime::Served(|served| Box::new(GeminiChat { model: served.model.clone() })),
    }),
    prices: &["gemini-embedding-001=0.15", "gemini-2.5-flash-lite=0.10/0.40", "gemini-2.5-flash=0.30/2.50"],
};

fn embeddings(served: &ServedModel) -> Gemini {
    Gemini { model: served.model.clone(), dimensions: served.dimensions }
}
