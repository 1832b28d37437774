//! Rust source as tokens with line numbers: enough to tell code from comments and strings, and tests from the rest.
//!
//! This is not a parser. It knows how literals, comments and brackets nest, which is what keeps a check from being
//! fooled by a keyword in a string, and leaves the grammar to the compiler.
//! Start reading at `source.rs`.

mod lexer;
mod source;

pub(crate) use source::{RustSource, Token, TokenKind};
