//! The index of an agent: where a snapshot and a writer come from.

use std::path::Path;
use std::sync::Arc;

use crate::error::Result;
use crate::manifest::{HEAD_BYTES, Identity, SegmentEntry};
use crate::place::{Folder, Memory, Place};
use crate::shared::Shared;
use crate::snapshot::Snapshot;
use crate::writer::Writer;

/// How often a snapshot is tried again because segments were replaced while it was taken.
const ATTEMPTS: usize = 100;

/// The index of an agent. Cloning gives another handle to the same one.
#[derive(Debug, Clone)]
pub struct Index(Arc<Shared>);

/// What an index says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// What it was made from.
    pub identity: Identity,
    /// Everything up to this position of the store's log is in it.
    pub through: u64,
    /// Its scopes.
    pub scopes: Vec<ScopeSummary>,
}

/// What an index says about one scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeSummary {
    /// The name of the scope.
    pub scope: String,
    /// How many live documents it has.
    pub documents: u64,
    /// How many deleted ones still take room.
    pub deleted: u64,
    /// How many segments it has.
    pub segments: usize,
    /// How many vectors it has of each generation, the ones of deleted documents included.
    pub vectors: Vec<(u64, u64)>,
}

impl Index {
    /// The index in a folder, which need not exist. Nothing is read yet.
    pub fn open(folder: &Path) -> Index {
        Index::at(Box::new(Folder::new(folder)))
    }

    /// An index that ends with the process.
    pub fn in_memory() -> Index {
        Index::at(Box::new(Memory::default()))
    }

    fn at(place: Box<dyn Place>) -> Index {
        Index(Arc::new(Shared::of(place)))
    }

    /// Sets what is taken off the vectors of a generation before their signs are taken. It belongs to the embedding
    /// model, counts for sections made from now on, and changes how sharp estimates are, never a score.
    pub fn set_centre(&self, generation: u64, centre: Vec<f32>) {
        self.0.set_centre(generation, centre);
    }

    /// What the index says about itself; none if there is no index yet.
    ///
    /// # Errors
    /// [`IndexError::Io`](crate::IndexError::Io), [`IndexError::Damaged`](crate::IndexError::Damaged), [`IndexError::Foreign`](crate::IndexError::Foreign).
    pub fn summary(&self) -> Result<Option<Summary>> {
        Ok(self.0.manifest()?.map(|manifest| Summary {
            identity: manifest.identity,
            through: manifest.through,
            scopes: manifest.shards.iter().map(|(scope, segments)| summary_of(scope, segments)).collect(),
        }))
    }

    /// The state of these scopes, in this order. A scope the index does not know has no documents. All scopes are of
    /// the same manifest, the one that was read last.
    ///
    /// # Errors
    /// [`IndexError::Io`](crate::IndexError::Io), [`IndexError::Damaged`](crate::IndexError::Damaged), [`IndexError::Foreign`](crate::IndexError::Foreign).
    pub fn snapshot(&self, scopes: &[&str]) -> Result<Snapshot> {
        let mut attempts = 0;
        loop {
            let manifest = self.0.manifest()?;
            match self.0.snapshot_of(manifest.as_deref(), scopes) {
                // Whoever replaced the manifest may have removed or reused what the old one names.
                Err(_) if attempts < ATTEMPTS && self.reload_if_changed()? => attempts += 1,
                result => return result,
            }
        }
    }

    /// The state of all scopes the index knows.
    ///
    /// # Errors
    /// As for [`Self::snapshot`].
    pub fn snapshot_of_all(&self) -> Result<Snapshot> {
        let manifest = self.0.manifest()?;
        let scopes: Vec<&str> =
            manifest.iter().flat_map(|manifest| manifest.shards.keys()).map(String::as_str).collect();
        self.snapshot(&scopes)
    }

    /// Reads the manifest again if it is another one than before, and tells whether it was. It costs one small read
    /// if it is not.
    ///
    /// # Errors
    /// [`IndexError::Io`](crate::IndexError::Io), [`IndexError::Damaged`](crate::IndexError::Damaged), [`IndexError::Foreign`](crate::IndexError::Foreign).
    pub fn reload_if_changed(&self) -> Result<bool> {
        let head = self.0.place.manifest_head(HEAD_BYTES)?;
        if self.0.is_loaded(head.as_deref()) {
            return Ok(false);
        }
        self.0.load()?;
        Ok(true)
    }

    /// The writer, unless another one exists in any process.
    ///
    /// # Errors
    /// [`IndexError::Io`](crate::IndexError::Io).
    pub fn try_writer(&self) -> Result<Option<Writer>> {
        match self.0.place.lock()? {
            Some(lock) => Writer::new(Arc::clone(&self.0), lock).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the manifest and every byte of every segment and compares them with their checksums.
    ///
    /// # Errors
    /// [`IndexError::Io`](crate::IndexError::Io), [`IndexError::Damaged`](crate::IndexError::Damaged), [`IndexError::Foreign`](crate::IndexError::Foreign).
    pub fn verify(&self) -> Result<()> {
        self.reload_if_changed()?;
        let mut attempts = 0;
        loop {
            let manifest = self.0.manifest()?;
            let verified = manifest.iter().flat_map(|manifest| manifest.segments()).try_for_each(|entry| {
                // What is open already is as good: it is the same file.
                self.0.open(entry).and_then(|segment| segment.verify())
            });
            match verified {
                Err(_) if attempts < ATTEMPTS && self.reload_if_changed()? => attempts += 1,
                result => return result,
            }
        }
    }

    /// The bytes the index takes.
    ///
    /// # Errors
    /// [`IndexError::Io`](crate::IndexError::Io).
    pub fn size_bytes(&self) -> Result<u64> {
        self.0.place.size_bytes()
    }
}

fn summary_of(scope: &str, segments: &[SegmentEntry]) -> ScopeSummary {
    let mut vectors: Vec<(u64, u64)> = Vec::new();
    for (generation, count) in segments.iter().flat_map(|segment| &segment.generations) {
        match vectors.iter_mut().find(|known| known.0 == *generation) {
            Some(known) => known.1 += u64::from(*count),
            None => vectors.push((*generation, u64::from(*count))),
        }
    }
    ScopeSummary {
        scope: scope.to_owned(),
        documents: segments.iter().map(|segment| u64::from(segment.live_documents())).sum(),
        deleted: segments.iter().map(|segment| u64::from(segment.deleted.documents().len())).sum(),
        segments: segments.len(),
        vectors,
    }
}
