//! The Model Context Protocol, derived from the engine's list of operations.
//!
//! `server.rs` answers one message. It keeps nothing between messages, so the
//! stateless revision 2026-07-28 and the older ones with their handshake are the
//! same code: a request that names its revision gets that one, `initialize`
//! negotiates one. `tools.rs` makes a tool of every operation that has a tool's
//! name, `wording.rs` says things as a model needs them, `resources.rs` and `prompts.rs` offer memories to people's clients.
//! `stdio.rs` is the transport over standard streams; the one over HTTP is a
//! route.
//!
//! What a model gets wrong in an input is an answer of the tool, which it can
//! act on, not a failure of the protocol.

mod message;
mod prompts;
mod resources;
mod server;
mod stdio;
mod tools;
mod version;
mod wording;

pub use message::Fault;
pub use server::{Handled, Server};
pub use stdio::serve as serve_stdio;
pub use tools::tools;
pub use version::{SUPPORTED, Version};
