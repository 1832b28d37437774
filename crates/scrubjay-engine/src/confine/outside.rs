//! What is read from outside: documents, and the places they lie in.

use async_trait::async_trait;
use scrubjay_core::id::DocumentId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use scrubjay_store::Result;
use scrubjay_store::item::{Chunk, Document, NewChunk};
use scrubjay_store::names::{GoneName, Name, Names};
use scrubjay_store::source::{DocumentCount, SourceKind, SourcePlace, SyncRun, TranscriptPlace};
use scrubjay_store::traits::{Documents, Rebuilds, Sources};

use super::store::ConfinedStore;

#[async_trait]
impl Documents for ConfinedStore {
    async fn put_document(&self, document: Document, chunks: Vec<NewChunk>) -> Result<()> {
        self.write_in(&document.scope)?;
        self.inner.put_document(document, chunks).await
    }

    async fn note_document(&self, document: Document) -> Result<()> {
        self.write_in(&document.scope)?;
        self.inner.note_document(document).await
    }

    async fn documents(&self, scope: &Scope, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<Document>> {
        self.look_in(scope)?;
        self.inner.documents(scope, prefix, after, limit).await
    }

    async fn chunks(&self, view: &View, id: DocumentId) -> Result<Vec<Chunk>> {
        self.look(view)?;
        self.inner.chunks(view, id).await
    }

    async fn documents_at(&self, scope: &Scope, paths: Vec<String>) -> Result<Vec<Document>> {
        self.look_in(scope)?;
        self.inner.documents_at(scope, paths).await
    }

    async fn document_counts(&self, view: &View) -> Result<Vec<DocumentCount>> {
        self.look(view)?;
        self.inner.document_counts(view).await
    }

    async fn remove_documents(&self, scope: &Scope, paths: Vec<String>, gone_at: Option<Timestamp>) -> Result<usize> {
        self.write_in(scope)?;
        self.inner.remove_documents(scope, paths, gone_at).await
    }
}

#[async_trait]
impl Names for ConfinedStore {
    async fn gone_names(&self, scope: &Scope, names: Vec<Name>) -> Result<Vec<GoneName>> {
        self.look_in(scope)?;
        self.inner.gone_names(scope, names).await
    }
}

#[async_trait]
impl Rebuilds for ConfinedStore {
    async fn stage_document(&self, build: &str, document: Document, chunks: Vec<NewChunk>) -> Result<()> {
        self.write_in(&document.scope)?;
        self.inner.stage_document(build, document, chunks).await
    }

    async fn finish_rebuild(&self, build: &str, scope: &Scope, gone: Vec<String>, at: Timestamp) -> Result<usize> {
        self.write_in(scope)?;
        self.inner.finish_rebuild(build, scope, gone, at).await
    }

    async fn drop_rebuilds(&self, before: Timestamp) -> Result<()> {
        self.inner.drop_rebuilds(before).await
    }
}

#[async_trait]
impl Sources for ConfinedStore {
    async fn sources(&self, view: &View) -> Result<Vec<SourcePlace>> {
        self.look(view)?;
        self.inner.sources(view).await
    }

    // Whoever brings a place in step has to know which others lie inside of it.
    async fn all_sources(&self) -> Result<Vec<SourcePlace>> {
        self.inner.all_sources().await
    }

    async fn put_source(&self, place: SourcePlace) -> Result<()> {
        self.write_in(&place.scope)?;
        self.inner.put_source(place).await
    }

    async fn remove_source(&self, scope: &Scope, kind: SourceKind, path: &str) -> Result<bool> {
        self.write_in(scope)?;
        self.inner.remove_source(scope, kind, path).await
    }

    async fn transcript(&self, path: &str) -> Result<Option<TranscriptPlace>> {
        self.inner.transcript(path).await
    }

    async fn transcripts_of_file(&self, device: u64, inode: u64) -> Result<Vec<TranscriptPlace>> {
        self.inner.transcripts_of_file(device, inode).await
    }

    async fn put_transcript(&self, place: TranscriptPlace) -> Result<()> {
        self.inner.put_transcript(place).await
    }

    async fn note_sync(&self, scope: &Scope, run: SyncRun) -> Result<()> {
        self.write_in(scope)?;
        self.inner.note_sync(scope, run).await
    }

    async fn syncs(&self, scope: &Scope) -> Result<Vec<SyncRun>> {
        self.look_in(scope)?;
        self.inner.syncs(scope).await
    }
}
