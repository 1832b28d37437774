//! What happens when a client calls one of its hooks.
//!
//! `answer.rs` keeps what was said and finds what fits; a hook that cannot reach
//! the daemon or the store, or read its settings, leaves its messages in the spool
//! (`spooled.rs`), from where they are taken in later, once (`drain.rs`). `brief.rs`
//! is what a session begins with, `messages.rs` what a hook has to keep, `preview.rs`
//! what a hook would say.
//!
//! Nothing here knows how a client writes its hooks; `clients` does. Nothing here
//! fails a client: what goes wrong is reported beside the answer.

mod answer;
mod brief;
mod drain;
mod messages;
mod preview;
mod spooled;

pub use answer::{Answer, Hooked, afterwards, answer, look, quiet};
pub(crate) use brief::unfenced;
pub use brief::{Brief, brief};
pub use drain::{Taken, drain, spool};
pub use messages::messages;
pub(crate) use preview::preview;
pub use spooled::Spooled;
