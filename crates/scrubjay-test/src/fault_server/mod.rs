//! A server that speaks the providers' protocols, and misbehaves on demand.
//!
//! It answers as OpenAI, Ollama, Gemini and Anthropic do, as far as Scrubjay asks, and checks requests as they do: a
//! missing key, an empty input or an unknown model is refused in the vendor's own shape. The vendors' own Python
//! clients are run against it (`tests/vendor-clients`), so that the shapes are theirs and not ours. Vectors are made
//! from the words of a text, so that likeness means something.
//!
//! A [`Fault`] makes it fail: for the next few requests or until told otherwise. Everything it was asked is kept.
//!
//! It listens on the loopback address only and ends when it is dropped. Start with `server.rs`; a
//! protocol is one file (`openai.rs`, `ollama.rs`, `gemini.rs`, `anthropic.rs`) and its place in the list of
//! `dialect.rs`.

mod anthropic;
mod batch;
mod dialect;
mod fault;
mod gemini;
mod instance;
mod ollama;
mod openai;
mod server;
mod state;
mod vector;
mod wire;

pub use batch::Fate;
pub use fault::Fault;
pub use server::FaultServer;
pub use state::KEY;
pub use wire::Seen;
