//! Answers depend on the live documents alone.

use proptest::prelude::*;
use scrubjay_index::{Batch, Bm25, Index, Item, TermQuery};

use crate::reference::{IDENTITY, Library, ask, item, query};

/// Something that happens to an index.
#[derive(Debug, Clone)]
enum Step {
    Apply(Vec<(u64, u64)>, Vec<u64>),
    Purge(Vec<u64>),
    Rebuild,
    Tail(Vec<(u64, u64)>, Vec<u64>),
}

const SCOPES: [&str; 2] = ["global", "project"];

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let keys = || proptest::collection::vec(0u64..300, 0..20);
    let items = || proptest::collection::vec((0u64..300, 0u64..4), 0..60);
    let step = prop_oneof![
        6 => (items(), keys()).prop_map(|(items, keys)| Step::Apply(items, keys)),
        1 => keys().prop_map(Step::Purge),
        1 => Just(Step::Rebuild),
        2 => (items(), keys()).prop_map(|(items, keys)| Step::Tail(items, keys)),
    ];
    proptest::collection::vec((0usize..2, step), 1..30)
}

fn change(library: &mut Library, scope: &str, items: &[(u64, u64)], removed: &[u64]) -> Vec<Item> {
    let shard = library.0.entry(scope.to_owned()).or_default();
    removed.iter().for_each(|key| drop(shard.remove(key)));
    let items: Vec<Item> = items.iter().map(|(key, edition)| item(*key, *edition)).collect();
    items.iter().for_each(|item| drop(shard.insert(item.key, item.clone())));
    items
}

fn check(steps: &[(usize, Step)], seed: u64, words: u64, bm25: Bm25, limit: usize) {
    let index = Index::in_memory();
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    let mut library = Library::default();
    let mut tail = None;
    for (through, (scope, step)) in steps.iter().enumerate() {
        let scope = SCOPES[*scope];
        match step {
            Step::Apply(items, removals) => {
                // What is in the tail only is in the store too, and reaches the index with the next batch.
                let rest = std::mem::take(&mut tail).unwrap_or_default();
                let mut batches: Vec<Batch> = rest;
                let upserts = change(&mut library, scope, items, removals);
                batches.push(Batch { scope: scope.to_owned(), upserts, removals: removals.clone() });
                writer.apply(batches, through as u64).unwrap();
            }
            Step::Purge(keys) => {
                if tail.is_none() {
                    change(&mut library, scope, &[], keys);
                    writer.purge(scope, keys).unwrap();
                }
            }
            Step::Rebuild => {
                tail = None;
                let mut rebuild = writer.rebuild(IDENTITY);
                for (scope, items) in &library.0 {
                    rebuild.add(scope, items.values().cloned().collect()).unwrap();
                }
                rebuild.finish(through as u64).unwrap();
            }
            Step::Tail(items, removals) => {
                let upserts = change(&mut library, scope, items, removals);
                let batch = Batch { scope: scope.to_owned(), upserts, removals: removals.clone() };
                tail.get_or_insert_with(Vec::new).push(batch);
            }
        }
    }
    let terms: Vec<TermQuery> = query(seed, words);
    let mut snapshot = index.snapshot(&SCOPES).unwrap();
    for batch in tail.into_iter().flatten() {
        snapshot = snapshot.with_tail(&batch.scope, batch.upserts, &batch.removals).unwrap();
    }
    let expected = library.answers(&SCOPES, &terms, &bm25, limit);
    assert_eq!(ask(&snapshot, &terms, &bm25, limit).unwrap(), expected);
    // One fresh segment for each scope gives the same.
    let fresh = Index::in_memory().snapshot(&SCOPES).unwrap();
    let fresh = library.0.iter().fold(fresh, |snapshot, (scope, items)| {
        snapshot.with_tail(scope, items.values().cloned().collect(), &[]).unwrap()
    });
    assert_eq!(ask(&fresh, &terms, &bm25, limit).unwrap(), expected);
    // And one scope alone knows nothing of the other.
    let alone = index.snapshot(&SCOPES[..1]).unwrap();
    if steps.iter().all(|(_, step)| !matches!(step, Step::Tail(..))) {
        let expected = library.answers(&SCOPES[..1], &terms, &bm25, limit);
        assert_eq!(ask(&alone, &terms, &bm25, limit).unwrap(), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn however_documents_got_there_the_answers_are_the_same(
        steps in steps(),
        seed in any::<u64>(),
        words in 0u64..10,
        k1 in 0.0f32..3.0,
        b in 0.0f32..=1.0,
        limit in 0usize..40,
    ) {
        check(&steps, seed, words, Bm25 { k1, b }, limit);
    }
}

#[test]
fn many_documents_in_several_segments_of_all_forms_of_lists() {
    let mut library = Library::default();
    let index = Index::in_memory();
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    for round in 0..12u64 {
        let items: Vec<(u64, u64)> = (0..1500).map(|key| ((round * 1000 + key * 7) % 12_000, round)).collect();
        let removals: Vec<u64> = (0..40).map(|key| (key * 31 + round * 5) % 12_000).collect();
        let upserts = change(&mut library, "global", &items, &removals);
        writer.apply(vec![Batch { scope: "global".to_owned(), upserts, removals }], round).unwrap();
    }
    let snapshot = index.snapshot(&["global"]).unwrap();
    for seed in 0..24 {
        let terms = query(seed, 1 + seed % 9);
        let limit = [1, 10, 100, 5000][seed as usize % 4];
        let expected = library.hits(&["global"], &terms, &Bm25::default(), &|_| true, limit);
        let shards = snapshot.shards();
        let bits = |hits: Vec<scrubjay_index::Scored>| -> Vec<(u64, u32)> {
            hits.iter().map(|hit| (hit.key, hit.score.to_bits())).collect()
        };
        let hits = snapshot.lexical_top(&shards, &terms, &Bm25::default(), &|_| true, limit).unwrap();
        assert_eq!(bits(hits), expected);
        let few = |row: &scrubjay_index::Row| row.key % 50 == 1;
        let hits = snapshot.lexical_top(&shards, &terms, &Bm25::default(), &few, limit).unwrap();
        let expected = library.hits(&["global"], &terms, &Bm25::default(), &few, limit);
        assert_eq!(bits(hits), expected);
    }
}

#[test]
fn the_filter_is_asked_about_few_documents() {
    let index = Index::in_memory();
    let items: Vec<Item> = (0..4000).map(|key| item(key, 0)).collect();
    let snapshot = index.snapshot(&["global"]).unwrap().with_tail("global", items, &[]).unwrap();
    let asked = std::cell::Cell::new(0);
    let filter = |_: &scrubjay_index::Row| {
        asked.set(asked.get() + 1);
        true
    };
    let terms = query(5, 8);
    let hits = snapshot.lexical_top(&snapshot.shards(), &terms, &Bm25::default(), &filter, 10).unwrap();
    assert_eq!(hits.len(), 10);
    assert!(asked.get() < 200, "the filter was asked about {} documents", asked.get());
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let index = Index::in_memory();
    let snapshot = index.snapshot(&["global"]).unwrap();
    let shards = snapshot.shards();
    assert_eq!(snapshot.lexical_top(&shards, &query(1, 4), &Bm25::default(), &|_| true, 5).unwrap(), []);
    let odd = [TermQuery { hash: 1, weight: f32::NAN }];
    assert!(snapshot.lexical_top(&shards, &odd, &Bm25::default(), &|_| true, 5).is_err());
    assert!(snapshot.lexical_top(&shards, &query(1, 2000), &Bm25::default(), &|_| true, 5).is_err());
    let nowhere = [scrubjay_index::Shard(9)];
    assert!(snapshot.statistics(&nowhere, &[]).is_err());
    let missing = scrubjay_index::DocId { shard: shards[0], segment: 0, ordinal: 0 };
    assert!(snapshot.row(missing).is_err());
    assert_eq!(snapshot.shard("global"), Some(shards[0]));
    assert_eq!(snapshot.shard("elsewhere"), None);
}

/// Sums that were rounded in another order must not decide between documents that are equal.
#[test]
fn equal_documents_are_told_apart_by_key_alone() {
    let terms: Vec<(u64, u32)> = (0..9).map(|rank| (crate::reference::word(rank), 1 + rank as u32 % 3)).collect();
    let copy = |key: u64, common: usize| Item { key, terms: terms[..common].to_vec(), length: 12, ..item(key, 0) };
    for seed in 0..60 {
        // Larger segments are searched first; the smaller one has the smaller keys.
        let later: Vec<Item> = (100..160).map(|key| copy(key, if key < 120 { 9 } else { key as usize % 9 })).collect();
        let earlier: Vec<Item> = (0..10).map(|key| copy(key, 9)).collect();
        let index = Index::in_memory();
        let mut writer = index.try_writer().unwrap().unwrap();
        writer.rebuild(IDENTITY).finish(0).unwrap();
        for (through, upserts) in [later, earlier].into_iter().enumerate() {
            let batch = Batch { scope: "global".to_owned(), upserts, removals: Vec::new() };
            writer.apply(vec![batch], through as u64).unwrap();
        }
        let snapshot = index.snapshot(&["global"]).unwrap();
        let mut dice = crate::reference::Dice(seed);
        let mut query: Vec<TermQuery> = terms
            .iter()
            .map(|term| TermQuery { hash: term.0, weight: 0.1 + dice.below(1000) as f32 / 700.0 })
            .collect();
        query.sort_by_key(|_| dice.next());
        let hits = snapshot.lexical_top(&snapshot.shards(), &query, &Bm25::default(), &|_| true, 5).unwrap();
        assert_eq!(hits.iter().map(|hit| hit.key).collect::<Vec<_>>(), [0, 1, 2, 3, 4], "seed {seed}");
    }
}
