//! Searching by vectors.

use scrubjay_index::vector::{VectorQuery, quantize};
use scrubjay_index::{Batch, Columns, Index, IndexError, Item, Row, Scored, Snapshot};

use crate::reference::{Dice, IDENTITY};

const DIMS: usize = 32;

fn floats(dice: &mut Dice) -> Vec<f32> {
    (0..DIMS).map(|_| dice.below(2001) as f32 / 1000.0 - 1.0).collect()
}

/// A document with up to two vectors in generation 1 and one in generation 2.
fn item(key: u64, edition: u64) -> Item {
    let mut dice = Dice(key * 1009 + edition);
    let first = (0..dice.below(3)).map(|_| quantize(&floats(&mut dice)).unwrap()).collect();
    let second = vec![quantize(&floats(&mut dice)).unwrap()];
    let columns = Columns { kind: (key % 4) as u8, ..Columns::default() };
    Item {
        key,
        columns,
        terms: vec![(key, 1)],
        words: String::new(),
        length: 1,
        vectors: vec![(1, first), (2, second)],
    }
}

fn plain(hits: &[Scored]) -> Vec<(u64, u32)> {
    hits.iter().map(|hit| (hit.key, hit.score.to_bits())).collect()
}

/// The best documents by looking at every vector of every document.
fn by_hand(
    snapshot: &Snapshot,
    generation: u64,
    query: &VectorQuery,
    accepts: &dyn Fn(&Row) -> bool,
) -> Vec<(u64, u32)> {
    let mut all = Vec::new();
    let visit = &mut |document, row: &Row| {
        let cosines = snapshot.cosines(document, generation, query).unwrap();
        if let Some(best) = cosines.into_iter().max_by(f32::total_cmp).filter(|_| accepts(row)) {
            all.push((row.key, best));
        }
        std::ops::ControlFlow::Continue(())
    };
    snapshot.for_each(&snapshot.shards(), visit).unwrap();
    all.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    all.into_iter().map(|(key, score)| (key, score.to_bits())).collect()
}

#[test]
fn the_answer_is_exact_and_does_not_depend_on_segments() {
    let index = Index::in_memory();
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    let mut live = std::collections::BTreeMap::new();
    let mut dice = Dice(4);
    for round in 0..20u64 {
        let upserts: Vec<Item> = (0..40).map(|_| item(dice.below(500), round)).collect();
        let removals: Vec<u64> = (0..5).map(|_| dice.below(500)).collect();
        removals.iter().for_each(|key| drop(live.remove(key)));
        upserts.iter().for_each(|item| drop(live.insert(item.key, item.clone())));
        writer.apply(vec![Batch { scope: "global".to_owned(), upserts, removals }], round).unwrap();
    }
    let tail: Vec<Item> = (490..510).map(|key| item(key, 99)).collect();
    tail.iter().for_each(|item| drop(live.insert(item.key, item.clone())));
    live.remove(&7);
    let spread = index.snapshot(&["global"]).unwrap().with_tail("global", tail, &[7]).unwrap();
    let empty = Index::in_memory().snapshot(&["global"]).unwrap();
    let fresh = empty.with_tail("global", live.into_values().collect(), &[]).unwrap();
    let shards = spread.shards();
    let everything: &dyn Fn(&Row) -> bool = &|_| true;
    let some: &dyn Fn(&Row) -> bool = &|row| row.columns.kind == 2;
    for generation in [1, 2] {
        assert!(spread.vectors(&shards, generation).unwrap() > 100);
        for seed in 0..10 {
            let query = VectorQuery::new(&floats(&mut Dice(seed))).unwrap();
            let asked = spread.vector_top(&shards, generation, &query, Some(everything), 12, 30).unwrap();
            assert_eq!(spread.vector_top(&shards, generation, &query, None, 12, 30).unwrap(), asked);
            for filter in [everything, some] {
                // Looking at all of them gives the exact answer,
                let hits = spread.vector_top(&shards, generation, &query, Some(filter), 12, 10_000).unwrap();
                let expected = by_hand(&fresh, generation, &query, filter);
                assert_eq!(plain(&hits), expected[..12]);
                assert_eq!(by_hand(&spread, generation, &query, filter), expected);
                // and looking at few gives the same wherever they are.
                let few = spread.vector_top(&shards, generation, &query, Some(filter), 12, 30).unwrap();
                let same = fresh.vector_top(&shards, generation, &query, Some(filter), 12, 30).unwrap();
                assert_eq!(plain(&few), plain(&same));
            }
        }
    }
    let query = VectorQuery::new(&floats(&mut Dice(1))).unwrap();
    assert_eq!(spread.vector_top(&shards, 3, &query, Some(everything), 5, 100).unwrap(), []);
    assert_eq!(spread.vector_top(&shards, 1, &query, Some(everything), 0, 0).unwrap(), []);
    let other = VectorQuery::new(&[1.0; 8]).unwrap();
    assert!(matches!(spread.vector_top(&shards, 1, &other, None, 5, 100), Err(IndexError::Invalid(_))));
}

#[test]
fn of_equal_vectors_the_oldest_count_wherever_they_are() {
    let same = quantize(&floats(&mut Dice(3))).unwrap();
    let of = |key| Item { vectors: vec![(1, vec![same.clone()])], ..item(key, 0) };
    let index = Index::in_memory();
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    // The oldest are in the smallest segments, which are looked at last.
    for (round, keys) in [20..320, 10..20, 0..10].into_iter().enumerate() {
        let batch = Batch { scope: "global".to_owned(), upserts: keys.map(of).collect(), removals: Vec::new() };
        writer.apply(vec![batch], round as u64).unwrap();
    }
    let snapshot = index.snapshot(&["global"]).unwrap();
    let query = VectorQuery::new(&floats(&mut Dice(5))).unwrap();
    for rescore in [15, 40, 1000] {
        let found = snapshot.vector_top(&snapshot.shards(), 1, &query, None, 15, rescore).unwrap();
        assert_eq!(found.iter().map(|hit| hit.key).collect::<Vec<_>>(), (0..15).collect::<Vec<_>>(), "{rescore}");
    }
}

#[test]
fn a_document_gets_its_vectors_later_and_loses_them_again() {
    let index = Index::in_memory();
    let bare = Item { vectors: Vec::new(), ..item(1, 0) };
    let query = VectorQuery::new(&floats(&mut Dice(1))).unwrap();
    let snapshot = index.snapshot(&["global"]).unwrap().with_tail("global", vec![bare.clone()], &[]).unwrap();
    let shards = snapshot.shards();
    let count = |snapshot: &Snapshot| snapshot.vector_top(&shards, 2, &query, None, 5, 50).unwrap().len();
    assert_eq!(count(&snapshot), 0);
    let later = snapshot.with_tail("global", vec![item(1, 0)], &[]).unwrap();
    assert_eq!((count(&later), later.documents(&shards).unwrap()), (1, 1));
    assert_eq!(count(&later.with_tail("global", vec![bare], &[]).unwrap()), 0);
    assert_eq!(count(&snapshot), 0, "the older snapshot has changed");
}

#[test]
fn a_centre_changes_no_answer_that_looks_at_everything() {
    let mut dice = Dice(8);
    let centre: Vec<f32> = floats(&mut dice).into_iter().map(|value| value / 20.0).collect();
    let (with, without) = (Index::in_memory(), Index::in_memory());
    with.set_centre(1, centre);
    let tail = |index: &Index| {
        let items = (0..200).map(|key| item(key, 0)).collect();
        index.snapshot(&["global"]).unwrap().with_tail("global", items, &[]).unwrap()
    };
    let query = VectorQuery::new(&floats(&mut dice)).unwrap();
    let hits =
        |snapshot: &Snapshot| plain(&snapshot.vector_top(&snapshot.shards(), 1, &query, None, 20, 1000).unwrap());
    assert_eq!(hits(&tail(&with)), hits(&tail(&without)));
}
