//! The other side of the socket: how commands, hooks and stdio MCP reach the
//! daemon, and what they do when it is not there.
//!
//! `connection.rs` sends one request and gives up at its deadline, however the
//! daemon behaves: absent, hung, broken. `caller.rs` runs an operation there if
//! the daemon would answer exactly as this process would, and here otherwise.
//! `launch.rs` starts a daemon that outlives us, `sign_in.rs` asks it for a link.
//!
//! The token goes to nobody but the socket in the user's own folder, never to a
//! port that anyone could have taken.

mod caller;
mod connection;
mod launch;
mod sign_in;

pub use caller::{Caller, standing};
pub use connection::{Away, Connection, DaemonReply, Request};
pub use launch::launch;
pub use sign_in::sign_in_link;
