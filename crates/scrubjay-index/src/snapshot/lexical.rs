//! Searching by words: the exact best documents by BM25, without scoring every match of a common word.
//!
//! Terms are ordered by the most they can add to a score. Once the result is full, a document that contains only terms
//! from the end of that order cannot enter it any more: the terms before are *essential*, and only their lists are gone
//! through. They are summed up document by document inside a window that fits the nearest cache; what has come close
//! enough to the worst kept score is then looked up in the other lists, until it has got there or cannot.
//!
//! Sums made on the way are rounded in another order than the exact score, so every comparison with them leaves some
//! slack, and what passes is scored again in the order of the query.

use super::leaf::Leaf;
use super::top::{Scored, Top};
use super::view::{DocId, Shard, Snapshot};
use crate::bm25::{Bm25, TermQuery, TermScorer};
use crate::error::{IndexError, Result};
use crate::item::Row;
use crate::numbers::Words;
use crate::segment::{List, Probe, Scan};

/// How many documents a window has: their sums fit the first-level cache.
const WINDOW: usize = 8192;
/// The first windows are small, so that there is soon a score to beat.
const FIRST_WINDOW: usize = 1024;
/// More than rounding can make of the sum of any number of terms a query may have.
const SLACK: f32 = 1.0 + 1e-4;
/// Rounding errors grow with the number of terms.
const MAX_TERMS: usize = 1024;

impl Snapshot {
    /// The `limit` live documents with the highest BM25 score among those the filter accepts; documents that contain
    /// none of the terms are not among them. The filter is asked about documents that may enter the result, and not about others.
    ///
    /// # Errors
    /// [`IndexError::Invalid`] if there is no such shard, a parameter is out of range or there are more than 1,024
    /// terms; [`IndexError::Damaged`].
    pub fn lexical_top(
        &self,
        shards: &[Shard],
        terms: &[TermQuery],
        bm25: &Bm25,
        filter: &dyn Fn(&Row) -> bool,
        limit: usize,
    ) -> Result<Vec<Scored>> {
        if terms.len() > MAX_TERMS {
            return Err(IndexError::Invalid(format!("a query of {} terms is too long", terms.len())));
        }
        let hashes: Vec<u64> = terms.iter().map(|term| term.hash).collect();
        let scorers = bm25.scorers(terms, &self.statistics(shards, &hashes)?)?;
        let filter = Filter { accepts: filter, asked: 0, accepted: 0 };
        let mut search = Search { filter, top: Top::new(limit), sums: vec![0.0; WINDOW], touched: Vec::new() };
        let mut leaves = self.all_leaves(shards)?;
        leaves.sort_by_key(|(_, _, leaf)| std::cmp::Reverse(leaf.segment.documents()));
        for (shard, segment, leaf) in leaves {
            let lists = open_lists(leaf, &hashes, &scorers)?;
            let document = |ordinal| DocId { shard, segment, ordinal };
            search.leaf(leaf, &lists, &document)?;
        }
        Ok(search.top.into_sorted())
    }
}

/// A list of a term of the query.
struct Term<'a> {
    /// Where the term stands in the query.
    position: usize,
    scorer: TermScorer,
    /// The most it can add to a score.
    bound: f32,
    list: List<'a>,
}

/// The lists of the terms that can add something, the ones that can add most first.
fn open_lists<'a>(leaf: &'a Leaf, hashes: &[u64], scorers: &[TermScorer]) -> Result<Vec<Term<'a>>> {
    let lengths = leaf.segment.lengths()?;
    let mut terms = Vec::with_capacity(hashes.len());
    for (position, (hash, scorer)) in hashes.iter().zip(scorers).enumerate() {
        let Some(entry) = leaf.segment.entry(*hash)? else { continue };
        let list = leaf.segment.list(entry)?;
        let bound = list.bound(lengths);
        let bound = scorer.score(bound.max_frequency, bound.min_length);
        if bound > 0.0 {
            terms.push(Term { position, scorer: *scorer, bound, list });
        }
    }
    terms.sort_by(|one, other| other.bound.total_cmp(&one.bound));
    Ok(terms)
}

struct Search<'f> {
    filter: Filter<'f>,
    top: Top,
    /// What the essential terms add up to, for each document of the window.
    sums: Vec<f32>,
    /// The documents of the window that have a sum.
    touched: Vec<u32>,
}

impl Search<'_> {
    fn leaf(&mut self, leaf: &Leaf, terms: &[Term<'_>], document: &dyn Fn(u32) -> DocId) -> Result<()> {
        let lengths = leaf.segment.lengths()?;
        // What the terms from each one on can add together.
        let mut rest = vec![0.0; terms.len() + 1];
        for index in (0..terms.len()).rev() {
            rest[index] = (rest[index + 1] + terms[index].bound) * SLACK;
        }
        let mut in_query_order: Vec<usize> = (0..terms.len()).collect();
        in_query_order.sort_unstable_by_key(|index| terms[*index].position);
        let mut scans: Vec<Scan<'_>> = terms.iter().map(|term| Scan::new(term.list.clone())).collect();
        let mut finish = Finish {
            probes: terms.iter().map(|term| Probe::new(term.list.clone())).collect(),
            found: vec![0; terms.len()],
            leaf,
            terms,
            rest: &rest,
            in_query_order: &in_query_order,
            document,
        };
        loop {
            let floor = self.top.floor();
            let essential = rest.iter().take_while(|rest| **rest >= floor && **rest > 0.0).count();
            let mut start = None;
            for scan in &mut scans[..essential] {
                let next = scan.next_document()?;
                start = [start, next].into_iter().flatten().min();
            }
            let Some(start) = start else { return Ok(()) };
            let size = if self.top.is_full() { WINDOW } else { FIRST_WINDOW };
            let end = (start as usize + size).min(leaf.segment.documents()) as u32;
            if end <= start {
                return Err(IndexError::Damaged("a list names a document past the last".to_owned()));
            }
            for (scan, term) in scans[..essential].iter_mut().zip(terms) {
                self.add(scan, &term.scorer, lengths, start, end)?;
            }
            self.finish_window(&mut finish, essential, start)?;
        }
    }

    /// Adds what a term says about the documents of a window to their sums.
    fn add(
        &mut self,
        scan: &mut Scan<'_>,
        scorer: &TermScorer,
        lengths: Words<'_>,
        start: u32,
        end: u32,
    ) -> Result<()> {
        let (sums, touched) = (&mut self.sums, &mut self.touched);
        scan.visit(end, |document, frequency| {
            let slot = sums.get_mut(document.wrapping_sub(start) as usize);
            if let (Some(sum), Some(length)) = (slot, lengths.get(document as usize)) {
                if *sum == 0.0 {
                    touched.push(document);
                }
                // A sum that stays at zero would be taken for a document that was not seen.
                *sum += scorer.score(frequency, length).max(f32::MIN_POSITIVE);
            }
        })
    }

    /// Looks at the documents of a window that may enter the result, and clears the window.
    fn finish_window(&mut self, finish: &mut Finish<'_>, essential: usize, start: u32) -> Result<()> {
        let floor = self.top.floor();
        let sums = &mut self.sums;
        let mut candidates: Vec<(u32, f32)> = Vec::new();
        for document in self.touched.drain(..) {
            let sum = std::mem::take(&mut sums[(document - start) as usize]);
            if sum * SLACK + finish.rest[essential] >= floor {
                candidates.push((document, sum));
            }
        }
        candidates.sort_unstable_by_key(|candidate| candidate.0);
        for (ordinal, sum) in candidates {
            finish.document(ordinal, sum, essential, &mut self.top, &mut self.filter)?;
        }
        Ok(())
    }
}

/// The filter, and how much it lets through.
struct Filter<'f> {
    accepts: &'f dyn Fn(&Row) -> bool,
    asked: u32,
    accepted: u32,
}

impl Filter<'_> {
    fn ask(&mut self, row: &Row) -> bool {
        let accepted = (self.accepts)(row);
        self.asked += 1;
        self.accepted += u32::from(accepted);
        accepted
    }

    /// Whether so little passes that asking first saves work.
    fn is_strict(&self) -> bool {
        self.asked >= 32 && self.accepted < self.asked / 32
    }
}

/// What is needed to bring a document from the sum of its essential terms to its exact score.
struct Finish<'a> {
    leaf: &'a Leaf,
    terms: &'a [Term<'a>],
    rest: &'a [f32],
    in_query_order: &'a [usize],
    probes: Vec<Probe<'a>>,
    /// How often each term occurs in the document.
    found: Vec<u32>,
    document: &'a dyn Fn(u32) -> DocId,
}

impl Finish<'_> {
    fn document(
        &mut self,
        ordinal: u32,
        mut sum: f32,
        essential: usize,
        top: &mut Top,
        filter: &mut Filter<'_>,
    ) -> Result<()> {
        let floor = top.floor();
        if sum * SLACK + self.rest[essential] < floor || !self.leaf.is_live(ordinal) {
            return Ok(());
        }
        let first = filter.is_strict();
        if first && !filter.ask(&self.leaf.segment.row(ordinal)?) {
            return Ok(());
        }
        let length = self.leaf.segment.length(ordinal)?;
        for index in essential..self.terms.len() {
            if sum * SLACK + self.rest[index] < floor {
                return Ok(());
            }
            self.found[index] = self.probes[index].frequency(ordinal)?;
            sum += self.terms[index].scorer.score(self.found[index], length);
        }
        if sum * SLACK < floor {
            return Ok(());
        }
        for index in 0..essential {
            self.found[index] = self.probes[index].frequency(ordinal)?;
        }
        let terms = self.in_query_order.iter();
        let score = terms.fold(0.0, |sum, index| sum + self.terms[*index].scorer.score(self.found[*index], length));
        if score < floor || score <= 0.0 {
            return Ok(());
        }
        let row = self.leaf.segment.row(ordinal)?;
        let scored = Scored { document: (self.document)(ordinal), key: row.key, score };
        if top.admits(scored) && (first || filter.ask(&row)) {
            top.insert(scored);
        }
        Ok(())
    }
}
