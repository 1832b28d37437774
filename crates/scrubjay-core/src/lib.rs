//! Types and rules of Scrubjay, without any input or output.
//!
//! Everything here is a value or a pure function: what a memory is, where it
//! lives and who may see it, how confidence fades, how text becomes search
//! terms, which strings are secrets, and which error means what to the outside.
//! Nothing in this crate reads a clock, a file, the environment or a random
//! number; those come in as arguments.
//!
//! Start with [`memory`] for the record itself, [`scope`] for isolation and
//! [`error`] for the table that maps failures to exit codes, HTTP and MCP.

pub mod abbreviation;
pub mod byte_pairs;
pub mod character;
pub mod count;
pub mod decay;
pub mod entity;
pub mod error;
pub mod fence;
pub mod filter;
pub mod id;
mod kind;
pub mod lexical;
pub mod memory;
pub mod redact;
pub mod scope;
pub mod snippet;
pub mod source;
pub mod text;
pub mod time;
pub mod visible;
pub mod weights;
pub mod when;
