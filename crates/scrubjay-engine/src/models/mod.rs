//! Which model does what, and what that costs.
//!
//! From the settings to something that can be called: `provider.rs` knows the providers, `choice.rs` puts those that
//! the settings name in order, `connect.rs` and `open.rs` make embedders and chat models of them. Everything that is
//! handed out is guarded (`guarded.rs`, `guarded_chat.rs`): secrets are taken out of texts before they leave, what is
//! spent is noted, the daily cap holds, and what is known about a provider that fails is shared between processes
//! (`rest.rs`). `backfill.rs` gives many texts to a provider's batch service.
//!
//! A chat model may be a program that the user has (`command.rs`). Its calls have limits of their own: those of a day
//! are kept by the ledger, those of a conversation by `allowance.rs`.
//!
//! [`Role`] names the kinds of work that a chat model does; `Ctx::chat` gives the model of a role. Without one the
//! caller goes by rules, and nothing stops. Nothing on the capture path comes here.
//!
//! Start with `choice.rs`.

mod allowance;
pub mod backfill;
mod choice;
mod command;
mod connect;
mod guard;
mod guarded;
mod guarded_chat;
mod ledger;
mod local;
mod open;
mod price;
mod provider;
mod rest;
mod role;

pub(crate) use allowance::{Allowance, calls_of_day};
pub use choice::{ChatChoice, EmbeddingChoice, chat_choice, embedding_choices};
pub use command::{command_place, command_program, found_clients, runs_commands};
pub use connect::place_name as place_of;
pub use ledger::{day_of, usd};
pub use open::{Opened, active_embedder, chat_of, embedder_for, forget_card, open_chat, open_embedding};
pub use price::{Price, Prices};
pub use provider::{Provider, not_built_in};
pub use rest::{Standing, ask_again, standing};
pub use role::Role;
pub use scrubjay_models::chat::command::GUARD_VARIABLE;
