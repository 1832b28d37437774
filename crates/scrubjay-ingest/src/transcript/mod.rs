//! The conversations that agents' programs keep: JSON lines in, what was said out.
//!
//! One file per format: [`claude_code`], [`codex`], [`antigravity`], [`copilot`], and [`generic`] for `{role, content}`
//! lines of any other program; `format.rs` lists them. A format takes a line and gives a [`Record`] or says why the
//! line is none. The formats are not promised by their
//! makers and change, so everything unknown is passed over, and nothing here fails a file for a line.
//!
//! Only what a person or the model said is a record. Tool calls and their output, reasoning, machine summaries,
//! sub-agents' threads and text that programs injected (our own recalled memories among them) are left out, so that
//! nothing is learned twice and nothing is learned from noise.
//!
//! [`cursor`] reads a file that grows, is cut or replaced, from where it was left; [`packed`] unpacks one that was
//! compressed. Nothing here writes or keeps state
//! between calls but the cursor that the caller stores. Start reading at `record.rs`.

pub mod antigravity;
pub mod claude_code;
pub mod codex;
pub mod copilot;
pub mod cursor;
#[cfg(test)]
mod fake;
mod format;
pub mod generic;
mod injected;
pub mod packed;
mod record;

pub use format::{FORMATS, Format, Reader};
pub use injected::is_summary;
pub use record::{Line, Passed, Record, Role};
