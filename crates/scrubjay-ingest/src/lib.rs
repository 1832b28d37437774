//! Bytes in, records out: the formats that Scrubjay reads.
//!
//! Each format is one file in [`source`]. A parser takes text and gives plain
//! values; it opens no file, keeps no state and never fails the whole input for
//! one bad line: what it cannot read is an error for that line, with a reason.

pub mod source;
