//! The words of documents, and documents that hold all of some terms.

use std::collections::BTreeSet;

use proptest::prelude::*;
use scrubjay_index::{Batch, Columns, Index, Item, Snapshot};
use xxhash_rust::xxh3::xxh3_64;

use crate::reference::{IDENTITY, item};

fn hash(word: &str) -> u64 {
    xxh3_64(word.as_bytes())
}

fn saying(key: u64, words: &[&str]) -> Item {
    let terms = words.iter().map(|word| (hash(word), 1)).collect();
    let columns = Columns { event_time: key as i64, ..Columns::default() };
    Item { columns, terms, words: words.join("\n"), length: words.len() as u32, vectors: Vec::new(), ..item(key, 0) }
}

fn words(snapshot: &Snapshot) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let visit = &mut |word: &[u8]| {
        found.insert(String::from_utf8(word.to_vec()).unwrap());
    };
    snapshot.for_each_word(&snapshot.shards(), 4..=40, visit).unwrap();
    found
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_scope_has_its_own_words_and_no_others() {
    let index = Index::in_memory();
    let mut writer = index.try_writer().unwrap().unwrap();
    let mut rebuild = writer.rebuild(IDENTITY);
    rebuild.add("one", vec![saying(1, &["postgres", "kubernetes"]), saying(2, &["postgres", "api"])]).unwrap();
    rebuild.add("two", vec![saying(3, &["zanzibar"])]).unwrap();
    rebuild.finish(1).unwrap();
    drop(writer);
    let one = index.snapshot(&["one"]).unwrap();
    assert_eq!(words(&one), set(&["postgres", "kubernetes"]));
    let laid_over = one.with_tail("one", vec![saying(4, &["füßchen"])], &[]).unwrap();
    assert_eq!(words(&laid_over), set(&["postgres", "kubernetes", "füßchen"]));
    assert_eq!(words(&index.snapshot(&["two"]).unwrap()), set(&["zanzibar"]));
    let mut short = Vec::new();
    one.for_each_word(&one.shards(), 4..=9, &mut |word| short.push(word.to_vec())).unwrap();
    assert_eq!(short, [b"postgres"]);
}

#[test]
fn a_purged_word_is_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path());
    let mut writer = index.try_writer().unwrap().unwrap();
    let mut rebuild = writer.rebuild(IDENTITY);
    rebuild.add("one", vec![saying(1, &["shared", "marmalade"]), saying(2, &["shared"])]).unwrap();
    rebuild.finish(1).unwrap();
    let holds = |word: &str| {
        let files =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
        files.into_iter().any(|bytes| bytes.windows(word.len()).any(|window| window == word.as_bytes()))
    };
    assert!(holds("marmalade") && holds("shared"));
    writer.purge("one", &[1]).unwrap();
    assert!(!holds("marmalade") && holds("shared"));
    drop(writer);
    assert_eq!(words(&index.snapshot(&["one"]).unwrap()), set(&["shared"]));
}

proptest! {
    #[test]
    fn words_are_those_of_live_documents_after_a_merge(
        documents in prop::collection::vec(prop::collection::btree_set("[a-f]{4,6}", 0..4), 1..30),
        removed in prop::collection::btree_set(0_u64..30, 0..20),
    ) {
        let index = Index::in_memory();
        let mut writer = index.try_writer().unwrap().unwrap();
        writer.rebuild(IDENTITY).finish(1).unwrap();
        for (key, said) in documents.iter().enumerate() {
            let said: Vec<&str> = said.iter().map(String::as_str).collect();
            let batch = Batch { scope: "one".to_owned(), upserts: vec![saying(key as u64, &said)], removals: Vec::new() };
            writer.apply(vec![batch], key as u64 + 2).unwrap();
        }
        let gone: Vec<u64> = removed.iter().copied().collect();
        writer.purge("one", &gone).unwrap();
        drop(writer);
        let live = documents.iter().enumerate().filter(|(key, _)| !removed.contains(&(*key as u64)));
        let expected: BTreeSet<String> = live.flat_map(|(_, said)| said.iter().cloned()).collect();
        prop_assert_eq!(words(&index.snapshot(&["one"]).unwrap()), expected);
    }

    #[test]
    fn all_terms_are_held_newest_first(
        documents in prop::collection::vec(prop::collection::btree_set("[a-d]{4}", 0..8), 1..60),
        asked in prop::collection::btree_set("[a-d]{4}", 1..3),
        limit in 1_usize..10,
    ) {
        let items: Vec<Item> = documents.iter().enumerate().map(|(key, said)| {
            saying(key as u64, &said.iter().map(String::as_str).collect::<Vec<_>>())
        }).collect();
        let (first, second) = items.split_at(items.len() / 2);
        let snapshot = Index::in_memory().snapshot(&["one"]).unwrap();
        let snapshot = snapshot.with_tail("one", first.to_vec(), &[]).unwrap();
        let snapshot = snapshot.with_tail("one", second.to_vec(), &[0]).unwrap();
        let hashes: Vec<u64> = asked.iter().map(|word| hash(word)).collect();
        let found = snapshot.holding_all(&snapshot.shards(), &hashes, &|row| row.key % 5 != 3, limit).unwrap();
        let found: Vec<u64> = found.iter().map(|document| snapshot.row(*document).unwrap().key).collect();
        let mut expected: Vec<u64> = documents.iter().enumerate()
            .filter(|(key, said)| asked.is_subset(said) && key % 5 != 3 && (*key != 0 || documents.len() < 2))
            .map(|(key, _)| key as u64).collect();
        expected.reverse();
        expected.truncate(limit);
        prop_assert_eq!(found, expected);
    }
}
