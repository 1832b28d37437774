//! Finds the vectors that look closest to a query, by their sign bits.

use std::ops::Range;

use super::kernel::{BlockHit, next_block};
use super::layout::LANES;
use super::query::VectorQuery;
use super::section::VectorSection;
use crate::error::Result;

/// A vector that looks close to the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Who the vector belongs to.
    pub owner: u32,
    /// The number of the vector in its section.
    pub vector: u32,
    /// Its cosine with the query, estimated. It does not depend on the section.
    pub estimate: f32,
}

/// How many candidates a search of `vectors` vectors should rescore so that at least 99
/// of a hundred of the ten closest are among them. Measured on embeddings of texts and
/// code, with a centre; without one, more than 200,000 vectors need twice as many.
pub fn recommended_rescore(vectors: usize) -> usize {
    match vectors {
        0..20_000 => 300,
        20_000..200_000 => 700,
        _ => 1_000,
    }
}

impl VectorSection {
    /// The `limit` vectors with the highest estimates among those whose owner `admit`
    /// accepts, best first, and by number where estimates are equal. `admit` is asked
    /// about vectors that would make the list, and not about others.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] for a query of other dimensions,
    /// [`crate::IndexError::Damaged`].
    pub fn scan(
        &self,
        query: &VectorQuery,
        admit: &mut dyn FnMut(u32) -> bool,
        limit: usize,
    ) -> Result<Vec<Candidate>> {
        self.scan_range(query, 0..self.len() as u32, admit, limit)
    }

    /// The same for a search that goes over several sections: vectors whose estimates are
    /// below `floor`, which is the last estimate of a full list, need not be found. Some
    /// are, since the floor is rounded down.
    ///
    /// # Errors
    /// As for [`Self::scan`].
    pub fn scan_from(
        &self,
        query: &VectorQuery,
        floor: Option<f32>,
        admit: &mut dyn FnMut(u32) -> bool,
        limit: usize,
    ) -> Result<Vec<Candidate>> {
        let bound = floor.map_or(i32::MIN, |floor| query.score_below(floor));
        let best = self.best_of(query, 0..self.len() as u32, bound, admit, limit)?;
        self.candidates(query, best)
    }

    /// The same for a range of vectors.
    ///
    /// # Errors
    /// As for [`Self::scan`].
    pub fn scan_range(
        &self,
        query: &VectorQuery,
        vectors: Range<u32>,
        admit: &mut dyn FnMut(u32) -> bool,
        limit: usize,
    ) -> Result<Vec<Candidate>> {
        let best = self.best_of(query, vectors, i32::MIN, admit, limit)?;
        self.candidates(query, best)
    }

    /// The same as [`Self::scan`], by two threads that take half of the vectors each.
    /// The answer is the same, sooner if the section is large and a core is idle.
    ///
    /// # Errors
    /// As for [`Self::scan`].
    pub fn scan_in_two(
        &self,
        query: &VectorQuery,
        admit: &(dyn Fn(u32) -> bool + Sync),
        limit: usize,
    ) -> Result<Vec<Candidate>> {
        let count = self.len() as u32;
        let middle = (count / 2).next_multiple_of(LANES as u32).min(count);
        let half = |vectors: Range<u32>| self.best_of(query, vectors, i32::MIN, &mut |owner| admit(owner), limit);
        let (first, second) = std::thread::scope(|scope| {
            let second = scope.spawn(|| half(middle..count));
            (half(0..middle), second.join())
        });
        let mut best = first?;
        match second {
            Ok(second) => best.merge(second?),
            // The only panic there can be is the caller's own, in `admit`.
            Err(panic) => std::panic::resume_unwind(panic),
        }
        self.candidates(query, best)
    }

    fn best_of(
        &self,
        query: &VectorQuery,
        vectors: Range<u32>,
        bound: i32,
        admit: &mut dyn FnMut(u32) -> bool,
        limit: usize,
    ) -> Result<Best> {
        self.check_query(query)?;
        let owners = self.owners()?;
        let blocks = self.blocks()?;
        let end = (vectors.end as usize).min(owners.len());
        let start = (vectors.start as usize).min(end);
        let mut best = Best::new(limit.min(owners.len()), bound);
        if best.limit == 0 {
            return Ok(best);
        }
        let end_block = end.div_ceil(LANES);
        let mut block = start / LANES;
        let offset_worth = query.offset_worth(self.centre());
        let mut hit = BlockHit::empty();
        while next_block(query.plan(), blocks, block..end_block, offset_worth, best.floor(), &mut hit) {
            let first = hit.block * LANES;
            let mut lanes = hit.lanes & lanes_within(start, end, first);
            while lanes != 0 {
                let lane = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let score = hit.score(lane, offset_worth);
                let vector = first + lane;
                if score > best.bound && admit(u32::from_le_bytes(owners[vector])) {
                    best.push(score, vector as u32);
                }
            }
            block = hit.block + 1;
        }
        best.cut();
        Ok(best)
    }

    fn candidates(&self, query: &VectorQuery, mut best: Best) -> Result<Vec<Candidate>> {
        let owners = self.owners()?;
        best.entries.sort_unstable_by(|left, right| right.cmp(left));
        let candidates = best.entries.iter().map(|&entry| {
            let (score, vector) = unpack(entry);
            let owner = u32::from_le_bytes(owners[vector as usize]);
            let estimate = (f64::from(score) * f64::from(query.score_step())) as f32;
            Candidate { owner, vector, estimate }
        });
        Ok(candidates.collect())
    }
}

/// The best scores so far. It keeps up to twice as many as asked for and throws the
/// lower half away when it is full, which is cheaper than to keep them in order.
struct Best {
    limit: usize,
    /// Score and vector in one number, the best the largest.
    entries: Vec<u64>,
    /// A score has to be over this to make the list.
    bound: i32,
}

impl Best {
    fn new(limit: usize, bound: i32) -> Self {
        Self { limit, entries: Vec::new(), bound }
    }

    /// The bound as blocks are compared with it: in units of 65,536, rounded down.
    fn floor(&self) -> i16 {
        (self.bound >> 16) as i16
    }

    fn push(&mut self, score: i32, vector: u32) {
        self.entries.push(pack(score, vector));
        if self.entries.len() >= 2 * self.limit {
            self.cut();
        }
    }

    /// Keeps the best and raises the bound to the last of them.
    fn cut(&mut self) {
        if self.limit == 0 || self.entries.len() < self.limit {
            return;
        }
        let (_, &mut last, _) = self.entries.select_nth_unstable_by(self.limit - 1, |left, right| right.cmp(left));
        self.entries.truncate(self.limit);
        // Vectors come in ascending order, so a later one with the same score loses.
        self.bound = unpack(last).0;
    }

    fn merge(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.cut();
    }
}

fn pack(score: i32, vector: u32) -> u64 {
    u64::from(score as u32 ^ 1 << 31) << 32 | u64::from(!vector)
}

fn unpack(entry: u64) -> (i32, u32) {
    (((entry >> 32) as u32 ^ 1 << 31) as i32, !(entry as u32))
}

/// One bit for each vector of the block beginning at `first` that is in the range.
fn lanes_within(start: usize, end: usize, first: usize) -> u32 {
    let from = start.saturating_sub(first).min(LANES);
    let to = end.saturating_sub(first).min(LANES);
    let below = |lane: usize| ((1_u64 << lane) - 1) as u32;
    below(to) & !below(from)
}
