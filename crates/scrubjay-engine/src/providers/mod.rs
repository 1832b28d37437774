//! The providers of models that settings name, and what stands before each of them.
//!
//! `provider.rs` knows the providers, `choice.rs` puts those that the settings name in order, `connect.rs` says how one
//! is reached, `role.rs` what a chat model may be asked for. Everything that is handed out is guarded (`guard.rs`,
//! `guarded.rs`, `guarded_chat.rs`): secrets are taken out of texts before they leave, what is spent is noted
//! (`ledger.rs`, with `price.rs`), the daily cap holds, and what is known about a provider that fails is shared between
//! processes (`rest.rs`). `open.rs` holds what was opened; `crate::models` opens it.

pub(crate) mod choice;
pub(crate) mod connect;
pub(crate) mod guard;
pub(crate) mod guarded;
pub(crate) mod guarded_chat;
pub(crate) mod ledger;
pub(crate) mod open;
pub(crate) mod price;
pub(crate) mod provider;
pub(crate) mod rest;
pub(crate) mod role;

pub(crate) use open::OpenModels;
