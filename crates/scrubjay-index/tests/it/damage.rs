//! Damage is reported, and a rebuild repairs it.

use std::fs;
use std::path::Path;

use scrubjay_index::{Batch, Bm25, Index, IndexError, Item};

use crate::reference::{IDENTITY, Library, ask, item, query};

fn library() -> Library {
    let items = |keys: std::ops::Range<u64>| keys.map(|key| (key, item(key, 0))).collect();
    Library([("global".to_owned(), items(0..400)), ("task".to_owned(), items(1000..1030))].into())
}

fn write(index: &Index, library: &Library, through: u64) {
    let mut writer = index.try_writer().unwrap().unwrap();
    let mut rebuild = writer.rebuild(IDENTITY);
    for (scope, items) in &library.0 {
        rebuild.add(scope, items.values().cloned().collect::<Vec<Item>>()).unwrap();
    }
    rebuild.finish(through).unwrap();
}

fn files(folder: &Path, suffix: &str) -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_str().unwrap().ends_with(suffix));
    files.sort();
    files
}

#[test]
fn a_damaged_file_never_changes_an_answer_silently_and_a_rebuild_repairs_it() {
    let folder = tempfile::tempdir().unwrap();
    let library = library();
    write(&Index::open(folder.path()), &library, 5);
    let terms = query(3, 6);
    let scopes = ["global", "task"];
    let expected = library.answers(&scopes, &terms, &Bm25::default(), 20);
    let answers = |index: &Index| ask(&index.snapshot(&scopes)?, &terms, &Bm25::default(), 20);
    assert_eq!(answers(&Index::open(folder.path())).unwrap(), expected);
    Index::open(folder.path()).verify().unwrap();

    let mut noticed = 0;
    for path in files(folder.path(), "").into_iter().filter(|path| !path.ends_with("lock")) {
        let bytes = fs::read(&path).unwrap();
        let step = (bytes.len() / 40).max(1);
        let flips = (0..bytes.len()).step_by(step).map(|place| {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1 << (place % 8);
            damaged
        });
        let cuts = [0, 1, 39, 40, bytes.len() / 2, bytes.len() - 1].map(|length| bytes[..length].to_vec());
        for damaged in flips.chain(cuts) {
            fs::write(&path, &damaged).unwrap();
            let index = Index::open(folder.path());
            assert!(index.verify().is_err(), "{}", path.display());
            match answers(&index) {
                Ok(answers) => assert_eq!(answers, expected),
                Err(IndexError::Damaged(_) | IndexError::Foreign(_)) => noticed += 1,
                Err(error) => panic!("{error:?}"),
            }
        }
        fs::write(&path, &bytes).unwrap();
    }
    assert!(noticed > 50, "only {noticed} damaged files were noticed by searching");
    assert_eq!(answers(&Index::open(folder.path())).unwrap(), expected);

    for which in 0..3 {
        let mut all = files(folder.path(), "");
        all.retain(|path| !path.ends_with("lock"));
        assert_eq!(all.len(), 3);
        fs::write(&all[which], b"nothing of use").unwrap();
        let index = Index::open(folder.path());
        assert!(answers(&index).is_err());
        write(&index, &library, 6);
        assert_eq!(answers(&index).unwrap(), expected);
        assert_eq!(answers(&Index::open(folder.path())).unwrap(), expected);
        Index::open(folder.path()).verify().unwrap();
        assert_eq!(files(folder.path(), ".segment").len(), 2, "files of the old index are left");
    }
}

#[test]
fn a_missing_segment_is_an_error_and_not_an_empty_answer() {
    let folder = tempfile::tempdir().unwrap();
    write(&Index::open(folder.path()), &library(), 5);
    for path in files(folder.path(), ".segment") {
        fs::remove_file(path).unwrap();
    }
    let index = Index::open(folder.path());
    assert!(matches!(index.snapshot(&["global"]), Err(IndexError::Damaged(_))));
    assert!(index.snapshot(&["elsewhere"]).is_ok());
    assert!(index.verify().is_err());
    let mut writer = index.try_writer().unwrap().unwrap();
    let batch = Batch { scope: "global".to_owned(), upserts: vec![item(1, 1)], removals: Vec::new() };
    assert!(writer.apply(vec![batch], 9).is_err());
    assert_eq!(index.summary().unwrap().unwrap().through, 5);
}

#[test]
fn a_segment_cut_short_while_it_is_mapped_is_noticed_before_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let library = library();
    let index = Index::open(folder.path());
    write(&index, &library, 5);
    let terms = query(3, 6);
    let scopes = ["global", "task"];
    let expected = library.answers(&scopes, &terms, &Bm25::default(), 20);
    // Held, as by someone who asks again and again.
    let held = index.snapshot(&scopes).unwrap();
    assert_eq!(ask(&held, &terms, &Bm25::default(), 20).unwrap(), expected);
    for path in files(folder.path(), ".segment") {
        fs::OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap();
    }
    assert!(matches!(index.snapshot(&scopes), Err(IndexError::Damaged(_))));
    assert!(index.verify().is_err());
    write(&index, &library, 6);
    let snapshot = index.snapshot(&scopes).unwrap();
    assert_eq!(ask(&snapshot, &terms, &Bm25::default(), 20).unwrap(), expected);
}
