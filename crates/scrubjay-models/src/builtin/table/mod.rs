//! A static table: one vector per piece of a word, and a text is the mean of its pieces' vectors.
//!
//! No encoder runs, so that a text takes microseconds; the price is that the order of words does not count. Pieces that
//! many texts have are short vectors, rare ones long, so that the plain mean weighs them. The table is used where it
//! lies and never unpacked.
//!
//! Sections of the file (`sections.rs`): `table.weights` [rows][128] int8, `table.scales` [rows] f32; `pieces.text`, all
//! pieces one after another; `pieces.offsets`, where each begins and the last ends (u32); `pieces.slots`, a hash table
//! of rows plus 1 as that of WordPiece (`tokenizer/wordpiece.rs`).
//!
//! Start with `static_table.rs`; `words.rs` cuts a text into words, `pieces.rs` a word into pieces.

mod pieces;
mod static_table;
mod words;

pub use static_table::StaticTable;
