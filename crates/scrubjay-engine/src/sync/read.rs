//! From a file to a document with its chunks.

use scrubjay_core::id::DocumentId;
use scrubjay_core::redact;
use scrubjay_core::scope::Scope;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use scrubjay_ingest::chunk::{Limits, chunk};
use scrubjay_ingest::source::front_matter;
use scrubjay_ingest::source::kind::FileKind;
use scrubjay_ingest::source::read::read_text;
use scrubjay_ingest::source::skip::SkipReason;
use scrubjay_ingest::source::walk::FoundFile;
use scrubjay_store::item::{Document, NewChunk};

use crate::capture::clean_keeping_lines;

/// Raised when files are cut in another way or redacted by more rules, so that all of them are read again.
pub(super) const SCHEME: u64 = 5;

/// How files are read. Part of a document's hash, so that another way of reading
/// makes every document a changed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    /// The size of a piece.
    pub(super) limits: Limits,
    /// The largest file.
    pub(super) file_bytes: u64,
    /// The most pieces of a file.
    pub(super) file_chunks: usize,
    /// Whether secrets are taken out.
    pub(super) redact: bool,
}

/// A file that was read.
#[derive(Debug)]
pub(super) enum FileRead {
    /// Its contents are what was stored.
    Same(Document),
    /// Its contents are new.
    New(Document, Vec<NewChunk>),
}

/// What is known of a file that was stored before, or its new id.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) id: DocumentId,
    pub(super) hash: Option<TextHash>,
}

/// When the file was changed last, as documents keep it.
pub(super) fn modified_at(file: &FoundFile) -> Timestamp {
    Timestamp::from_millis(file.stamp.modified_ns.div_euclid(1_000_000))
}

/// Reads a file, takes secrets out and cuts it. Every line keeps its number.
pub(super) fn read(
    file: &FoundFile,
    scope: &Scope,
    known: &Known,
    reading: &Reading,
    now: Timestamp,
) -> Result<FileRead, SkipReason> {
    // Its name would be shown and searched.
    if reading.redact && redact::redact_if_needed(&file.relative).is_some() {
        return Err(SkipReason::Secret);
    }
    let text = read_text(&file.path, reading.file_bytes)?;
    let hash = hash(&text, file.kind, reading);
    let document = Document {
        id: known.id,
        scope: scope.clone(),
        source: file.kind.source(),
        path: file.path.to_string_lossy().into_owned(),
        hash,
        modified_at: modified_at(file),
        size_bytes: file.stamp.size_bytes,
        indexed_at: now,
    };
    if known.hash == Some(hash) {
        return Ok(FileRead::Same(document));
    }
    // Notes are written to be remembered, and marked like messages. Other files may speak of tags and types.
    let clean = clean_keeping_lines(&text, file.kind == FileKind::Memory, reading.redact);
    let title = match file.kind {
        FileKind::Memory | FileKind::Docs(_) => front_matter::parse(&clean).map(|front| {
            let parts = [front.title, front.description, (!front.tags.is_empty()).then(|| front.tags.join(", "))];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
        }),
        FileKind::Code(_) | FileKind::Config(_) | FileKind::Text => None,
    };
    let title = title.unwrap_or_default();
    let chunks = chunk(file.kind, &clean, &reading.limits.up_to(reading.file_chunks.saturating_add(1)));
    if chunks.len() > reading.file_chunks {
        return Err(SkipReason::TooManyChunks { limit: reading.file_chunks });
    }
    let chunks = chunks.into_iter().filter(|chunk| !chunk.text.trim().is_empty());
    let chunks = chunks.map(|chunk| NewChunk {
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        context: joined(&title, &chunk.context),
        text: chunk.text,
    });
    Ok(FileRead::New(document, chunks.collect()))
}

// What a note calls itself stands before the headings that a piece is under.
fn joined(title: &str, context: &str) -> String {
    match (title.is_empty(), context.is_empty()) {
        (true, _) => context.to_owned(),
        (_, true) => title.to_owned(),
        _ => format!("{title} > {context}"),
    }
}

fn hash(text: &str, kind: FileKind, reading: &Reading) -> TextHash {
    let Reading { limits, redact, .. } = reading;
    let kind = kind.name();
    let mut bytes = format!("{SCHEME} {kind} {} {} {redact}\n", limits.tokens, limits.overlap_tokens).into_bytes();
    bytes.extend_from_slice(text.as_bytes());
    TextHash::of_bytes(&bytes)
}
