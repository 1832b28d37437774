//! `demo`: everything at work, in a scratch folder, without network or models.
//!
//! `story.rs` reads the bundled conversations and puts them into the past few
//! weeks. `play.rs` runs real commands on them, through the same code as always,
//! and tells what they do. The folder goes away again.
//!
//! The demo never touches the user's own home and never reads its settings.

mod play;
mod story;

pub(crate) use play::{command, run};
