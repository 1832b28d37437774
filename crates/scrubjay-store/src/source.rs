//! What is read from outside, and how far.

use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;

/// What sort of place is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A folder with code, documents and notes.
    Workspace,
    /// A folder whose Markdown files are all notes, such as a client's memory.
    Notes,
    /// A folder with transcripts of conversations, or one such file.
    Transcripts,
}

impl SourceKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Workspace, Self::Notes, Self::Transcripts];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Notes => "notes",
            Self::Transcripts => "transcripts",
        }
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A place that is read. One per scope, kind and path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePlace {
    /// Who may see what is read there. Transcripts name their own projects.
    pub scope: Scope,
    /// What sort of place it is.
    pub kind: SourceKind,
    /// The folder or file, with all links resolved.
    pub path: String,
    /// The format of transcripts; empty for other places.
    pub format: String,
    /// When it was named first.
    pub added_at: Timestamp,
    /// When it was last read to the end.
    pub synced_at: Option<Timestamp>,
    /// Whether something is known to have changed since.
    pub dirty: bool,
}

/// How far a transcript was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TranscriptPlace {
    /// The file.
    pub path: String,
    /// Its format.
    pub format: String,
    /// How many bytes are done.
    pub read_bytes: u64,
    /// The device the file is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// A hash of its beginning.
    pub head_hash: u64,
    /// A hash of what was read last.
    pub tail_hash: u64,
    /// What its reader has to know to go on in the middle, as JSON.
    pub state: String,
    /// How many messages it gave.
    pub messages: u64,
    /// When it was read.
    pub read_at: Timestamp,
}

/// What a look at the sources did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyncCounts {
    /// Files read and stored.
    pub indexed: u64,
    /// Files that are the same as before.
    pub unchanged: u64,
    /// Files that are gone.
    pub removed: u64,
    /// Files that are not read.
    pub skipped: u64,
    /// Messages taken from transcripts.
    pub messages: u64,
}

/// The last run of one trigger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncRun {
    /// What set it off.
    pub cause: String,
    /// When it began.
    pub at: Timestamp,
    /// How long it took.
    pub took_ms: u64,
    /// What it did.
    pub counts: SyncCounts,
    /// Why it did not come to its end.
    pub failure: Option<String>,
}

/// How much is indexed of one kind of file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentCount {
    /// The kind.
    pub source: scrubjay_core::source::Source,
    /// Files.
    pub documents: u64,
    /// Pieces of them.
    pub chunks: u64,
}
