//! Running a model of the BERT family as Hugging Face's libraries save it: `config.json`, `tokenizer.json`,
//! `model.safetensors`, and what sentence-transformers put beside them.
//!
//! Plain floating point throughout, so that the vectors are those of the reference to the fourth digit. The built-in
//! model has an encoder of its own (`builtin/`), which is made for int8 weights.
//!
//! What it does not run: other architectures, other tokenizers than WordPiece, relative positions. It says so when a
//! folder is read, never later.
//!
//! The model that finds names (`ner/local/`) runs on the same layers.
//!
//! Start with `folder.rs`, then `encoder.rs`; `layers.rs` has the arithmetic.

mod activation;
mod config;
mod encoder;
mod folder;
mod layers;
mod numbers;
mod safetensors;
mod wordpiece;

pub(crate) use activation::Activation;
pub use encoder::Encoder;
pub use folder::{FolderModel, read_folder};
pub(crate) use layers::{Layers, Linear, Sizes};
pub(crate) use numbers::Numbers;
