//! The best documents seen so far.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::view::DocId;

/// A document with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The document.
    pub document: DocId,
    /// Its key, which puts documents of the same score in order.
    pub key: u64,
    /// Its score.
    pub score: f32,
}

/// The best `limit` documents: by score, then by key, then by shard.
pub(super) struct Top {
    limit: usize,
    /// The worst of the kept ones is on top.
    kept: BinaryHeap<Reverse<Ranked>>,
}

impl Top {
    pub(super) fn new(limit: usize) -> Top {
        Top { limit, kept: BinaryHeap::new() }
    }

    /// A document with a lower score cannot be among the best; one with this score can.
    pub(super) fn floor(&self) -> f32 {
        match self.kept.peek() {
            Some(Reverse(worst)) if self.kept.len() >= self.limit => worst.0.score,
            _ => 0.0,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.kept.len() >= self.limit
    }

    /// Whether the document would be kept.
    pub(super) fn admits(&self, candidate: Scored) -> bool {
        match self.kept.peek() {
            _ if self.limit == 0 => false,
            Some(Reverse(worst)) if self.is_full() => Ranked(candidate) > *worst,
            _ => true,
        }
    }

    pub(super) fn insert(&mut self, candidate: Scored) {
        self.kept.push(Reverse(Ranked(candidate)));
        if self.kept.len() > self.limit {
            self.kept.pop();
        }
    }

    /// The kept documents, best first.
    pub(super) fn into_sorted(self) -> Vec<Scored> {
        self.kept.into_sorted_vec().into_iter().map(|Reverse(Ranked(scored))| scored).collect()
    }
}

/// Ordered so that the better one is greater.
struct Ranked(Scored);

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let (one, other) = (&self.0, &other.0);
        one.score
            .total_cmp(&other.score)
            .then_with(|| other.key.cmp(&one.key))
            .then_with(|| other.document.shard.cmp(&one.document.shard))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}
