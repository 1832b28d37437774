//! The index of Scrubjay.

use std::path::Path;

use scrubjay_core::lexical::{ANALYZER_VERSION, for_each_term, is_stop_word, term_hash, terms};
use scrubjay_index::vector::{VectorQuery, quantize, recommended_rescore};
use scrubjay_index::{Bm25, Columns, Identity, Index, Item, Row, Shard, Snapshot, TermQuery};

use super::contender::{Among, Contender, WANTED};
use super::corpus::{Corpus, Document, WANTED_KIND};
use crate::measure::{Stopwatch, Taken};

const GENERATION: u64 = 1;
const SMALL_SCOPE: &str = "small";
const LARGE_SCOPE: &str = "large";
/// How many documents are made at once.
const AT_ONCE: u64 = 4_096;

/// An index that is open, with a snapshot of it.
pub(super) struct Ours {
    snapshot: Snapshot,
    shards: Vec<Shard>,
    small: Vec<Shard>,
    /// What a function word counts beside other words.
    pub(super) stop_word_weight: f32,
}

/// What making the index took.
#[derive(Debug, Clone, Copy)]
pub(super) struct Built {
    /// Finding the terms and making the vectors small.
    pub(super) prepared: Taken,
    /// Writing segments and merging them.
    pub(super) written: Taken,
    pub(super) size_bytes: u64,
}

/// Makes the index of so many documents.
pub(super) fn build(corpus: &Corpus, size: u64, folder: &Path) -> anyhow::Result<Built> {
    let (mut preparing, mut writing) = (Stopwatch::default(), Stopwatch::default());
    let index = Index::open(folder);
    let mut writer = index.try_writer()?.ok_or_else(|| anyhow::anyhow!("somebody else writes the index"))?;
    let mut rebuild = writer.rebuild(Identity { lineage: 1, analyser: ANALYZER_VERSION });
    let mut next = 0;
    while next < size {
        let end = (next + AT_ONCE).min(size);
        let documents: Vec<Document> = (next..end).map(|key| corpus.document(key)).collect();
        let (mut small, mut large) = (Vec::new(), Vec::new());
        preparing.time(|| {
            for document in &documents {
                let scope = if document.in_small_scope { &mut small } else { &mut large };
                scope.push(item(document)?);
            }
            Ok(())
        })?;
        writing.time(|| {
            rebuild.add(SMALL_SCOPE, small)?;
            Ok(rebuild.add(LARGE_SCOPE, large)?)
        })?;
        next = end;
    }
    writing.time(|| Ok(rebuild.finish(size)?))?;
    Ok(Built { prepared: preparing.taken(), written: writing.taken(), size_bytes: index.size_bytes()? })
}

fn item(document: &Document) -> anyhow::Result<Item> {
    let mut terms = Vec::new();
    for_each_term(&document.text, |term, _| terms.push((term_hash(term), 1)));
    Ok(Item {
        key: document.key,
        columns: Columns { kind: document.kind, ..Columns::default() },
        length: terms.len() as u32,
        terms,
        words: String::new(),
        vectors: vec![(GENERATION, vec![quantize(&document.vector)?])],
    })
}

impl Ours {
    /// Opens the index in a folder.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Ours> {
        let snapshot = Index::open(folder).snapshot(&[LARGE_SCOPE, SMALL_SCOPE])?;
        let (shards, small) = (snapshot.shards(), snapshot.shard(SMALL_SCOPE).into_iter().collect());
        Ok(Ours { snapshot, shards, small, stop_word_weight: 1.0 })
    }

    fn shards(&self, among: Among) -> &[Shard] {
        if among == Among::Scope { &self.small } else { &self.shards }
    }
}

impl Contender for Ours {
    fn by_vector(&self, vector: &[f32], among: Among) -> anyhow::Result<Vec<u64>> {
        let shards = self.shards(among);
        let rescore = recommended_rescore(self.snapshot.vectors(shards, GENERATION)?);
        let query = VectorQuery::new(vector)?;
        let found = self.snapshot.vector_top(shards, GENERATION, &query, row_filter(among), WANTED, rescore)?;
        Ok(found.into_iter().map(|scored| scored.key).collect())
    }

    fn by_words(&self, words: &str, among: Among) -> anyhow::Result<Vec<u64>> {
        let mut words = terms(words);
        words.sort_unstable();
        words.dedup();
        let weigh = |word: &String| {
            let weight = if is_stop_word(word) { self.stop_word_weight } else { 1.0 };
            TermQuery { hash: term_hash(word), weight }
        };
        let query: Vec<TermQuery> = words.iter().map(weigh).collect();
        let found = self.snapshot.lexical_top(
            self.shards(among),
            &query,
            &Bm25::default(),
            row_filter(among).unwrap_or(&|_| true),
            WANTED,
        )?;
        Ok(found.into_iter().map(|scored| scored.key).collect())
    }
}

fn row_filter(among: Among) -> Option<&'static dyn Fn(&Row) -> bool> {
    match among {
        Among::All | Among::Scope => None,
        Among::Kind => Some(&|row| row.columns.kind == WANTED_KIND),
    }
}
