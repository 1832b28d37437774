//! The traits about derived data, as the rest of the backend does it: each
//! method hands its work to the writer or to a reader.

use async_trait::async_trait;
use scrubjay_core::id::{DocumentId, MemoryId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::store::SqliteStore;
use super::{cache, documents, index_log, names, rebuilds, sources, vectors};
use crate::Result;
use crate::item::{
    CacheKey, Chunk, Coverage, Document, Generation, GenerationId, IndexRow, Item, ItemKey, NewChunk, NewGeneration,
    NewVectors, Tail, Waiting,
};
use crate::names::{GoneName, Name, Names};
use crate::source::{DocumentCount, SourceKind, SourcePlace, SyncRun, TranscriptPlace};
use crate::traits::{Documents, EmbeddingCache, Indexing, Rebuilds, Sources, Vectors};

#[async_trait]
impl Indexing for SqliteStore {
    async fn tail(&self, view: Option<&View>, after: u64, limit: usize) -> Result<Tail> {
        let view = view.cloned();
        self.readers
            .read("read what changed", move |connection| index_log::tail(connection, view.as_ref(), after, limit))
            .await
    }

    async fn all_items(&self, after: Option<ItemKey>, limit: usize) -> Result<Vec<IndexRow>> {
        self.readers.read("read all items", move |connection| index_log::all_items(connection, after, limit)).await
    }

    async fn items(&self, view: &View, keys: Vec<ItemKey>) -> Result<Vec<(ItemKey, Item)>> {
        let view = view.clone();
        self.readers.read("read items", move |connection| index_log::items(connection, &view, &keys)).await
    }

    async fn keys_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<(MemoryId, ItemKey)>> {
        let view = view.clone();
        self.readers.read("look up memories", move |connection| index_log::keys_of(connection, &view, &ids)).await
    }

    async fn trim_log(&self, through: u64) -> Result<()> {
        self.writer
            .write("shorten the index log", &self.options, move |connection| index_log::trim(connection, through))
            .await
    }
}

#[async_trait]
impl Vectors for SqliteStore {
    async fn generations(&self) -> Result<Vec<Generation>> {
        self.readers.read("read vector generations", vectors::generations).await
    }

    async fn begin_generation(&self, spec: NewGeneration, at: Timestamp) -> Result<Generation> {
        self.writer
            .write("begin a generation of vectors", &self.options, move |connection| {
                vectors::begin(connection, &spec, at)
            })
            .await
    }

    async fn queue_older(&self, generation: GenerationId, limit: usize) -> Result<bool> {
        self.writer
            .write("queue texts to embed", &self.options, move |connection| {
                vectors::queue_older(connection, generation, limit)
            })
            .await
    }

    async fn waiting(&self, generation: GenerationId, limit: usize) -> Result<Vec<Waiting>> {
        self.readers
            .read("read texts to embed", move |connection| vectors::waiting(connection, generation, limit))
            .await
    }

    async fn put_vectors(&self, generation: GenerationId, vectors: Vec<NewVectors>) -> Result<usize> {
        self.writer
            .write("store vectors", &self.options, move |connection| vectors::put(connection, generation, &vectors))
            .await
    }

    async fn serve_generation(&self, generation: GenerationId) -> Result<()> {
        self.writer
            .write("switch vector generations", &self.options, move |connection| vectors::serve(connection, generation))
            .await
    }

    async fn remove_retired(&self, limit: usize) -> Result<bool> {
        self.writer
            .write("remove old vectors", &self.options, move |connection| vectors::remove_retired(connection, limit))
            .await
    }

    async fn count_waiting(&self, view: &View, generation: GenerationId) -> Result<u64> {
        let view = view.clone();
        let count = move |connection: &_| vectors::count_waiting(connection, &view, generation);
        self.readers.read("count what waits for vectors", count).await
    }

    async fn coverage(&self, generation: GenerationId) -> Result<Coverage> {
        self.readers.read("count vectors", move |connection| vectors::coverage(connection, generation)).await
    }
}

#[async_trait]
impl EmbeddingCache for SqliteStore {
    async fn cached(&self, key: &CacheKey, texts: Vec<TextHash>, at: Timestamp) -> Result<Vec<Option<Vec<u8>>>> {
        let key = key.clone();
        self.writer
            .write("read the embedding cache", &self.options, move |connection| {
                cache::get(connection, &key, &texts, at)
            })
            .await
    }

    async fn cache(
        &self,
        key: &CacheKey,
        vectors: Vec<(TextHash, Vec<u8>)>,
        max_entries: Option<u64>,
        at: Timestamp,
    ) -> Result<()> {
        let key = key.clone();
        self.writer
            .write("fill the embedding cache", &self.options, move |connection| {
                cache::put(connection, &key, &vectors, max_entries, at)
            })
            .await
    }

    async fn cache_entries(&self) -> Result<u64> {
        self.readers.read("count the embedding cache", cache::entries).await
    }

    async fn clear_cache(&self) -> Result<()> {
        self.writer.write("empty the embedding cache", &self.options, cache::clear).await
    }
}

#[async_trait]
impl Documents for SqliteStore {
    async fn put_document(&self, document: Document, chunks: Vec<NewChunk>) -> Result<()> {
        self.writer
            .write("store a document", &self.options, move |connection| documents::put(connection, &document, &chunks))
            .await
    }

    async fn note_document(&self, document: Document) -> Result<()> {
        self.writer
            .write("note a document", &self.options, move |connection| documents::note(connection, &document))
            .await
    }

    async fn documents(&self, scope: &Scope, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<Document>> {
        let (scope, prefix, after) = (scope.clone(), prefix.to_owned(), after.map(str::to_owned));
        self.readers
            .read("list documents", move |connection| {
                documents::list(connection, &scope, &prefix, after.as_deref(), limit)
            })
            .await
    }

    async fn chunks(&self, view: &View, id: DocumentId) -> Result<Vec<Chunk>> {
        let view = view.clone();
        self.readers.read("read chunks", move |connection| documents::chunks(connection, &view, id)).await
    }

    async fn documents_at(&self, scope: &Scope, paths: Vec<String>) -> Result<Vec<Document>> {
        let scope = scope.clone();
        self.readers.read("look up documents", move |connection| documents::at(connection, &scope, &paths)).await
    }

    async fn document_counts(&self, view: &View) -> Result<Vec<DocumentCount>> {
        let view = view.clone();
        self.readers.read("count documents", move |connection| sources::document_counts(connection, &view)).await
    }

    async fn remove_documents(&self, scope: &Scope, paths: Vec<String>, gone_at: Option<Timestamp>) -> Result<usize> {
        let scope = scope.clone();
        let remove = move |connection: &_| documents::remove(connection, &scope, &paths, gone_at);
        self.writer.write("remove documents", &self.options, remove).await
    }
}

#[async_trait]
impl Names for SqliteStore {
    async fn gone_names(&self, scope: &Scope, names: Vec<Name>) -> Result<Vec<GoneName>> {
        let scope = scope.clone();
        self.readers.read("look up names", move |connection| names::gone(connection, &scope, &names)).await
    }
}

#[async_trait]
impl Rebuilds for SqliteStore {
    async fn stage_document(&self, build: &str, document: Document, chunks: Vec<NewChunk>) -> Result<()> {
        let build = build.to_owned();
        let stage = move |connection: &_| rebuilds::stage(connection, &build, &document, &chunks);
        self.writer.write("lay a document aside", &self.options, stage).await
    }

    async fn finish_rebuild(&self, build: &str, scope: &Scope, gone: Vec<String>, at: Timestamp) -> Result<usize> {
        let (build, scope) = (build.to_owned(), scope.clone());
        let finish = move |connection: &_| rebuilds::finish(connection, &build, &scope, &gone, at);
        self.writer.write("finish a rebuild", &self.options, finish).await
    }

    async fn drop_rebuilds(&self, before: Timestamp) -> Result<()> {
        let drop = move |connection: &_| rebuilds::drop_before(connection, before);
        self.writer.write("drop an old rebuild", &self.options, drop).await
    }
}

#[async_trait]
impl Sources for SqliteStore {
    async fn sources(&self, view: &View) -> Result<Vec<SourcePlace>> {
        let view = view.clone();
        self.readers.read("list sources", move |connection| sources::list(connection, &view)).await
    }

    async fn all_sources(&self) -> Result<Vec<SourcePlace>> {
        self.readers.read("list all sources", sources::all).await
    }

    async fn put_source(&self, place: SourcePlace) -> Result<()> {
        self.writer.write("store a source", &self.options, move |connection| sources::put(connection, &place)).await
    }

    async fn remove_source(&self, scope: &Scope, kind: SourceKind, path: &str) -> Result<bool> {
        let (scope, path) = (scope.clone(), path.to_owned());
        self.writer
            .write("forget a source", &self.options, move |connection| sources::remove(connection, &scope, kind, &path))
            .await
    }

    async fn transcript(&self, path: &str) -> Result<Option<TranscriptPlace>> {
        let path = path.to_owned();
        self.readers.read("look up a transcript", move |connection| sources::transcript(connection, &path)).await
    }

    async fn transcripts_of_file(&self, device: u64, inode: u64) -> Result<Vec<TranscriptPlace>> {
        self.readers
            .read("look up a transcript", move |connection| sources::transcripts_of_file(connection, device, inode))
            .await
    }

    async fn put_transcript(&self, place: TranscriptPlace) -> Result<()> {
        self.writer
            .write("note a transcript", &self.options, move |connection| sources::put_transcript(connection, &place))
            .await
    }

    async fn note_sync(&self, scope: &Scope, run: SyncRun) -> Result<()> {
        let scope = scope.clone();
        self.writer
            .write("note a sync", &self.options, move |connection| sources::note_sync(connection, &scope, &run))
            .await
    }

    async fn syncs(&self, scope: &Scope) -> Result<Vec<SyncRun>> {
        let scope = scope.clone();
        self.readers.read("list syncs", move |connection| sources::syncs(connection, &scope)).await
    }
}
