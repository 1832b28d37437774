//! Running a model of the BERT family as Hugging Face's libraries save it: `config.json`, `tokenizer.json`,
//! `model.safetensors`, and what sentence-transformers put beside them.
//!
//! Plain floating point throughout, so that the vectors are those of the reference to the fourth digit. The built-in
//! model has an encoder of its own (`builtin/`), which is made for int8 weights.
//!
//! What it does not run: other architectures, other tokenizers than WordPiece, relative positions. It says so when a
//! folder is read, never later.
//!
//! Start with `folder.rs`, then `encoder.rs`.

mod activation;
mod config;
mod encoder;
mod folder;
mod safetensors;
mod wordpiece;

pub use encoder::Encoder;
pub use folder::{FolderModel, read_folder};
