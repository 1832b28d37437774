//! The provider `local`: people, organisations and places, found by a small model inside the binary.
//!
//! A TinyBERT (4 layers, 312 values, no case) that was trained on news says for each word how much it looks like part of
//! a name. It was not made for chats and code, so that most of the work here is doubt: sentence by sentence
//! (`sentence.rs`), only words that are written like names (`word.rs`), never ones that are everyday words
//! (`everyday.rs`), and only what the model is sure of (`judge.rs`). Products, companies and given names that it is
//! often wrong about are listed (`listed.rs`).
//!
//! It calls nobody, keeps nothing, and reads English. Words of code, addresses and texts without capital letters give
//! nothing. The weights are loaded with the first text that might have a name in it.
//!
//! Start reading with `provider.rs`; `classifier.rs` runs the model and `packed.rs` reads its file.

mod classifier;
mod everyday;
mod judge;
mod listed;
mod packed;
mod provider;
mod sentence;
mod word;

#[cfg(test)]
mod tests;

pub(super) use everyday::is_everyday;
pub use provider::LocalNer;
