//! What search can find, and what a derived index is told about it.

use std::fmt;

use scrubjay_core::id::DocumentId;
use scrubjay_core::memory::Memory;
use scrubjay_core::scope::Scope;
use scrubjay_core::source::Source;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

/// The number of a memory or a chunk. Never used twice in a store, and nothing
/// that a user ever sees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemKey(u64);

impl ItemKey {
    /// The memory in this row.
    #[must_use]
    pub fn memory(row: u64) -> Self {
        Self(row << 1)
    }

    /// The chunk in this row.
    #[must_use]
    pub fn chunk(row: u64) -> Self {
        Self(row << 1 | 1)
    }

    /// The key with this number.
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }

    /// The row it names, in its table.
    #[must_use]
    pub fn row(self) -> u64 {
        self.0 >> 1
    }

    /// Whether it names a chunk.
    #[must_use]
    pub fn is_chunk(self) -> bool {
        self.0 & 1 == 1
    }
}

impl fmt::Debug for ItemKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.is_chunk() { "chunk " } else { "memory " }, self.row())
    }
}

/// A memory or a piece of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A memory.
    Memory(Box<Memory>),
    /// A piece of a document.
    Chunk(Box<Chunk>),
}

impl Item {
    /// Where it lives.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        match self {
            Self::Memory(memory) => &memory.scope,
            Self::Chunk(chunk) => &chunk.scope,
        }
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Memory(memory) => &memory.content,
            Self::Chunk(chunk) => &chunk.text,
        }
    }
}

/// An indexed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its id.
    pub id: DocumentId,
    /// Who may see it.
    pub scope: Scope,
    /// What kind of file it is.
    pub source: Source,
    /// Where it lies. One document per scope and path.
    pub path: String,
    /// The hash of its contents.
    pub hash: TextHash,
    /// When the file was changed last.
    pub modified_at: Timestamp,
    /// How large the file is.
    pub size_bytes: u64,
    /// When it was read.
    pub indexed_at: Timestamp,
}

/// A piece of a document, before it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChunk {
    /// Its first line, counted from 1.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Where in the document it stands: headings, or the path of a symbol.
    pub context: String,
    /// The text.
    pub text: String,
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The document.
    pub document: DocumentId,
    /// Who may see it.
    pub scope: Scope,
    /// What kind of file it is from.
    pub source: Source,
    /// Where the file lies.
    pub path: String,
    /// When the file was changed last.
    pub modified_at: Timestamp,
    /// When the file was read.
    pub indexed_at: Timestamp,
    /// Its place among the document's chunks.
    pub ordinal: u32,
    /// Its first line, counted from 1.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Where in the document it stands.
    pub context: String,
    /// The text.
    pub text: String,
}

/// The number of a vector generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GenerationId(pub u64);

/// Where a generation stands. At most one serves and at most one is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenerationState {
    /// Its vectors are being made.
    Building,
    /// Search uses it.
    Serving,
    /// Its vectors are being removed.
    Retired,
}

impl GenerationState {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Building, Self::Serving, Self::Retired];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Building => "building",
            Self::Serving => "serving",
            Self::Retired => "retired",
        }
    }

    /// The state with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// What tells one generation's vectors from another's. Vectors of different
/// generations are never compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGeneration {
    /// The model's id, with its version.
    pub model: String,
    /// The length of a vector.
    pub dimensions: u32,
    /// How texts are prepared before they are embedded.
    pub scheme: String,
}

/// Vectors of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// Its number.
    pub id: GenerationId,
    /// What its vectors are.
    pub spec: NewGeneration,
    /// Where it stands.
    pub state: GenerationState,
    /// When it was begun.
    pub created_at: Timestamp,
}

/// How far a generation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Items with vectors.
    pub embedded: u64,
    /// All items.
    pub items: u64,
}

/// An item that waits for its vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// Its place in the queue. A change to the item gives it another one.
    pub ticket: u64,
    /// The item.
    pub row: IndexRow,
}

/// The vectors of one item, as the caller encodes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVectors {
    /// The item.
    pub key: ItemKey,
    /// The ticket it waited with.
    pub ticket: u64,
    /// The hash of the text that was embedded.
    pub text: TextHash,
    /// The vectors of its windows, in order.
    pub encoded: Vec<u8>,
}

/// The vectors of an item in one generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVectors {
    /// The generation.
    pub generation: GenerationId,
    /// The hash of the text that was embedded, which may have changed since.
    pub text: TextHash,
    /// The vectors of its windows, in order.
    pub encoded: Vec<u8>,
}

/// An item with its vectors: all that an index needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexRow {
    /// Its key.
    pub key: ItemKey,
    /// The item.
    pub item: Item,
    /// Its vectors, of the generations that serve or are being built.
    pub vectors: Vec<StoredVectors>,
}

/// One item that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct TailEntry {
    /// Where it lives or lived.
    pub scope: Scope,
    /// The item.
    pub key: ItemKey,
    /// As it is now; none if it is gone.
    pub row: Option<IndexRow>,
}

/// What changed after a position, each item once.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// Which store this is. Another number means another history.
    pub lineage: u64,
    /// The log holds everything after this position. An index that stands before
    /// it has missed something and must be made again.
    pub begins_after: u64,
    /// Everything up to here is covered by the entries.
    pub through: u64,
    /// Whether there is more after that.
    pub more: bool,
    /// The last position there is.
    pub newest: u64,
    /// The generations that serve or are being built, as they stood when the
    /// entries were read: every vector of theirs is in the items by then.
    pub generations: Vec<Generation>,
    /// The items, in order of their last change.
    pub entries: Vec<TailEntry>,
}

/// What an embedding cache entry was made with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CacheKey {
    /// The provider's name.
    pub provider: String,
    /// The model.
    pub model: String,
    /// A hash of what else matters, such as the address or the prefix scheme.
    pub provider_key: String,
}
