//! Chat models that are served by someone else, over HTTP.
//!
//! [`ServedChat`] does what all of them need; a [`ChatProtocol`] says how one vendor wants to be asked: `openai.rs`
//! (and everyone who speaks like OpenAI), `anthropic.rs`, `gemini.rs`, `ollama.rs`. How a schema must look for a vendor
//! is in `strict.rs`.
//!
//! Nothing here reads settings or keys; whoever makes an `HttpClient` does.
//!
//! Start with `protocol.rs`.

mod anthropic;
mod gemini;
mod model;
mod ollama;
mod openai;
mod protocol;
mod strict;

pub use anthropic::{AnthropicChat, VERSION as ANTHROPIC_VERSION};
pub use gemini::GeminiChat;
pub use model::ServedChat;
pub use ollama::OllamaChat;
pub use openai::OpenAiChat;
pub use protocol::{ChatProtocol, Said};
