//! The fence around recalled text.
//!
//! Whatever Scrubjay hands to an agent stands between two marks that carry a
//! random nonce. Recalled text cannot close the fence, because it cannot know the
//! nonce; and a conversation that comes back to us can be rid of our own words, so
//! that nothing recalled is ever learned again.
//!
//! `block.rs` puts the marks around a text and takes blocks out again, `mark.rs`
//! recognises a mark however a client wrote it, `letter.rs` reads escapes. Nothing
//! here drops text that does not stand between two marks with the same nonce.

mod block;
mod letter;
mod mark;

pub use block::{strip, strip_keeping_lines, wrap};
