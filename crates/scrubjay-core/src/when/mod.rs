//! Times that a question names: “yesterday”, “last week”, “in May 2023”, “on 7 March”, “two months ago”, “la semana
//! pasada”, “vor drei Tagen”, “il y a deux mois”.
//!
//! Each is a span of time, seen from the moment of asking. Only what is said in so many words counts; a phrase
//! that could mean anything gives nothing. Never fails.
//!
//! Start reading in `named.rs`. `relative.rs` and `calendar.rs` know the English phrases; `translation.rs` has the words of
//! other languages for them. `moment.rs` reads a text that is a time and nothing else, as someone gives one to a command.

mod calendar;
mod moment;
mod named;
mod relative;
mod span;
#[cfg(test)]
mod tests;
mod translation;

pub use moment::given_time;
pub use named::{NamedTime, named_times};
pub use span::TimeSpan;
