//! Chat models: what answers a question in words, or in JSON of a given shape.
//!
//! [`Chat`] is the contract; [`served`] are the providers over HTTP, [`command`] runs a program instead, [`Scripted`] and [`Replay`] are for tests. [`ask`] is what most callers want: it asks for
//! JSON, mends what is nearly JSON, asks once more if that does not help, and gives a typed value. Every answer tells
//! how many tokens it took.
//!
//! A chat model never sees the store, never decides what is kept, and its answer is never trusted: whoever asks checks
//! it.
//!
//! Start with `provider.rs`, then `ask.rs`.

mod ask;
mod card;
pub mod command;
mod error;
mod near_json;
mod provider;
mod replay;
mod request;
mod scripted;
pub mod served;

pub use ask::{Asked, ask};
pub use card::ChatCard;
pub use error::ChatError;
pub use near_json::near_json;
pub use provider::Chat;
pub use replay::{Replay, record};
pub use request::{ChatReply, ChatRequest, Shape, Speaker, Stop, Turn, Usage};
pub use scripted::Scripted;
