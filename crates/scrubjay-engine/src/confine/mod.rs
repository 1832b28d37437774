//! What a caller who is not the owner may change, decided where operations meet
//! the store.
//!
//! [`Reach`] says how far a caller's hands go: into one project, or into all of
//! them. What holds for all projects is read by everyone and changed by few.
//! `Ctx::store` hands such a caller a [`ConfinedStore`] in place of the store,
//! so that no operation, present or future, can forget to ask. It looks up what
//! every change would touch before it passes the change on, and refuses the
//! whole of it if any part is out of reach.
//!
//! - `reach` is the rule. Start there.
//! - `store` holds the store and checks changes; `memories`, `conversations`,
//!   `outside`, `projects`, `questions`, `ids`, `spaces` and `machinery` are its traits.
//!
//! Nothing here decides what an operation does, and nothing here asks a person:
//! `tiers/consent.rs` turns what is out of reach into a question to the owner.

mod conversations;
mod ids;
mod machinery;
mod memories;
mod outside;
mod projects;
mod questions;
mod reach;
mod risk;
mod spaces;
mod store;

pub use reach::Reach;
pub use risk::is_high_risk;
pub use store::ConfinedStore;
