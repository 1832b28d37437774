//! What lies in a home because of its daemon.
//!
//! `files.rs` says where the lock, the socket, the tokens and the notes lie, `lock.rs` makes sure that there is one
//! daemon. The daemon writes them and its clients look at them, so neither needs to know the other.
//!
//! Nothing here starts, stops or calls a daemon.

mod files;
mod lock;

pub use files::DaemonFiles;
pub use lock::Lock;
