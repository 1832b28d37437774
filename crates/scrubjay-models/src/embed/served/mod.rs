//! Embedders that are served by someone else, over HTTP.
//!
//! [`Served`] does what all of them need: prefixes, batches, several requests at once, checking what comes back,
//! counting tokens. A [`Protocol`] says how one vendor wants to be asked: `ollama.rs`, `openai.rs` (and everyone who
//! speaks like OpenAI, llama.cpp among them), `gemini.rs`.
//!
//! Nothing here reads settings or keys; whoever makes an `HttpClient` does.
//!
//! Start with `protocol.rs`.

mod embedder;
mod gemini;
mod ollama;
mod openai;
mod protocol;

pub use embedder::Served;
pub use gemini::Gemini;
pub use ollama::Ollama;
pub use openai::OpenAi;
pub use protocol::{Protocol, Purpose, Vectors};
