//! What a look at files did.

use std::collections::BTreeMap;

use scrubjay_store::source::SyncCounts;

/// Skipped files that are listed; more are only counted.
const LISTED: usize = 1000;

/// What a look at files did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SyncReport {
    /// Files read and stored.
    pub indexed: u64,
    /// Files that are the same as before.
    pub unchanged: u64,
    /// Transcripts of which too little is new to be read yet.
    pub put_off: u64,
    /// Files that are gone, or are not to be read any more.
    pub removed: u64,
    /// Pieces that the stored files were cut into.
    pub chunks: u64,
    /// Bytes of the stored files.
    pub bytes: u64,
    /// Messages taken from transcripts.
    pub messages: u64,
    /// Messages that were there already.
    pub duplicates: u64,
    /// How many were skipped, by reason.
    pub skipped_by_reason: BTreeMap<String, u64>,
    /// The first of those that were skipped.
    pub skipped: Vec<SkippedFile>,
    /// What was taken out or is worth knowing.
    pub warnings: Vec<String>,
    /// Whether time ran out before the end.
    pub stopped_early: bool,
}

/// Something that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedFile {
    /// Its path.
    pub path: String,
    /// Why, for counting.
    pub reason: String,
    /// Why, for people.
    pub explanation: String,
}

impl SyncReport {
    /// Notes something that was not read.
    pub(crate) fn skip(&mut self, path: String, reason: &str, explanation: String) {
        *self.skipped_by_reason.entry(reason.to_owned()).or_default() += 1;
        if self.skipped.len() < LISTED {
            self.skipped.push(SkippedFile { path, reason: reason.to_owned(), explanation });
        }
    }

    /// Adds what another look did.
    pub fn add(&mut self, other: Self) {
        self.indexed += other.indexed;
        self.unchanged += other.unchanged;
        self.put_off += other.put_off;
        self.removed += other.removed;
        self.chunks += other.chunks;
        self.bytes += other.bytes;
        self.messages += other.messages;
        self.duplicates += other.duplicates;
        for (reason, count) in other.skipped_by_reason {
            *self.skipped_by_reason.entry(reason).or_default() += count;
        }
        let room = LISTED.saturating_sub(self.skipped.len());
        self.skipped.extend(other.skipped.into_iter().take(room));
        self.warnings.extend(other.warnings);
        self.stopped_early |= other.stopped_early;
    }

    /// How many were not read.
    #[must_use]
    pub fn skipped_count(&self) -> u64 {
        self.skipped_by_reason.values().sum()
    }

    /// The counts as they are kept.
    #[must_use]
    pub fn counts(&self) -> SyncCounts {
        SyncCounts {
            indexed: self.indexed,
            unchanged: self.unchanged,
            removed: self.removed,
            skipped: self.skipped_count(),
            messages: self.messages,
        }
    }
}
