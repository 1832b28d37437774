//! The model providers that settings can name.
//!
//! One file per provider: its name, address, keys, models, prices and protocols, all in one [`Descriptor`]. `list.rs`
//! has one line for each; settings, environment variables, the choice of a model, opening it, batches, `models`, `spend`
//! and the reference page are derived from the list. `provider.rs` is the handle that the rest of the engine passes
//! around.
//!
//! Nothing here reads settings, opens a connection or calls a model: `crate::providers` chooses and guards,
//! `crate::models` opens. Start with `descriptor.rs`.

mod anthropic;
mod builtin;
mod command;
mod descriptor;
#[cfg(test)]
mod fake;
mod gemini;
mod list;
mod local;
mod ollama;
mod openai;
mod provider;

pub(crate) use command::COMMAND;
pub use descriptor::{ApiKey, ChatModels, ChatRuntime, Descriptor, EmbeddingModels, EmbeddingRuntime, ServedModel};
pub(crate) use openai::OPENAI;
pub use provider::Provider;
