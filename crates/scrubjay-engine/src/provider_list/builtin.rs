//! The embedders that are part of this program.

use super::descriptor::{Descriptor, EmbeddingModels, EmbeddingRuntime};

pub(super) static BUILTIN: Descriptor = Descriptor {
    name: "builtin",
    about: "part of this program: granite-embedding-30m-english, or builtin-multilingual",
    default_url: "",
    api_key: None,
    headers: &[],
    embedding: Some(EmbeddingModels {
        default_model: "",
        takes_dimensions: false,
        auto_rank: Some(u8::MAX),
        runtime: EmbeddingRuntime::BuiltIn,
        batch: None,
    }),
    chat: None,
    prices: &[],
};
