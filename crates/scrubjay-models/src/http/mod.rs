//! Talking to a provider over HTTP, carefully.
//!
//! Where a request goes and with which key is fixed when an [`HttpClient`] is made, from the user's settings and
//! environment; nothing in a text or in an answer can change it. Redirects are not followed, and what a name resolves
//! to is checked before it is called (`address.rs`). A request is tried a few times, an answer is read up to a limit,
//! and a provider that keeps failing is left alone for a while (`breaker.rs`). What goes wrong is a [`CallError`],
//! which never holds a key and never holds the text that was sent.
//!
//! Nothing here knows what a request means; `embed/` and `chat/` do.
//!
//! Start with `client.rs`.

mod address;
mod breaker;
mod client;
mod connection;
mod error;
mod failure;
mod outside;
mod secret;
mod tls;
mod together;

pub use address::Address;
pub use breaker::{Breaker, LONGEST_REST, Permit, REST, Rest};
pub use client::{Call, Endpoint, HttpClient, Policy};
pub use connection::reach;
pub use error::{Blame, CallError};
pub use outside::Outside;
pub use secret::Secret;
pub use together::together;
