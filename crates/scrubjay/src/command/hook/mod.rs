//! `hook`: what clients call at each turn.
//!
//! `call.rs` does the work on a thread of its own: it asks the daemon, or leaves
//! what was said in the spool and works alone. `waiting.rs` says what is waited
//! for and until when. `run.rs` waits for it, but never
//! beyond the deadline, and writes what it has. `arguments.rs` reads the words,
//! `keep.rs` keeps what was said when nothing else can be done.
//!
//! A hook that a model call of ours set off (`SCRUBJAY_MODEL_CALL` is set) does
//! nothing: no capture, no spool, no injection, no daemon.
//!
//! A hook never fails its client: it exits with 0 and writes nothing to standard
//! error, whatever happens. What went wrong is in `logs/hooks.log`.

mod arguments;
mod call;
mod keep;
mod run;
mod waiting;

pub(crate) use run::{command, is_called, run};
