//! What the index must answer, worked out the slow way from a plain list of documents.

use std::collections::{BTreeMap, HashMap};

use scrubjay_index::vector::quantize;
use scrubjay_index::{Bm25, Columns, Identity, Item, Row, Shard, Snapshot, TermQuery};

pub(crate) const IDENTITY: Identity = Identity { lineage: 7, analyser: 1 };
pub(crate) const GENERATION: u64 = 3;

/// Numbers that look random and are the same every time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// The hash of the word with this rank; low ranks are common words.
pub(crate) fn word(rank: u64) -> u64 {
    Dice(rank).next()
}

/// A document whose words follow roughly the usual distribution. `edition` changes its content.
pub(crate) fn item(key: u64, edition: u64) -> Item {
    let mut dice = Dice(key.wrapping_mul(31).wrapping_add(edition * 1_000_003));
    let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
    let length = dice.below(24);
    for _ in 0..length {
        let rank = 1u64 << dice.below(9);
        *counts.entry(word(rank - 1 + dice.below(rank))).or_default() += 1;
    }
    let columns = Columns {
        kind: dice.below(4) as u8,
        flags: edition as u8,
        event_time: dice.below(50) as i64,
        sequence: dice.below(6),
        // Half of the documents know their place.
        position: if key.is_multiple_of(2) { dice.below(3) as u32 } else { 0 },
        ..Columns::default()
    };
    let coordinates: Vec<f32> = (0..8).map(|_| dice.below(200) as f32 - 99.5).collect();
    let vectors = match dice.below(4) {
        0 => Vec::new(),
        _ => vec![(GENERATION, vec![quantize(&coordinates).unwrap()])],
    };
    Item { key, columns, terms: counts.into_iter().collect(), words: String::new(), length: length as u32, vectors }
}

/// The live documents of each scope.
#[derive(Debug, Clone, Default)]
pub(crate) struct Library(pub(crate) BTreeMap<String, BTreeMap<u64, Item>>);

/// Everything that is asked of a snapshot in these tests, by key instead of by place.
#[derive(Debug, PartialEq, Clone)]
pub(crate) struct Answers {
    pub(crate) hits: Vec<(u64, u32)>,
    pub(crate) filtered: Vec<(u64, u32)>,
    pub(crate) documents: u64,
    pub(crate) total_length: u64,
    pub(crate) document_frequencies: Vec<u64>,
    pub(crate) rows: Vec<Row>,
    pub(crate) frequencies: Vec<(Vec<u32>, u32)>,
    pub(crate) neighbours: Vec<(Vec<u64>, Vec<u64>)>,
}

pub(crate) fn accepts(row: &Row) -> bool {
    row.columns.kind != 1 && !row.key.is_multiple_of(3)
}

impl Library {
    fn documents<'a>(&'a self, scopes: &[&str]) -> Vec<(usize, &'a Item)> {
        let shards = scopes.iter().enumerate().filter_map(|(at, scope)| Some((at, self.0.get(*scope)?)));
        shards.flat_map(|(at, shard)| shard.values().map(move |item| (at, item))).collect()
    }

    /// The best documents with the bits of their scores.
    pub(crate) fn hits(
        &self,
        scopes: &[&str],
        terms: &[TermQuery],
        bm25: &Bm25,
        accepts: &dyn Fn(&Row) -> bool,
        limit: usize,
    ) -> Vec<(u64, u32)> {
        let all = self.documents(scopes);
        let documents = all.len() as f64;
        let total_length = all.iter().map(|(_, item)| u64::from(item.length)).sum::<u64>();
        let average = (total_length as f64 / documents.max(1.0)).max(1.0) as f32;
        let frequencies = terms.iter().map(|t| all.iter().filter(|(_, item)| count(item, t.hash) > 0).count() as f64);
        let frequencies: Vec<f64> = frequencies.collect();
        let mut scored = Vec::new();
        for (shard, item) in &all {
            let mut score = 0.0f32;
            for (term, frequency) in terms.iter().zip(&frequencies) {
                let occurrences = count(item, term.hash) as f32;
                if occurrences > 0.0 {
                    let rarity = (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln() as f32;
                    let boost = term.weight * rarity * (bm25.k1 + 1.0);
                    let held = bm25.k1 * (1.0 - bm25.b) + bm25.k1 * bm25.b / average * item.length as f32;
                    score += boost * (occurrences / (occurrences + held));
                }
            }
            if score > 0.0 && accepts(&row_of(item)) {
                scored.push((score, item.key, *shard));
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        scored.iter().take(limit).map(|(score, key, _)| (*key, score.to_bits())).collect()
    }

    pub(crate) fn answers(&self, scopes: &[&str], terms: &[TermQuery], bm25: &Bm25, limit: usize) -> Answers {
        let all = self.documents(scopes);
        let frequency = |t: &TermQuery| all.iter().filter(|(_, item)| count(item, t.hash) > 0).count() as u64;
        let place = |item: &Item| (item.columns.position, item.columns.event_time, item.key);
        let neighbours = |(shard, item): &(usize, &Item)| {
            let together = |other: &&(usize, &Item)| {
                item.columns.sequence != 0 && other.1.columns.sequence == item.columns.sequence && other.0 == *shard
            };
            let mut sequence: Vec<&Item> = all.iter().filter(together).map(|other| other.1).collect();
            sequence.sort_by_key(|item| place(item));
            let before = sequence.iter().rev().filter(|other| place(other) < place(item)).take(2);
            let after = sequence.iter().filter(|other| place(other) > place(item)).take(3);
            (before.map(|item| item.key).collect(), after.map(|item| item.key).collect())
        };
        let frequencies =
            |(_, item): &(usize, &Item)| (terms.iter().map(|t| count(item, t.hash)).collect(), item.length);
        Answers {
            hits: self.hits(scopes, terms, bm25, &|_| true, limit),
            filtered: self.hits(scopes, terms, bm25, &accepts, limit),
            documents: all.len() as u64,
            total_length: all.iter().map(|(_, item)| u64::from(item.length)).sum(),
            document_frequencies: terms.iter().map(frequency).collect(),
            rows: all.iter().map(|(_, item)| row_of(item)).collect(),
            frequencies: all.iter().map(frequencies).collect(),
            neighbours: all.iter().map(neighbours).collect(),
        }
    }
}

fn count(item: &Item, hash: u64) -> u32 {
    item.terms.iter().filter(|term| term.0 == hash).map(|term| term.1).sum()
}

fn row_of(item: &Item) -> Row {
    Row { key: item.key, columns: item.columns }
}

/// Asks a snapshot, whose shards are in the order of the scopes, for the same.
pub(crate) fn ask(
    snapshot: &Snapshot,
    terms: &[TermQuery],
    bm25: &Bm25,
    limit: usize,
) -> scrubjay_index::Result<Answers> {
    let shards: Vec<Shard> = snapshot.shards();
    let hashes: Vec<u64> = terms.iter().map(|term| term.hash).collect();
    let statistics = snapshot.statistics(&shards, &hashes)?;
    let bits = |hits: Vec<scrubjay_index::Scored>| hits.iter().map(|hit| (hit.key, hit.score.to_bits())).collect();
    let mut documents = Vec::new();
    snapshot.for_each(&shards, &mut |document, row| {
        documents.push((document, *row));
        std::ops::ControlFlow::Continue(())
    })?;
    documents.sort_by_key(|(document, row)| (document.shard, row.key));
    let keys: HashMap<_, u64> = documents.iter().map(|(document, row)| (*document, row.key)).collect();
    let mut neighbours = Vec::new();
    let mut frequencies = Vec::new();
    let ids: Vec<_> = documents.iter().map(|document| document.0).collect();
    let together = snapshot.frequencies_of(&ids, &hashes)?;
    for (place, (document, row)) in documents.iter().enumerate() {
        assert_eq!(snapshot.find(document.shard, row.key)?, Some(*document));
        assert_eq!(snapshot.row(*document)?, *row);
        let around = snapshot.neighbours(*document, 2, 3)?;
        let keys_of = |side: &[scrubjay_index::DocId]| side.iter().map(|document| keys[document]).collect::<Vec<_>>();
        neighbours.push((keys_of(&around.before), keys_of(&around.after)));
        frequencies.push((together.of(place).to_vec(), together.lengths()[place]));
        if place < 5 {
            assert_eq!(snapshot.frequencies(*document, &hashes)?, frequencies[place]);
        }
    }
    Ok(Answers {
        hits: bits(snapshot.lexical_top(&shards, terms, bm25, &|_| true, limit)?),
        filtered: bits(snapshot.lexical_top(&shards, terms, bm25, &accepts, limit)?),
        documents: statistics.documents,
        total_length: statistics.total_length,
        document_frequencies: statistics.document_frequencies,
        rows: documents.into_iter().map(|document| document.1).collect(),
        frequencies,
        neighbours,
    })
}

/// A query with common and rare words.
pub(crate) fn query(seed: u64, words: u64) -> Vec<TermQuery> {
    let mut dice = Dice(seed);
    let mut term = || {
        let rank = 1u64 << dice.below(9);
        TermQuery { hash: word(rank - 1 + dice.below(rank)), weight: [0.25, 1.0, 1.0, 2.0][dice.below(4) as usize] }
    };
    (0..words).map(|_| term()).collect()
}
