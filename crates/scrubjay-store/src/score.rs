//! BM25, computed over what a view can see and nothing else.
//!
//! Both backends find candidates in their own way and score them here, so that
//! a score never depends on rows the caller may not see.

use std::collections::HashMap;

use scrubjay_core::lexical;

use crate::query::LexicalHit;

const SATURATION: f64 = 1.2;
const LENGTH_SHARE: f64 = 0.75;

/// Numbers about the visible memories.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Corpus {
    /// How many there are.
    pub memories: u64,
    /// How many terms they have together.
    pub terms: u64,
}

/// A query term and how much it tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted {
    /// The term.
    pub term: String,
    /// Its inverse document frequency.
    pub weight: f64,
}

/// A term's inverse document frequency; rarer terms tell more. One that occurs
/// nowhere tells as much as one that occurs once: a question in other words than
/// the answer is still a question.
#[must_use]
pub fn weigh(term: &str, documents: u64, corpus: Corpus) -> Weighted {
    let (total, with) = (corpus.memories as f64, documents.clamp(1, corpus.memories.max(1)) as f64);
    Weighted { term: term.to_owned(), weight: (1.0 + (total - with + 0.5) / (with + 0.5)).ln() }
}

/// Best first, ties by id with the newest first, and no more than `limit`.
/// What holds none of the terms is no hit.
pub(crate) fn rank(hits: &mut Vec<LexicalHit>, limit: usize) {
    hits.retain(|hit| hit.bm25 > 0.0);
    hits.sort_by(|a, b| b.bm25.total_cmp(&a.bm25).then_with(|| b.memory.id.uuid().cmp(&a.memory.id.uuid())));
    hits.truncate(limit);
}

/// BM25 of a text, and the share of the query's weight that it contains.
#[must_use]
pub fn score(query: &[Weighted], content: &str, corpus: Corpus) -> (f64, f64) {
    let terms = lexical::terms(content);
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for term in &terms {
        if let Some(wanted) = query.iter().find(|wanted| wanted.term == *term) {
            *counts.entry(wanted.term.as_str()).or_default() += 1;
        }
    }
    let average = (corpus.terms as f64 / corpus.memories.max(1) as f64).max(1.0);
    let length = terms.len() as f64 / average;
    let (mut bm25, mut found, mut all) = (0.0, 0.0, 0.0);
    for wanted in query {
        all += wanted.weight;
        if let Some(&count) = counts.get(wanted.term.as_str()) {
            let count = f64::from(count);
            found += wanted.weight;
            bm25 += wanted.weight * count * (SATURATION + 1.0)
                / (count + SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length));
        }
    }
    (bm25, if all > 0.0 { found / all } else { 0.0 })
}
