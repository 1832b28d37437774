//! The classes of characters that tokenizers ask for, narrower than those of the standard library.
//!
//! `class.rs` has a function for each, over the ranges in `tables.rs`. Nothing here looks at more than one character;
//! what the search takes for a word is decided in `lexical/`.

mod class;
mod tables;

pub use class::{
    is_capital_letter, is_ideograph, is_left_out, is_letter, is_mark, is_mark_without_width, is_number, is_punctuation,
    is_small_letter,
};
