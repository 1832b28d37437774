//! What happens when a client calls one of its hooks.
//!
//! `answer.rs` keeps what was said and finds what fits; a hook that cannot reach
//! the daemon or the store, or read its settings, leaves its messages in the spool
//! (`spooled.rs`), from where they are taken in later, once (`drain.rs`). `messages.rs`
//! is what a hook has to keep.
//!
//! Nothing here knows how a client writes its hooks; `clients` does. Nothing here
//! fails a client: what goes wrong is reported beside the answer.

mod answer;
mod drain;
mod messages;
mod spooled;

pub use answer::{HookAnswer, Hooked, afterwards, answer, look, quiet};
pub use drain::{Taken, drain, spool};
pub use messages::messages;
pub use spooled::Spooled;
