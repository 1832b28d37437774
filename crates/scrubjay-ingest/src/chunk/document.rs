//! Picks the chunker for a file.

use super::{Chunk, Limits, code, config, conversation, markdown, prose};
use crate::source::kind::{DocFormat, FileKind};

/// The chunks of a file of the given kind, which the text may refine.
///
/// # Examples
/// ```
/// use scrubjay_ingest::chunk::{Limits, chunk};
/// use scrubjay_ingest::source::kind::classify;
///
/// let kind = classify("src/lib.rs").unwrap();
/// let chunks = chunk(kind, "/// Adds.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n", &Limits::default());
/// assert_eq!((chunks[0].context.as_str(), chunks[0].start_line, chunks[0].end_line), ("fn add", 1, 4));
/// ```
#[must_use]
pub fn chunk(kind: FileKind, text: &str, limits: &Limits) -> Vec<Chunk> {
    match kind.refined(text) {
        FileKind::Memory | FileKind::Docs(DocFormat::Markdown) => {
            conversation::chunk(text, limits).unwrap_or_else(|| markdown::chunk(text, limits))
        }
        FileKind::Docs(DocFormat::Text) => {
            conversation::chunk(text, limits).unwrap_or_else(|| prose::chunk(text, limits))
        }
        FileKind::Code(language) => code::chunk(language, text, limits),
        FileKind::Config(format) => config::chunk(format, text, limits),
        FileKind::Text => prose::chunk(text, limits),
    }
}
