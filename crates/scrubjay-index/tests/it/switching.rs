//! Changes are all or nothing.

use std::fs;
use std::path::Path;

use scrubjay_index::{Batch, Bm25, Identity, Index, IndexError, Item, Snapshot};

use crate::reference::{GENERATION, IDENTITY, item, query};

fn items(keys: impl Iterator<Item = u64>) -> Vec<Item> {
    keys.map(|key| item(key, 0)).collect()
}

fn batch(scope: &str, upserts: Vec<Item>, removals: &[u64]) -> Batch {
    Batch { scope: scope.to_owned(), upserts, removals: removals.to_vec() }
}

fn keys(snapshot: &Snapshot) -> Vec<u64> {
    let mut keys = Vec::new();
    let visit = &mut |_, row: &scrubjay_index::Row| {
        keys.push(row.key);
        std::ops::ControlFlow::Continue(())
    };
    snapshot.for_each(&snapshot.shards(), visit).unwrap();
    keys.sort_unstable();
    keys
}

fn segment_files(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_str().unwrap().ends_with(".segment")).count()
}

#[test]
fn what_a_dead_writer_left_behind_is_ignored_and_then_removed() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path());
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    writer.apply(vec![batch("global", items(0..10), &[])], 1).unwrap();
    // The writer dies after it has written the segments of a rebuild and half a manifest.
    let mut rebuild = writer.rebuild(IDENTITY);
    rebuild.add("global", items(100..100 + 40_000)).unwrap();
    std::mem::forget(rebuild);
    drop(writer);
    let manifest = fs::read(folder.path().join("manifest")).unwrap();
    fs::write(folder.path().join("manifest.new"), &manifest[..manifest.len() / 2]).unwrap();
    fs::write(folder.path().join("00000000000000ff.segment"), b"garbage").unwrap();
    assert_eq!(segment_files(folder.path()), 3);

    let other = Index::open(folder.path());
    assert_eq!(keys(&other.snapshot(&["global"]).unwrap()), (0..10).collect::<Vec<_>>());
    let mut writer = other.try_writer().unwrap().unwrap();
    assert_eq!(segment_files(folder.path()), 1);
    writer.apply(vec![batch("global", items(10..12), &[])], 2).unwrap();
    assert_eq!(keys(&other.snapshot(&["global"]).unwrap()), (0..12).collect::<Vec<_>>());
    assert!(!folder.path().join("manifest.new").exists());
}

#[test]
fn a_rebuild_that_is_given_up_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path());
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(4).unwrap();
    writer.apply(vec![batch("global", items(0..5), &[])], 5).unwrap();
    let mut rebuild = writer.rebuild(Identity { lineage: 8, analyser: 2 });
    rebuild.add("global", items(0..33_000)).unwrap();
    assert!(matches!(rebuild.add("global", items(7..8)), Err(IndexError::Invalid(_))));
    drop(rebuild);
    assert_eq!(segment_files(folder.path()), 1);
    assert_eq!(index.summary().unwrap().unwrap().identity, IDENTITY);
    assert_eq!(keys(&index.snapshot(&["global"]).unwrap()).len(), 5);
    let mut rebuild = writer.rebuild(Identity { lineage: 8, analyser: 2 });
    rebuild.add("task", items(50..60)).unwrap();
    rebuild.finish(9).unwrap();
    let summary = Index::open(folder.path()).summary().unwrap().unwrap();
    assert_eq!((summary.identity, summary.through), (Identity { lineage: 8, analyser: 2 }, 9));
    assert_eq!(summary.scopes.len(), 1);
    assert_eq!(segment_files(folder.path()), 1);
}

#[test]
fn there_is_one_writer_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    for (one, other) in
        [(Index::open(&folder.path().join("index/agent")), Index::open(&folder.path().join("index/agent"))), {
            let memory = Index::in_memory();
            (memory.clone(), memory)
        }]
    {
        let writer = one.try_writer().unwrap().unwrap();
        assert!(one.try_writer().unwrap().is_none());
        assert!(other.try_writer().unwrap().is_none());
        drop(writer);
        assert!(other.try_writer().unwrap().is_some());
    }
}

#[test]
fn an_index_must_be_made_before_it_is_changed_and_its_mark_does_not_go_back() {
    let index = Index::in_memory();
    let mut writer = index.try_writer().unwrap().unwrap();
    assert!(matches!(writer.apply(Vec::new(), 1), Err(IndexError::Invalid(_))));
    assert!(index.summary().unwrap().is_none());
    writer.rebuild(IDENTITY).finish(5).unwrap();
    assert!(matches!(writer.apply(Vec::new(), 4), Err(IndexError::Invalid(_))));
    writer.apply(vec![batch("global", items(0..3), &[])], 6).unwrap();
    assert_eq!(index.snapshot(&["global"]).unwrap().through(), 6);
    assert_eq!(index.snapshot(&["global"]).unwrap().lineage(), Some(7));
    // Vectors of unequal dimensions are refused as a whole.
    let mut odd = items(3..5);
    odd[0].vectors = vec![(1, vec![scrubjay_index::vector::quantize(&[1.0; 8]).unwrap()])];
    odd[1].vectors = vec![(1, vec![scrubjay_index::vector::quantize(&[1.0; 16]).unwrap()])];
    assert!(matches!(writer.apply(vec![batch("global", odd, &[])], 7), Err(IndexError::Invalid(_))));
    assert_eq!(index.summary().unwrap().unwrap().through, 6);
    writer.apply(vec![batch("global", items(3..5), &[0])], 7).unwrap();
    assert_eq!(keys(&index.snapshot_of_all().unwrap()), [1, 2, 3, 4]);
    writer.wipe().unwrap();
    assert!(index.summary().unwrap().is_none());
    assert!(keys(&index.snapshot(&["global"]).unwrap()).is_empty());
}

#[test]
fn purged_documents_leave_every_file() {
    let folder = tempfile::tempdir().unwrap();
    let index = Index::open(folder.path());
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    let secret = 0x5ec2_e75e_c2e7_5ec2u64;
    let holds_secret = || {
        let files = fs::read_dir(folder.path()).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
        files.into_iter().any(|bytes| bytes.windows(8).any(|window| window == secret.to_le_bytes()))
    };
    let mut with_secret = item(500, 0);
    with_secret.terms.push((secret, 2));
    writer.apply(vec![batch("global", items(0..50), &[])], 1).unwrap();
    writer.apply(vec![batch("global", [items(60..90), vec![with_secret]].concat(), &[])], 2).unwrap();
    assert!(holds_secret());
    // Deleting or replacing is not enough.
    writer.apply(vec![batch("global", items(500..501), &[3])], 3).unwrap();
    assert!(holds_secret());
    writer.purge("elsewhere", &[500]).unwrap();
    writer.purge("global", &[500, 3, 77, 12_345]).unwrap();
    assert!(!holds_secret());
    let left = keys(&Index::open(folder.path()).snapshot(&["global"]).unwrap());
    let expected: Vec<u64> = (0..50).chain(60..90).filter(|key| ![3, 77].contains(key)).collect();
    assert_eq!(left, expected);
    assert_eq!(index.summary().unwrap().unwrap().through, 3);
    Index::open(folder.path()).verify().unwrap();
}

#[test]
fn segments_stay_few_and_worn_ones_are_rewritten() {
    let index = Index::in_memory();
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    for round in 0..300 {
        writer.apply(vec![batch("global", items(round * 3..round * 3 + 5), &[])], round).unwrap();
    }
    let summary = index.summary().unwrap().unwrap();
    let scope = &summary.scopes[0];
    assert_eq!(scope.documents, 902);
    assert!(scope.segments <= 17, "{} segments", scope.segments);
    assert!(scope.deleted * 2 <= scope.documents, "{} deleted", scope.deleted);
    writer.apply(vec![batch("global", Vec::new(), &(0..902).collect::<Vec<_>>())], 300).unwrap();
    assert!(index.summary().unwrap().unwrap().scopes.is_empty());
}

#[test]
fn other_generations_can_be_dropped() {
    let index = Index::in_memory();
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    let mut both = items(0..40);
    for item in &mut both {
        let next: Vec<_> = item.vectors.iter().map(|(generation, vectors)| (generation + 1, vectors.clone())).collect();
        item.vectors.extend(next);
    }
    writer.apply(vec![batch("global", both, &[]), batch("task", items(50..60), &[])], 1).unwrap();
    let vectors = |index: &Index| index.summary().unwrap().unwrap().scopes[0].vectors.clone();
    let count = vectors(&index)[0].1;
    assert_eq!(vectors(&index), [(GENERATION, count), (GENERATION + 1, count)]);
    writer.retain_generations(&[GENERATION + 1]).unwrap();
    assert_eq!(vectors(&index), [(GENERATION + 1, count)]);
    assert!(index.summary().unwrap().unwrap().scopes[1].vectors.is_empty());
    let snapshot = index.snapshot(&["global", "task"]).unwrap();
    assert_eq!(keys(&snapshot).len(), 50);
    assert!(
        !snapshot.lexical_top(&snapshot.shards(), &query(2, 6), &Bm25::default(), &|_| true, 5).unwrap().is_empty()
    );
}

#[cfg(unix)]
#[test]
fn files_are_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index").join("agent");
    let index = Index::open(&path);
    let mut writer = index.try_writer().unwrap().unwrap();
    writer.rebuild(IDENTITY).finish(0).unwrap();
    writer.apply(vec![batch("global", items(0..3), &[])], 1).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    let mut count = 0;
    for entry in fs::read_dir(&path).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
        count += 1;
    }
    assert_eq!(count, 3);
    assert!(index.size_bytes().unwrap() > 1000);
}
