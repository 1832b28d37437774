//! The write path: from a message to a memory, instantly.
//!
//! `message.rs` takes messages in. `crate::clean` takes out what must not be kept: our own injected blocks, private
//! passages, secrets. It is the single point that all text passes before it
//! reaches a disk, a log, a queue or a model. `prepare.rs` finds the names in
//! what is left and fills in the record, `origin.rs` says whose word it is; the store does the rest in one
//! transaction.
//!
//! No model is called and no network touched here; what takes longer becomes a
//! job.

mod message;
mod origin;
mod prepare;

pub(crate) use message::capture_cleaned;
pub use message::{CaptureResult, Message, capture};
pub use origin::origin_of;
pub use prepare::{Draft, clean_label, mentions, names_in, prepare};

pub use crate::clean::{Cleaned, check_size, clean, clean_attributes, clean_id, clean_keeping_lines, clean_value};
