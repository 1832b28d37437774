//! The manifest: what the whole index consists of at one moment.
//!
//! ```text
//! magic 8 | format 8 | version 8 | length of the body 8 | checksum of all before and the body 8 | body
//! ```
//! The head alone tells whether a manifest is another one than before: version and checksum change with every one.

use std::collections::BTreeMap;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use crate::bitmap::Bitmap;
use crate::error::{IndexError, Result};
use crate::item::MAX_SEGMENT_DOCUMENTS;
use crate::numbers::Reader;
use crate::tombstones::Tombstones;

const MAGIC: &[u8; 8] = b"SJIDX\r\n\x1a";
/// Raised with every change of the format; a manifest of another format is not read.
const FORMAT: u64 = 1;
/// How many bytes at the start identify a manifest.
pub(crate) const HEAD_BYTES: usize = 40;

/// What an index was made from. An index of another identity is of no use and is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The identity of the store.
    pub lineage: u64,
    /// The version of the text analyser that made the terms.
    pub analyser: u32,
}

/// What the whole index consists of.
#[derive(Debug, Clone)]
pub(crate) struct Manifest {
    /// Higher than that of the manifest before.
    pub(crate) version: u64,
    pub(crate) identity: Identity,
    /// Everything up to this position of the store's log is in the segments.
    pub(crate) through: u64,
    /// The number of the next segment.
    pub(crate) next_file: u64,
    /// The segments of each scope.
    pub(crate) shards: BTreeMap<String, Vec<SegmentEntry>>,
}

/// A segment as the manifest knows it.
#[derive(Debug, Clone)]
pub(crate) struct SegmentEntry {
    pub(crate) file: u64,
    /// The checksum of the segment's footer, which covers the checksums of all its pages.
    pub(crate) checksum: u64,
    pub(crate) length_bytes: u64,
    /// How many documents it has, deleted ones included.
    pub(crate) documents: u32,
    /// How many vectors it has of each generation.
    pub(crate) generations: Vec<(u64, u32)>,
    pub(crate) deleted: Arc<Tombstones>,
}

impl SegmentEntry {
    pub(crate) fn live_documents(&self) -> u32 {
        self.documents.saturating_sub(self.deleted.documents().len())
    }
}

impl Manifest {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend_from_slice(&self.identity.lineage.to_le_bytes());
        body.extend_from_slice(&self.identity.analyser.to_le_bytes());
        body.extend_from_slice(&self.through.to_le_bytes());
        body.extend_from_slice(&self.next_file.to_le_bytes());
        body.extend_from_slice(&(self.shards.len() as u32).to_le_bytes());
        for (scope, segments) in &self.shards {
            body.extend_from_slice(&(scope.len() as u32).to_le_bytes());
            body.extend_from_slice(scope.as_bytes());
            body.extend_from_slice(&(segments.len() as u32).to_le_bytes());
            segments.iter().for_each(|segment| segment.encode(&mut body));
        }
        let mut bytes = Vec::with_capacity(HEAD_BYTES + body.len());
        bytes.extend_from_slice(MAGIC);
        for number in [FORMAT, self.version, body.len() as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let checksum = checksum(&bytes, &body);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Manifest> {
        let damaged = |what: &str| IndexError::Damaged(format!("the manifest {what}"));
        let mut head = Reader::new(bytes, "the manifest");
        let magic = head.take(8)?;
        let (format, version, length, expected) = (head.u64()?, head.u64()?, head.u64()?, head.u64()?);
        let body = bytes.get(HEAD_BYTES..).unwrap_or_default();
        if magic != MAGIC || length != body.len() as u64 || checksum(&bytes[..HEAD_BYTES - 8], body) != expected {
            return Err(damaged("does not match its checksum"));
        }
        if format != FORMAT {
            return Err(IndexError::Foreign(format!("the manifest has format {format} instead of {FORMAT}")));
        }
        let mut reader = Reader::new(body, "the manifest");
        let identity = Identity { lineage: reader.u64()?, analyser: reader.u32()? };
        let (through, next_file, count) = (reader.u64()?, reader.u64()?, reader.u32()?);
        let mut shards = BTreeMap::new();
        for _ in 0..count {
            let length = reader.u32()? as usize;
            let scope = std::str::from_utf8(reader.take(length)?).map_err(|_| damaged("names a scope oddly"))?;
            let segments = reader.u32()?;
            let segments = (0..segments).map(|_| SegmentEntry::decode(&mut reader)).collect::<Result<_>>()?;
            shards.insert(scope.to_owned(), segments);
        }
        if !reader.is_empty() {
            return Err(damaged("has something after its end"));
        }
        Ok(Manifest { version, identity, through, next_file, shards })
    }

    /// All segments of all scopes.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &SegmentEntry> {
        self.shards.values().flatten()
    }

    /// Takes over what is remembered about deleted documents, where they are the same as in an earlier manifest.
    pub(crate) fn remember(&mut self, earlier: &Manifest) {
        for (scope, segments) in &mut self.shards {
            let known = earlier.shards.get(scope).map_or(&[][..], |known| &known[..]);
            for segment in segments {
                let same = known.iter().find(|known| (known.file, known.checksum) == (segment.file, segment.checksum));
                if let Some(same) = same.filter(|same| same.deleted.documents() == segment.deleted.documents()) {
                    segment.deleted = Arc::clone(&same.deleted);
                }
            }
        }
    }
}

impl SegmentEntry {
    fn encode(&self, out: &mut Vec<u8>) {
        for number in [self.file, self.checksum, self.length_bytes, self.deleted.length()] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.documents.to_le_bytes());
        out.extend_from_slice(&(self.generations.len() as u32).to_le_bytes());
        for (generation, count) in &self.generations {
            out.extend_from_slice(&generation.to_le_bytes());
            out.extend_from_slice(&count.to_le_bytes());
        }
        self.deleted.documents().encode(out);
    }

    fn decode(reader: &mut Reader<'_>) -> Result<SegmentEntry> {
        let (file, checksum, length_bytes, deleted_length) =
            (reader.u64()?, reader.u64()?, reader.u64()?, reader.u64()?);
        let (documents, count) = (reader.u32()?, reader.u32()?);
        if documents as usize > MAX_SEGMENT_DOCUMENTS {
            return Err(IndexError::Damaged("the manifest names a segment that is too large".to_owned()));
        }
        let generations = (0..count).map(|_| Ok((reader.u64()?, reader.u32()?))).collect::<Result<_>>()?;
        let deleted = Bitmap::decode(reader, documents)?;
        let deleted = Arc::new(Tombstones::new(deleted, deleted_length));
        Ok(SegmentEntry { file, checksum, length_bytes, documents, generations, deleted })
    }
}

fn checksum(head: &[u8], body: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(head);
    hasher.update(body);
    hasher.digest()
}
