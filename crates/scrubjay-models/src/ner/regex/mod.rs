//! The provider `regex`: things that are recognised by their shape.
//!
//! One file a shape: `handle.rs` (`@ann`), `hashtag.rs`, `email.rs`, `url.rs`, `date.rs`, `path.rs`,
//! `identifier.rs`. Each has one function `find` that adds to `findings.rs`. Where a regular expression says it
//! best, it is one (dates); where the end of the shape depends on what stands around it, the text is walked from
//! the character that gives the shape away (`@`, `#`, `://`, `/`).
//!
//! No shape looks further than a fixed number of bytes from where it begins, so lines of any length cost the same
//! as short ones, and no shape is sure enough to overrule a longer one without saying so in its confidence.
//! Nothing here knows names. Start reading with `provider.rs`.

mod code_block;
mod date;
mod email;
mod findings;
mod handle;
mod hashtag;
mod identifier;
mod path;
mod provider;
#[cfg(test)]
mod tests;
mod url;

pub(super) use code_block::CodeBlocks;
pub use provider::RegexNer;
