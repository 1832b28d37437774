//! The index of an agent: where a snapshot and a writer come from.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::centres::Centres;
use crate::error::{IndexError, Result};
use crate::manifest::{HEAD_BYTES, Identity, Manifest, SegmentEntry};
use crate::place::{Folder, Memory, Place};
use crate::segment::Segment;
use crate::snapshot::{Leaf, ShardView, Snapshot};
use crate::writer::Writer;

/// How often a snapshot is tried again because segments were replaced while it was taken.
const ATTEMPTS: usize = 100;

/// The index of an agent. Cloning gives another handle to the same one.
#[derive(Debug, Clone)]
pub struct Index(Arc<Shared>);

/// What the handles and the writer of this process share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) place: Box<dyn Place>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    loaded: Option<Loaded>,
    /// Opened segments by number and checksum, as long as somebody uses them.
    segments: HashMap<(u64, u64), Weak<Segment>>,
    centres: Arc<Centres>,
}

/// A manifest that was read, or that there is none.
#[derive(Debug, Clone)]
struct Loaded {
    head: Option<Vec<u8>>,
    manifest: Option<Arc<Manifest>>,
}

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
        Index(Arc::new(Shared { place, state: Mutex::default() }))
    }

    /// Sets what is taken off the vectors of a generation before their signs are taken. It belongs to the embedding
    /// model, counts for sections made from now on, and changes how sharp estimates are, never a score.
    pub fn set_centre(&self, generation: u64, centre: Vec<f32>) {
        Arc::make_mut(&mut self.0.state().centres).set(generation, centre);
    }

    /// What the index says about itself; none if there is no index yet.
    ///
    /// # Errors
    /// [`IndexError::Io`], [`IndexError::Damaged`], [`IndexError::Foreign`].
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
    /// [`IndexError::Io`], [`IndexError::Damaged`], [`IndexError::Foreign`].
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
    /// [`IndexError::Io`], [`IndexError::Damaged`], [`IndexError::Foreign`].
    pub fn reload_if_changed(&self) -> Result<bool> {
        let head = self.0.place.manifest_head(HEAD_BYTES)?;
        if self.0.state().loaded.as_ref().is_some_and(|loaded| loaded.head == head) {
            return Ok(false);
        }
        self.0.load()?;
        Ok(true)
    }

    /// The writer, unless another one exists in any process.
    ///
    /// # Errors
    /// [`IndexError::Io`].
    pub fn try_writer(&self) -> Result<Option<Writer>> {
        match self.0.place.lock()? {
            Some(lock) => Writer::new(Arc::clone(&self.0), lock).map(Some),
            None => Ok(None),
        }
    }

    /// Reads the manifest and every byte of every segment and compares them with their checksums.
    ///
    /// # Errors
    /// [`IndexError::Io`], [`IndexError::Damaged`], [`IndexError::Foreign`].
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
    /// [`IndexError::Io`].
    pub fn size_bytes(&self) -> Result<u64> {
        self.0.place.size_bytes()
    }
}

impl Shared {
    /// A panic cannot leave the state half changed: everything in it is replaced as a whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn centres(&self) -> Arc<Centres> {
        Arc::clone(&self.state().centres)
    }

    /// The manifest that was read last, or the one of now if none was.
    pub(crate) fn manifest(&self) -> Result<Option<Arc<Manifest>>> {
        let loaded = self.state().loaded.clone();
        match loaded {
            Some(loaded) => Ok(loaded.manifest),
            None => self.load(),
        }
    }

    /// Reads the manifest.
    pub(crate) fn load(&self) -> Result<Option<Arc<Manifest>>> {
        let bytes = self.place.manifest()?;
        let mut manifest = bytes.as_deref().map(Manifest::decode).transpose()?;
        let mut state = self.state();
        if let (Some(manifest), Some(Loaded { manifest: Some(earlier), .. })) = (&mut manifest, &state.loaded) {
            manifest.remember(earlier);
        }
        let manifest = manifest.map(Arc::new);
        let head = bytes.map(|bytes| bytes[..HEAD_BYTES.min(bytes.len())].to_vec());
        state.loaded = Some(Loaded { head, manifest: manifest.clone() });
        Ok(manifest)
    }

    /// Puts a manifest in place and goes on with it.
    pub(crate) fn replace_manifest(&self, manifest: Option<Manifest>) -> Result<()> {
        let bytes = manifest.as_ref().map(Manifest::encode);
        match &bytes {
            Some(bytes) => self.place.replace_manifest(bytes)?,
            None => self.place.remove_manifest()?,
        }
        let head = bytes.map(|bytes| bytes[..HEAD_BYTES.min(bytes.len())].to_vec());
        self.state().loaded = Some(Loaded { head, manifest: manifest.map(Arc::new) });
        Ok(())
    }

    /// Opens a segment of a manifest, unless it is open.
    pub(crate) fn open(&self, entry: &SegmentEntry) -> Result<Arc<Segment>> {
        let identity = (entry.file, entry.checksum);
        let opened = self.state().segments.get(&identity).and_then(Weak::upgrade);
        if let Some(segment) = opened {
            // Asked before every search, because a search that reads past the end of a file ends the process.
            if segment.is_whole() {
                return Ok(segment);
            }
            return Err(IndexError::Damaged(format!("segment {:x} was cut short", entry.file)));
        }
        let segment = self.place.segment(entry.file)?;
        let same = segment.checksum() == entry.checksum
            && segment.size_bytes() as u64 == entry.length_bytes
            && segment.documents() == entry.documents as usize;
        if !same {
            return Err(IndexError::Damaged(format!("segment {:x} is not the one that was written", entry.file)));
        }
        let mut state = self.state();
        // What nobody uses any more is forgotten from time to time.
        if state.segments.len().is_power_of_two() {
            state.segments.retain(|_, segment| segment.strong_count() > 0);
        }
        state.segments.insert(identity, Arc::downgrade(&segment));
        Ok(segment)
    }

    fn snapshot_of(&self, manifest: Option<&Manifest>, scopes: &[&str]) -> Result<Snapshot> {
        let mut shards = Vec::with_capacity(scopes.len());
        for scope in scopes {
            let entries = manifest.and_then(|manifest| manifest.shards.get(*scope));
            let mut leaves = Vec::new();
            for entry in entries.into_iter().flatten() {
                let (segment, stored) = (self.open(entry)?, Arc::clone(&entry.deleted));
                leaves.push(Leaf { segment, stored, hidden: None, in_tail: false });
            }
            shards.push(Arc::new(ShardView { scope: (*scope).to_owned(), leaves }));
        }
        Ok(Snapshot {
            shards,
            through: manifest.map_or(0, |manifest| manifest.through),
            lineage: manifest.map(|manifest| manifest.identity.lineage),
            centres: self.centres(),
        })
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
