//! The VFS against real SQLite.
//!
//! `cuts.rs` shows that the harness sees the losses that weaker settings are known to have, and that the settings
//! Scrubjay relies on have none. `faults.rs` makes every single call fail in turn. `shim.rs` checks the layer between:
//! what is recorded, what several handles and threads do to one another, how handles end. All three share the
//! transactions and the judge in `workload.rs`. What the log, the images and the plans do by themselves is tested
//! beside their code.

mod cuts;
mod faults;
mod shim;
mod workload;
