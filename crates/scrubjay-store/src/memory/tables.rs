//! Everything that is kept.

use scrubjay_core::entity::{Entity, EntityType};
use scrubjay_core::id::{ConfirmationId, MemoryId};
use scrubjay_core::memory::{Memory, Relation};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use super::table::{Table, Transaction};
use crate::change::HistoryEntry;
use crate::context::{Confirmation, Receipt, Task};
use crate::item::{CacheKey, Document, Generation, GenerationId, ItemKey, NewChunk};
use crate::model::{Batch, Spend};
use crate::query::{Job, Session};
use crate::source::{SourceKind, SourcePlace, SyncRun, TranscriptPlace};
use crate::space::{Space, SpaceEntry};
use crate::{Result, StoreError};

/// A memory with what is stored along with it.
#[derive(Clone)]
pub(super) struct Stored {
    pub(super) memory: Memory,
    pub(super) client_id: Option<String>,
    pub(super) text_hash: TextHash,
    pub(super) time_given: bool,
}

/// A row of history. `undone_by` in the entry is what was noted; whether it
/// still holds is another question.
#[derive(Clone)]
pub(super) struct Past {
    pub(super) scope: Scope,
    pub(super) memory: Option<u64>,
    pub(super) entry: HistoryEntry,
}

/// A job with the worker that has it.
#[derive(Clone)]
pub(super) struct Claimed {
    pub(super) job: Job,
    pub(super) owner: Option<String>,
}

/// A generation with the older items that are not queued for it yet.
#[derive(Clone)]
pub(super) struct KeptGeneration {
    pub(super) generation: Generation,
    pub(super) older: Vec<ItemKey>,
}

/// A piece of a document, by the document's number.
#[derive(Clone)]
pub(super) struct KeptChunk {
    pub(super) document: u64,
    pub(super) ordinal: u32,
    pub(super) chunk: NewChunk,
}

/// A document that waits for the end of a rebuild.
#[derive(Clone)]
pub(super) struct StagedDocument {
    pub(super) build: String,
    pub(super) document: Document,
    pub(super) chunks: Vec<NewChunk>,
}

/// The number after which the log of items is complete.
pub(super) const LOG_BEGINS_AFTER: &str = "index_log_begins_after";

/// All tables. Rows have numbers that are never used twice.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) numbers: Table<&'static str, u64>,
    pub(super) scopes: Table<Scope, ()>,
    pub(super) memories: Table<u64, Stored>,
    pub(super) memory_ids: Table<Uuid, u64>,
    /// Scope, session (or nothing) and client id.
    pub(super) client_ids: Table<(Scope, String, String), u64>,
    /// Session, hash of the first text, number.
    pub(super) texts: Table<(String, TextHash, u64), ()>,
    pub(super) changes: Table<u64, Past>,
    pub(super) links: Table<(u64, Relation, u64), ()>,
    /// Entities without their aliases.
    pub(super) entities: Table<u64, Entity>,
    pub(super) entity_ids: Table<Uuid, u64>,
    pub(super) entity_names: Table<(Scope, String, EntityType), u64>,
    /// How an alias is written, by entity and key.
    pub(super) aliases: Table<(u64, String), String>,
    pub(super) alias_keys: Table<(Scope, String, u64), ()>,
    /// Memory and entity.
    pub(super) mentions: Table<(u64, u64), ()>,
    /// Entity and memory.
    pub(super) mentioned_by: Table<(u64, u64), ()>,
    pub(super) sessions: Table<(Scope, String), Session>,
    /// The number of a completed session.
    pub(super) completed_sessions: Table<(Scope, String), u64>,
    pub(super) jobs: Table<u64, Claimed>,
    pub(super) tombstones: Table<(Scope, TextHash), Timestamp>,
    pub(super) marks: Table<String, u64>,
    pub(super) documents: Table<u64, Document>,
    pub(super) chunks: Table<u64, KeptChunk>,
    /// By scope, name and document.
    pub(super) document_names: Table<(Scope, String, u64), ()>,
    pub(super) gone_names: Table<(Scope, String), Timestamp>,
    pub(super) rebuilds: Table<u64, StagedDocument>,
    pub(super) index_log: Table<u64, (Scope, ItemKey)>,
    pub(super) generations: Table<GenerationId, KeptGeneration>,
    pub(super) vectors: Table<(GenerationId, ItemKey), (TextHash, Vec<u8>)>,
    /// The ticket of an item that waits.
    pub(super) embed_queue: Table<(GenerationId, ItemKey), u64>,
    /// The vector and when it was used last.
    pub(super) embedding_cache: Table<(CacheKey, TextHash), (Vec<u8>, Timestamp)>,
    /// By namespace and id.
    pub(super) space_entries: Table<(Space, String), SpaceEntry>,
    pub(super) sources: Table<(Scope, SourceKind, String), SourcePlace>,
    /// By path.
    pub(super) transcripts: Table<String, TranscriptPlace>,
    /// By scope and cause.
    pub(super) syncs: Table<(Scope, String), SyncRun>,
    pub(super) receipts: Table<u64, Receipt>,
    pub(super) confirmations: Table<ConfirmationId, Confirmation>,
    pub(super) tasks: Table<(Scope, u64), Task>,
    /// By day, role and model.
    pub(super) spend: Table<(String, String, String), Spend>,
    pub(super) model_cards: Table<String, String>,
    pub(super) batches: Table<String, Batch>,
}

impl Tables {
    /// Keeps what was done since the last end of a transaction.
    pub(super) fn commit(&mut self) {
        self.each(|table| table.commit());
    }

    /// Takes it back.
    pub(super) fn roll_back(&mut self) {
        self.each(|table| table.roll_back());
    }

    /// A number that was never used before in the table of this name.
    pub(super) fn next_number(&mut self, table: &'static str) -> u64 {
        let next = self.numbers.get(&table).copied().unwrap_or(0) + 1;
        self.numbers.put(table, next);
        next
    }

    /// The position after which the log of items is complete.
    pub(super) fn log_begins_after(&self) -> u64 {
        self.numbers.get(&LOG_BEGINS_AFTER).copied().unwrap_or(0)
    }

    /// Notes that a scope holds something.
    pub(super) fn know(&mut self, scope: &Scope) {
        if !self.scopes.has(scope) {
            self.scopes.put(scope.clone(), ());
        }
    }

    /// The visible memory with this id, and its number.
    pub(super) fn find(&self, view: &View, id: MemoryId) -> Option<(u64, &Stored)> {
        let pk = *self.memory_ids.get(&id.uuid())?;
        let stored = self.memories.get(&pk)?;
        (stored.memory.id == id && view.sees(&stored.memory.scope)).then_some((pk, stored))
    }

    /// The visible memory with this id, or the error that there is none.
    pub(super) fn need(&self, view: &View, id: MemoryId) -> Result<(u64, &Stored)> {
        self.find(view, id).ok_or_else(|| StoreError::not_found(id))
    }

    /// Whether a memory with this id is anywhere at all.
    pub(super) fn exists(&self, id: MemoryId) -> bool {
        self.memory_ids.has(&id.uuid())
    }

    /// The memories a view can see, oldest number first.
    pub(super) fn visible<'a>(&'a self, view: &'a View) -> impl Iterator<Item = (u64, &'a Stored)> {
        self.memories.iter().filter(|(_, stored)| view.sees(&stored.memory.scope)).map(|(pk, stored)| (*pk, stored))
    }

    fn each(&mut self, mut end: impl FnMut(&mut dyn Transaction)) {
        // All fields by name, so that a new table cannot be forgotten here.
        macro_rules! each_of {
            ($($table:ident),* $(,)?) => {
                let Self { $($table),* } = self;
                $(end($table);)*
            };
        }
        each_of!(
            numbers,
            scopes,
            memories,
            memory_ids,
            client_ids,
            texts,
            changes,
            links,
            entities,
            entity_ids,
            entity_names,
            aliases,
            alias_keys,
            mentions,
            mentioned_by,
            sessions,
            completed_sessions,
            jobs,
            tombstones,
            marks,
            documents,
            chunks,
            document_names,
            gone_names,
            rebuilds,
            index_log,
            generations,
            vectors,
            embed_queue,
            embedding_cache,
            space_entries,
            sources,
            transcripts,
            syncs,
            receipts,
            confirmations,
            tasks,
            spend,
            model_cards,
            batches
        );
    }
}
