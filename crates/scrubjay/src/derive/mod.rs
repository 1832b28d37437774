//! From the engine's list of operations to commands, and from arguments back to
//! JSON.
//!
//! `field.rs` reads an operation's input schema: which fields there are, of what
//! shape, and how they want to look on a command line (the extension `x-cli`).
//! `argument.rs` makes an argument of a field, `collect.rs` makes the input of
//! what was given, and `tree.rs` arranges the commands.
//!
//! A new operation, or a new field of one, appears on the command line without
//! any change here. Nothing in this folder knows any particular operation.

mod argument;
mod collect;
mod field;
mod tree;

pub(crate) use argument::argument;
pub(crate) use collect::collect;
pub(crate) use field::{Field, Position, fields, message_fields};
pub(crate) use tree::root;
