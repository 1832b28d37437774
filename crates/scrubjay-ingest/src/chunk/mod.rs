//! Text in, chunks out: one file per kind of text.
//!
//! A [`Chunk`] is a run of whole lines (only a line too long for a chunk is ever cut) with its line numbers and a
//! context that says where in the text it stands: a heading path, a symbol path, a key, the speakers. Chunks are what is
//! embedded and what a search result shows, so they follow the text's own structure first and sizes second.
//!
//! What holds for every chunker, and is tested for all of them: every byte is in some chunk, except stretches of pure
//! white space too long to stay with a neighbour; `text` is exactly the bytes of `byte_range`; line numbers are exact;
//! no character is cut; no chunk has more than the limits allow; the same text gives the same chunks; time is linear.
//!
//! Nothing here reads a file, embeds, or knows what becomes of a chunk.
//!
//! Start reading at `document.rs`, which picks the chunker; `pack.rs` is the window algorithm that all share, and
//! `segment.rs` the grouping of small neighbours and cutting of big pieces that code, configuration and notes share.

mod chunk_type;
pub mod code;
pub mod config;
pub mod conversation;
mod document;
mod lines;
pub mod markdown;
mod pack;
pub mod prose;
mod segment;
mod tokens;

#[cfg(test)]
mod tests;

pub use chunk_type::{Chunk, Limits};
pub use document::chunk;
pub use tokens::count as count_tokens;
