//! What the handles and the writer of one process share: the manifest that was read last and the segments that are open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::centres::Centres;
use crate::error::{IndexError, Result};
use crate::manifest::{HEAD_BYTES, Manifest, SegmentEntry};
use crate::place::Place;
use crate::segment::Segment;
use crate::snapshot::{Leaf, ShardView, Snapshot};

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

impl Shared {
    /// What is kept of an index in this place. Nothing is read yet.
    pub(crate) fn of(place: Box<dyn Place>) -> Self {
        Self { place, state: Mutex::default() }
    }

    /// Whether the manifest that was read last begins like this; nothing stands for no manifest.
    pub(crate) fn is_loaded(&self, head: Option<&[u8]>) -> bool {
        self.state().loaded.as_ref().is_some_and(|loaded| loaded.head.as_deref() == head)
    }

    pub(crate) fn set_centre(&self, generation: u64, centre: Vec<f32>) {
        Arc::make_mut(&mut self.state().centres).set(generation, centre);
    }

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

    /// The state of these scopes in a manifest.
    pub(crate) fn snapshot_of(&self, manifest: Option<&Manifest>, scopes: &[&str]) -> Result<Snapshot> {
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
