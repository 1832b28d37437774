//! Files and transcripts from outside, kept in step.
//!
//! `place.rs` says which places are read and finds them for a folder or a
//! client. `files.rs` goes through a workspace or a folder of notes: what is new
//! is read (`read.rs`), what is the same is left alone, what is gone is removed.
//! `transcripts.rs` turns conversations into episodes, each message once.
//! `fact_files.rs` is a folder that goes both ways: facts as files.
//! `trigger.rs` knows the six occasions on which this happens, and `watch.rs`
//! the one that lasts; `fresh.rs` is what a search does about files that changed.
//! `run.rs` is what operations, hooks and the daemon call.
//!
//! A document is replaced whole and in one transaction, so a reader sees a file
//! as it was or as it is. Nothing here embeds: text can be found at once, and
//! vectors follow from the queue. Nothing is read that was not named by the
//! owner, except the notes of the project that a command stands in.

mod chunk_room;
mod clients;
mod fact_files;
mod files;
mod folder_projects;
mod fresh;
mod place;
mod read;
mod report;
mod run;
mod transcripts;
mod trigger;
mod underway;
mod watch;

pub use clients::{NotesFolder, notes, readable, transcripts};
pub use fact_files::{FACT_FILES, prepare_folder, refresh_fact_files};
pub use fresh::{Looking, with_fresh_files};
pub use place::{added_place, adopt, place_for, with_home, workspace_of};
pub use report::{SkippedFile, SyncReport};
pub use run::{SyncOptions, estimate, sync_all, sync_place, sync_transcript};
pub use transcripts::{Estimate, Format};
pub use trigger::Trigger;
pub use watch::{WatchEvent, Watching, watch};
