//! Batch services: many texts at once, cheaper, within hours.
//!
//! A batch is submitted under a name of ours. [`BatchProtocol::find`] looks for that name among the provider's batches,
//! so that one whose submission was cut off before its answer came is found again instead of paid twice. Submitting is
//! never tried again by itself.
//!
//! When to use a batch, what becomes of its vectors and when to give up is the engine's to decide.
//!
//! Start with `protocol.rs`; `openai.rs` and `gemini.rs` are the vendors that have such a service.

mod gemini;
mod openai;
mod protocol;

pub use gemini::GeminiBatch;
pub use openai::OpenAiBatch;
pub use protocol::{BatchProtocol, Outcome, Progress};
