//! Search by words: every visible memory is looked at.

use scrubjay_core::scope::View;

use super::tables::{Stored, Tables};
use crate::query::{LexicalHit, LexicalQuery};
use crate::score::{self, Corpus, Weighted};

/// The visible memories that match best.
pub(super) fn search(tables: &Tables, view: &View, query: &LexicalQuery) -> Vec<LexicalHit> {
    if query.terms.is_empty() || query.limit == 0 {
        return Vec::new();
    }
    let visible: Vec<&Stored> = tables.visible(view).map(|(_, stored)| stored).collect();
    let terms = visible.iter().map(|stored| stored.length as u64).sum();
    let corpus = Corpus { memories: visible.len() as u64, terms };
    let has = |stored: &Stored, term: &String| stored.terms.binary_search(term).is_ok();
    let weigh = |term: &String| {
        let documents = visible.iter().filter(|stored| has(stored, term)).count();
        score::weigh(term, documents as u64, corpus)
    };
    let weighted: Vec<Weighted> = query.terms.iter().map(weigh).collect();
    let counts = |stored: &&&Stored| {
        let session_id = stored.memory.session_id.as_ref();
        query.terms.iter().any(|term| has(stored, term))
            && query.activity.admits(&stored.memory)
            && session_id.is_none_or(|session_id| !query.exclude_sessions.contains(session_id))
            && query.filter.matches(&stored.memory)
    };
    let mut hits = Vec::new();
    for stored in visible.iter().filter(counts) {
        let (bm25, coverage) = score::score(&weighted, &stored.memory.content, corpus);
        hits.push(LexicalHit { memory: stored.memory.clone(), bm25, coverage });
    }
    score::rank(&mut hits, query.limit);
    hits
}
