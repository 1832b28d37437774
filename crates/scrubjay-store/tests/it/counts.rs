//! Counts that are derived from the memories: noticed when they are off, and made anew.

use rusqlite::Connection;
use scrubjay_store::query::{CheckStatus, Finding};
use scrubjay_store::{Memories, Upkeep};

use crate::support::{Maker, block_on, open, view};

fn finding(findings: Vec<Finding>) -> CheckStatus {
    findings.into_iter().find(|finding| finding.check == "counts").unwrap().status
}

#[test]
fn counts_that_are_off_are_found_and_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = open(&path);
    let view = view("project/a");
    block_on(async {
        let mut maker = Maker::new(1);
        for number in 0..3 {
            maker.remember(&store, "project/a", &format!("fact {number}")).await;
        }
        let counted = store.counts(&view).await.unwrap();
        assert_eq!(counted.active.iter().map(|row| row.3).sum::<u64>(), 3);
        assert_eq!(finding(store.check(true).await.unwrap()), CheckStatus::Good);
        for wrong in ["UPDATE memory_counts SET memories = 7", "DELETE FROM memory_counts"] {
            Connection::open(&path).unwrap().execute(wrong, []).unwrap();
            assert_eq!(finding(store.check(true).await.unwrap()), CheckStatus::Repairable, "{wrong}");
            store.repair().await.unwrap();
            assert_eq!(finding(store.check(true).await.unwrap()), CheckStatus::Good, "{wrong}");
            assert_eq!(store.counts(&view).await.unwrap(), counted, "{wrong}");
        }
    });
}
