//! Models in a file or folder on this machine.

use super::descriptor::{Descriptor, EmbeddingModels, EmbeddingRuntime};

pub(super) static LOCAL: Descriptor = Descriptor {
    name: "local",
    about: "a GGUF file, or a folder (config.json, tokenizer.json, model.safetensors; BERT with WordPiece)",
    default_url: "",
    api_key: None,
    headers: &[],
    embedding: Some(EmbeddingModels {
        default_model: "embeddinggemma-300M-Q8_0.gguf",
        takes_dimensions: false,
        auto_rank: Some(0),
        runtime: EmbeddingRuntime::ModelFile,
        batch: None,
    }),
    chat: None,
    prices: &[],
};
