//! Code: a chunk per function, method, type or implementation, with its symbol path as context.
//!
//! A grammar turns the text into a tree; `outline.rs` finds the items in it and where each begins, its doc comment and
//! attributes included; the rest is the joining and cutting that all structured texts share. A table per language in
//! `grammar.rs` says which nodes are items and which hold items; no other file knows a language.
//!
//! Nothing here needs the code to be correct. A tree with errors still has items, and a text that takes a grammar too
//! long, or has lines that no person wrote, is cut by lines.
//!
//! Start reading at `chunker.rs`.

mod chunker;
mod grammar;
mod names;
mod outline;

#[cfg(test)]
mod tests;

pub use chunker::chunk;
