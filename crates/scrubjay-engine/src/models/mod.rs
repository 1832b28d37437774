//! Which model does what.
//!
//! [`Role`] names the kinds of work that a chat model does; `Ctx::chat` gives the model of a role. Without one the
//! caller goes by rules, and nothing stops.
//!
//! Nothing here calls a provider by itself, and nothing on the capture path comes here.
//!
//! Start with `role.rs`.

mod role;

pub use role::Role;
