//! Which model does what.
//!
//! `open.rs` makes embedders and chat models of what the settings choose (`crate::providers`) and guards them. A chat
//! model may be a program that the user has (`command.rs`); its calls have limits of their own: those of a day are kept
//! by the ledger, those of a conversation by `allowance.rs`. `local.rs` serves a model file, `backfill.rs` gives many
//! texts to a provider's batch service.
//!
//! [`Role`] names the kinds of work that a chat model does; `Ctx::chat` (`of_ctx.rs`) gives the model of a role. Without
//! one the caller goes by rules, and nothing stops. Nothing on the capture path comes here.
//!
//! Start with `of_ctx.rs`.

mod allowance;
pub mod backfill;
mod command;
mod local;
mod of_ctx;
mod open;

pub(crate) use allowance::Allowance;
pub use command::{command_place, command_program, found_clients, runs_commands};
pub use open::{active_embedder, chat_of, embedder_for, forget_card, open_chat, open_embedding};
pub use scrubjay_models::chat::command::GUARD_VARIABLE;

pub use crate::provider_list::{ChatRuntime, EmbeddingRuntime, Provider};
pub use crate::providers::choice::{ChatChoice, EmbeddingChoice, chat_choice, embedding_choices};
pub use crate::providers::connect::place_name as place_of;
pub(crate) use crate::providers::ledger::calls_of_day;
pub use crate::providers::ledger::{day_of, usd};
pub use crate::providers::open::Opened;
pub use crate::providers::price::{Price, Prices};
pub use crate::providers::provider::not_built_in;
pub use crate::providers::rest::{Standing, ask_again, standing};
pub use crate::providers::role::Role;
