//! The traits about derived data: each method runs under one lock.

use async_trait::async_trait;
use scrubjay_core::id::{DocumentId, MemoryId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::store::MemoryStore;
use super::tables::StagedDocument;
use super::{cache, documents, index_log, names, sources, vectors};
use crate::Result;
use crate::item::{
    CacheKey, Chunk, Coverage, Document, Generation, GenerationId, IndexRow, Item, ItemKey, NewChunk, NewGeneration,
    NewVectors, Tail, Waiting,
};
use crate::names::{GoneName, Name, Names};
use crate::source::{DocumentCount, SourceKind, SourcePlace, SyncRun, TranscriptPlace};
use crate::traits::{Documents, EmbeddingCache, Indexing, Rebuilds, Sources, Vectors};

#[async_trait]
impl Indexing for MemoryStore {
    async fn tail(&self, view: Option<&View>, after: u64, limit: usize) -> Result<Tail> {
        Ok(self.read(|tables| index_log::tail(tables, view, after, limit)))
    }

    async fn all_items(&self, after: Option<ItemKey>, limit: usize) -> Result<Vec<IndexRow>> {
        Ok(self.read(|tables| index_log::all_items(tables, after, limit)))
    }

    async fn items(&self, view: &View, keys: Vec<ItemKey>) -> Result<Vec<(ItemKey, Item)>> {
        Ok(self.read(|tables| index_log::items(tables, view, &keys)))
    }

    async fn keys_of(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<(MemoryId, ItemKey)>> {
        Ok(self.read(|tables| index_log::keys_of(tables, view, &ids)))
    }

    async fn trim_log(&self, through: u64) -> Result<()> {
        self.write(|tables| {
            index_log::trim(tables, through);
            Ok(())
        })
    }
}

#[async_trait]
impl Vectors for MemoryStore {
    async fn generations(&self) -> Result<Vec<Generation>> {
        Ok(self.read(vectors::generations))
    }

    async fn begin_generation(&self, spec: NewGeneration, at: Timestamp) -> Result<Generation> {
        self.write(|tables| Ok(vectors::begin(tables, &spec, at)))
    }

    async fn queue_older(&self, generation: GenerationId, limit: usize) -> Result<bool> {
        self.write(|tables| vectors::queue_older(tables, generation, limit))
    }

    async fn waiting(&self, generation: GenerationId, limit: usize) -> Result<Vec<Waiting>> {
        Ok(self.read(|tables| vectors::waiting(tables, generation, limit)))
    }

    async fn put_vectors(&self, generation: GenerationId, vectors: Vec<NewVectors>) -> Result<usize> {
        self.write(|tables| vectors::put(tables, generation, &vectors))
    }

    async fn serve_generation(&self, generation: GenerationId) -> Result<()> {
        self.write(|tables| vectors::serve(tables, generation))
    }

    async fn remove_retired(&self, limit: usize) -> Result<bool> {
        self.write(|tables| Ok(vectors::remove_retired(tables, limit)))
    }

    async fn count_waiting(&self, view: &View, generation: GenerationId) -> Result<u64> {
        Ok(self.read(|tables| vectors::count_waiting(tables, view, generation)))
    }

    async fn coverage(&self, generation: GenerationId) -> Result<Coverage> {
        Ok(self.read(|tables| vectors::coverage(tables, generation)))
    }
}

#[async_trait]
impl EmbeddingCache for MemoryStore {
    async fn cached(&self, key: &CacheKey, texts: Vec<TextHash>, at: Timestamp) -> Result<Vec<Option<Vec<u8>>>> {
        self.write(|tables| Ok(cache::get(tables, key, &texts, at)))
    }

    async fn cache(
        &self,
        key: &CacheKey,
        vectors: Vec<(TextHash, Vec<u8>)>,
        max_entries: Option<u64>,
        at: Timestamp,
    ) -> Result<()> {
        self.write(|tables| {
            cache::put(tables, key, &vectors, max_entries, at);
            Ok(())
        })
    }

    async fn cache_entries(&self) -> Result<u64> {
        Ok(self.read(cache::entries))
    }

    async fn clear_cache(&self) -> Result<()> {
        self.write(|tables| {
            cache::clear(tables);
            Ok(())
        })
    }
}

#[async_trait]
impl Documents for MemoryStore {
    async fn put_document(&self, document: Document, chunks: Vec<NewChunk>) -> Result<()> {
        self.write(|tables| documents::put(tables, &document, &chunks))
    }

    async fn note_document(&self, document: Document) -> Result<()> {
        self.write(|tables| documents::note(tables, &document))
    }

    async fn documents(&self, scope: &Scope, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<Document>> {
        Ok(self.read(|tables| documents::list(tables, scope, prefix, after, limit)))
    }

    async fn chunks(&self, view: &View, id: DocumentId) -> Result<Vec<Chunk>> {
        Ok(self.read(|tables| documents::chunks(tables, view, id)))
    }

    async fn documents_at(&self, scope: &Scope, paths: Vec<String>) -> Result<Vec<Document>> {
        Ok(self.read(|tables| documents::at(tables, scope, &paths)))
    }

    async fn document_counts(&self, view: &View) -> Result<Vec<DocumentCount>> {
        Ok(self.read(|tables| sources::document_counts(tables, view)))
    }

    async fn remove_documents(&self, scope: &Scope, paths: Vec<String>, gone_at: Option<Timestamp>) -> Result<usize> {
        self.write(|tables| Ok(documents::remove(tables, scope, &paths, gone_at)))
    }
}

#[async_trait]
impl Names for MemoryStore {
    async fn gone_names(&self, scope: &Scope, names: Vec<Name>) -> Result<Vec<GoneName>> {
        Ok(self.read(|tables| names::gone(tables, scope, &names)))
    }
}

#[async_trait]
impl Rebuilds for MemoryStore {
    async fn stage_document(&self, build: &str, document: Document, chunks: Vec<NewChunk>) -> Result<()> {
        self.write(|tables| {
            let number = tables.next_number("rebuilds");
            tables.rebuilds.put(number, StagedDocument { build: build.to_owned(), document, chunks });
            Ok(())
        })
    }

    async fn finish_rebuild(&self, build: &str, scope: &Scope, gone: Vec<String>, at: Timestamp) -> Result<usize> {
        self.write(|tables| {
            let staged = tables.rebuilds.iter().filter(|(_, staged)| staged.build == build);
            for number in staged.map(|(number, _)| *number).collect::<Vec<_>>() {
                if let Some(staged) = tables.rebuilds.take(&number) {
                    documents::put(tables, &staged.document, &staged.chunks)?;
                }
            }
            Ok(documents::remove(tables, scope, &gone, Some(at)))
        })
    }

    async fn drop_rebuilds(&self, before: Timestamp) -> Result<()> {
        self.write(|tables| {
            let old = tables.rebuilds.iter().filter(|(_, staged)| staged.document.indexed_at < before);
            for number in old.map(|(number, _)| *number).collect::<Vec<_>>() {
                tables.rebuilds.take(&number);
            }
            Ok(())
        })
    }
}

#[async_trait]
impl Sources for MemoryStore {
    async fn sources(&self, view: &View) -> Result<Vec<SourcePlace>> {
        Ok(self.read(|tables| sources::list(tables, view)))
    }

    async fn all_sources(&self) -> Result<Vec<SourcePlace>> {
        Ok(self.read(sources::all))
    }

    async fn put_source(&self, place: SourcePlace) -> Result<()> {
        self.write(|tables| {
            sources::put(tables, &place);
            Ok(())
        })
    }

    async fn remove_source(&self, scope: &Scope, kind: SourceKind, path: &str) -> Result<bool> {
        self.write(|tables| Ok(sources::remove(tables, scope, kind, path)))
    }

    async fn transcript(&self, path: &str) -> Result<Option<TranscriptPlace>> {
        Ok(self.read(|tables| sources::transcript(tables, path)))
    }

    async fn transcripts_of_file(&self, device: u64, inode: u64) -> Result<Vec<TranscriptPlace>> {
        Ok(self.read(|tables| sources::transcripts_of_file(tables, device, inode)))
    }

    async fn put_transcript(&self, place: TranscriptPlace) -> Result<()> {
        self.write(|tables| {
            sources::put_transcript(tables, &place);
            Ok(())
        })
    }

    async fn note_sync(&self, scope: &Scope, run: SyncRun) -> Result<()> {
        self.write(|tables| {
            sources::note_sync(tables, scope, &run);
            Ok(())
        })
    }

    async fn syncs(&self, scope: &Scope) -> Result<Vec<SyncRun>> {
        Ok(self.read(|tables| sources::syncs(tables, scope)))
    }
}
