//! The traits about derived data: each method is one transaction.

use async_trait::async_trait;
use scrubjay_core::id::{DocumentId, MemoryId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::store::{PostgresStore, read, write};
use super::{cache, documents, index_log, names, rebuilds, sources, vectors};
use crate::Result;
use crate::item::{
    CacheKey, Chunk, Coverage, Document, Generation, GenerationId, IndexRow, Item, ItemKey, NewChunk, NewGeneration,
    NewVectors, Tail, Waiting,
};
use crate::names::{GoneName, Name, Names};
use crate::source::DocumentCount;
use crate::traits::{Documents, EmbeddingCache, Indexing, Rebuilds, Vectors};

#[async_trait]
impl Indexing for PostgresStore {
    async fn tail(&self, view: Option<&View>, after: u64, limit: usize) -> Result<Tail> {
        read!(self, "read what changed", |work| index_log::tail(&work, view, after, limit))
    }

    async fn all_items(&self, after: Option<ItemKey>, limit: usize) -> Result<Vec<IndexRow>> {
        read!(self, "read all items", |work| index_log::all_items(&work, after, limit))
    }

    async fn items(&self, view: &View, keys: Vec<ItemKey>) -> Result<Vec<(ItemKey, Item)>> {
        read!(self, "read items", |work| index_log::items(&work, view, &keys))
    }

    async fn keys_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<(MemoryId, ItemKey)>> {
        read!(self, "look up memories", |work| index_log::keys_of(&work, view, &ids))
    }

    async fn trim_log(&self, through: u64) -> Result<()> {
        write!(self, "shorten the index log", |work| index_log::trim(&work, through))
    }
}

#[async_trait]
impl Vectors for PostgresStore {
    async fn generations(&self) -> Result<Vec<Generation>> {
        read!(self, "read vector generations", |work| vectors::generations(&work))
    }

    async fn begin_generation(&self, spec: NewGeneration, at: Timestamp) -> Result<Generation> {
        write!(self, "begin a generation of vectors", |work| vectors::begin(&work, &spec, at))
    }

    async fn queue_older(&self, generation: GenerationId, limit: usize) -> Result<bool> {
        write!(self, "queue texts to embed", |work| vectors::queue_older(&work, generation, limit))
    }

    async fn waiting(&self, generation: GenerationId, limit: usize) -> Result<Vec<Waiting>> {
        read!(self, "read texts to embed", |work| vectors::waiting(&work, generation, limit))
    }

    async fn put_vectors(&self, generation: GenerationId, vectors: Vec<NewVectors>) -> Result<usize> {
        write!(self, "store vectors", |work| vectors::put(&work, generation, &vectors))
    }

    async fn serve_generation(&self, generation: GenerationId) -> Result<()> {
        write!(self, "switch vector generations", |work| vectors::serve(&work, generation))
    }

    async fn remove_retired(&self, limit: usize) -> Result<bool> {
        write!(self, "remove old vectors", |work| vectors::remove_retired(&work, limit))
    }

    async fn count_waiting(&self, view: &View, generation: GenerationId) -> Result<u64> {
        read!(self, "count what waits for vectors", |work| vectors::count_waiting(&work, view, generation))
    }

    async fn coverage(&self, generation: GenerationId) -> Result<Coverage> {
        read!(self, "count vectors", |work| vectors::coverage(&work, generation))
    }
}

#[async_trait]
impl EmbeddingCache for PostgresStore {
    async fn cached(&self, key: &CacheKey, texts: Vec<TextHash>, at: Timestamp) -> Result<Vec<Option<Vec<u8>>>> {
        write!(self, "read the embedding cache", |work| cache::get_all(&work, key, &texts, at))
    }

    async fn cache(
        &self,
        key: &CacheKey,
        vectors: Vec<(TextHash, Vec<u8>)>,
        max_entries: Option<u64>,
        at: Timestamp,
    ) -> Result<()> {
        write!(self, "fill the embedding cache", |work| cache::put(&work, key, &vectors, max_entries, at))
    }

    async fn cache_entries(&self) -> Result<u64> {
        read!(self, "count the embedding cache", |work| cache::entries(&work))
    }

    async fn clear_cache(&self) -> Result<()> {
        write!(self, "empty the embedding cache", |work| cache::clear(&work))
    }
}

#[async_trait]
impl Documents for PostgresStore {
    async fn put_document(&self, document: Document, chunks: Vec<NewChunk>) -> Result<()> {
        write!(self, "store a document", |work| documents::put(&work, &document, &chunks))
    }

    async fn note_document(&self, document: Document) -> Result<()> {
        write!(self, "note a document", |work| documents::note(&work, &document))
    }

    async fn documents(&self, scope: &Scope, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<Document>> {
        read!(self, "list documents", |work| documents::list(&work, scope, prefix, after, limit))
    }

    async fn chunks(&self, view: &View, id: DocumentId) -> Result<Vec<Chunk>> {
        read!(self, "read chunks", |work| documents::chunks(&work, view, id))
    }

    async fn documents_at(&self, scope: &Scope, paths: Vec<String>) -> Result<Vec<Document>> {
        read!(self, "look up documents", |work| documents::at(&work, scope, &paths))
    }

    async fn document_counts(&self, view: &View) -> Result<Vec<DocumentCount>> {
        read!(self, "count documents", |work| sources::document_counts(&work, view))
    }

    async fn remove_documents(&self, scope: &Scope, paths: Vec<String>, gone_at: Option<Timestamp>) -> Result<usize> {
        write!(self, "remove documents", |work| documents::remove(&work, scope, &paths, gone_at))
    }
}

#[async_trait]
impl Names for PostgresStore {
    async fn gone_names(&self, scope: &Scope, names: Vec<Name>) -> Result<Vec<GoneName>> {
        read!(self, "look up names", |work| names::gone(&work, scope, &names))
    }
}

#[async_trait]
impl Rebuilds for PostgresStore {
    async fn stage_document(&self, build: &str, document: Document, chunks: Vec<NewChunk>) -> Result<()> {
        write!(self, "lay a document aside", |work| rebuilds::stage(&work, build, &document, &chunks))
    }

    async fn finish_rebuild(&self, build: &str, scope: &Scope, gone: Vec<String>, at: Timestamp) -> Result<usize> {
        write!(self, "finish a rebuild", |work| rebuilds::finish(&work, build, scope, &gone, at))
    }

    async fn drop_rebuilds(&self, before: Timestamp) -> Result<()> {
        write!(self, "drop an old rebuild", |work| rebuilds::drop_before(&work, before))
    }
}
