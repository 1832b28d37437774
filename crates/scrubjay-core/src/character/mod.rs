//! The classes of characters that tokenizers ask for, narrower than those of the standard library.

mod class;
mod tables;

pub use class::{
    is_capital_letter, is_ideograph, is_left_out, is_letter, is_mark, is_mark_without_width, is_number, is_punctuation,
    is_small_letter,
};
