//! OpenAI, and every server that speaks like it.

use scrubjay_models::batch::OpenAiBatch;
use scrubjay_models::chat::served::OpenAiChat;
use scrubjay_models::embed::served::OpenAi;

use super::descriptor::{ApiKey, ChatModels, ChatRuntime, Descriptor, EmbeddingModels, EmbeddingRuntime, ServedModel};

pub(crate) static OPENAI: Descriptor = Descriptor {
    name: "openai",
    about: "OpenAI, or with `url` any server that speaks like it",
    default_url: "https://api.openai.com/v1",
    api_key: Some(ApiKey {
        about: "The key of OpenAI, or of the server that speaks like it. OPENAI_API_KEY is used if this is empty.",
        variables: &["OPENAI_API_KEY"],
        header: ("authorization", "Bearer "),
        optional_elsewhere: true,
    }),
    headers: &[],
    embedding: Some(EmbeddingModels {
        default_model: "text-embedding-3-small",
        takes_dimensions: true,
        auto_rank: Some(1),
        runtime: EmbeddingRuntime::Served(|served| {
            // A small server wants small requests.
            Box::new(embeddings(served, if served.at_default_url { 256 } else { 16 }))
        }),
        batch: Some(|client, served| Box::new(OpenAiBatch { client, protocol: embeddings(served, 1) })),
    }),
    chat: Some(ChatModels {
        small_model: "gpt-5-nano",
        large_model: "gpt-5-mini",
        runtime: ChatRuntime::Served(|served| {
            Box::new(OpenAiChat { model: served.model.clone(), original: served.at_default_url })
        }),
    }),
    prices: &[
        "text-embedding-3-small=0.02",
        "text-embedding-3-large=0.13",
        "gpt-5-nano=0.05/0.40",
        "gpt-5-mini=0.25/2.00",
    ],
};

fn embeddings(served: &ServedModel, most_texts: usize) -> OpenAi {
    OpenAi { model: served.model.clone(), dimensions: served.dimensions, most_texts }
}
