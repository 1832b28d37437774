//! The protocols that the server speaks.

use super::fault::Fault;
use super::state::State;
use super::wire::{Response, Seen};
use super::{anthropic, gemini, ollama, openai};

/// One vendor's protocol.
pub(super) struct Dialect {
    /// Whether a request is of this protocol, by its path.
    pub(super) is_spoken: fn(path: &str) -> bool,
    /// The answer, if the request is of this protocol.
    pub(super) answer: fn(&State, &Seen, Option<Fault>) -> Option<Response>,
    /// A failure with this status, in the vendor's shape.
    pub(super) failure: fn(status: u16, message: &str) -> Response,
}

/// Every protocol. The first that a request fits answers; OpenAI's comes last, because others put theirs below `/v1`.
pub(super) static DIALECTS: &[Dialect] = &[anthropic::DIALECT, gemini::DIALECT, ollama::DIALECT, openai::DIALECT];
