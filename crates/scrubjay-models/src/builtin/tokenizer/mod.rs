//! The tokenizers: a text in, token ids out.
//!
//! Two kinds, as the models of the BERT family use them: byte-level BPE (GPT-2, RoBERTa) and WordPiece (BERT). Their
//! tables lie in the weight file ready for use, so that a process has nothing to build before its first query. Any
//! string is a text: none fails, and a text that spells a special token such as `</s>` is plain text.
//!
//! Nothing here cuts a text into windows or adds a prefix; see `window.rs` and `embed/`.
//!
//! Start with `tokens.rs`; `pretoken.rs` and `byte_level_bpe.rs` are what the built-in model uses.

mod byte_level_bpe;
mod pretoken;
mod tokens;
mod wordpiece;

pub(crate) use tokens::{Pair, Token, Tokenizer};
