//! Sources are kept per scope, transcripts by file, and the last run of each
//! trigger.

use scrubjay_core::source::Source;

use super::case::{Outcome, cases, equal, holds, present};
use super::fixture::{Fixture, scope, view};
use crate::Store;
use crate::source::{SourceKind, SourcePlace, SyncCounts, SyncRun, TranscriptPlace};

cases![
    a_source_is_kept_once_and_forgotten,
    nobody_sees_another_projects_sources,
    a_transcript_is_known_by_path_and_by_file,
    the_last_run_of_each_cause_is_kept,
    documents_are_found_by_path_and_counted,
];

fn place(fixture: &mut Fixture<'_>, scope_name: &str, path: &str) -> SourcePlace {
    SourcePlace {
        scope: scope(scope_name),
        kind: SourceKind::Workspace,
        path: path.to_owned(),
        format: String::new(),
        added_at: fixture.now(),
        synced_at: None,
        dirty: true,
    }
}

async fn a_source_is_kept_once_and_forgotten(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = place(&mut fixture, "project/a", "/repo/a");
    store.put_source(first.clone()).await?;
    let later = SourcePlace { added_at: fixture.now(), synced_at: Some(fixture.now()), dirty: false, ..first.clone() };
    store.put_source(later.clone()).await?;
    let kept = store.sources(&view("project/a")).await?;
    equal("once, with its first time", kept, vec![SourcePlace { added_at: first.added_at, ..later }])?;
    let notes = SourcePlace { kind: SourceKind::Notes, ..first.clone() };
    store.put_source(notes).await?;
    equal("another kind is another place", store.all_sources().await?.len(), 2)?;
    holds("gone", store.remove_source(&first.scope, SourceKind::Workspace, "/repo/a").await?)?;
    holds("not twice", !store.remove_source(&first.scope, SourceKind::Workspace, "/repo/a").await?)?;
    equal("the other stays", store.sources(&view("project/a")).await?.len(), 1)
}

async fn nobody_sees_another_projects_sources(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let theirs = place(&mut fixture, "project/b", "/repo/b");
    store.put_source(theirs.clone()).await?;
    let everyones = place(&mut fixture, "global", "/notes");
    store.put_source(everyones.clone()).await?;
    equal("ours", store.sources(&view("project/a")).await?, vec![everyones])?;
    let at = fixture.now();
    let run = SyncRun { cause: "watch".to_owned(), at, took_ms: 1, counts: SyncCounts::default(), failure: None };
    store.note_sync(&theirs.scope, run).await?;
    equal("runs", store.syncs(&scope("project/a")).await?.len(), 0)?;
    let document = fixture.document("project/b", "/repo/b/x.md");
    store.put_document(document.clone(), fixture.chunks(&["one"])).await?;
    equal("counts", store.document_counts(&view("project/a")).await?.len(), 0)?;
    equal("by path", store.documents_at(&scope("project/a"), vec![document.path]).await?.len(), 0)
}

async fn a_transcript_is_known_by_path_and_by_file(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = TranscriptPlace {
        path: "/t/one.jsonl".to_owned(),
        format: "generic".to_owned(),
        read_bytes: 10,
        device: u64::MAX,
        inode: 7,
        head_hash: u64::MAX - 1,
        tail_hash: 3,
        state: "{}".to_owned(),
        messages: 2,
        read_at: fixture.now(),
    };
    store.put_transcript(first.clone()).await?;
    let later = TranscriptPlace { read_bytes: 20, messages: 4, ..first.clone() };
    store.put_transcript(later.clone()).await?;
    equal("by path", store.transcript("/t/one.jsonl").await?, Some(later.clone()))?;
    equal("unknown", store.transcript("/t/two.jsonl").await?, None)?;
    equal("by file", store.transcripts_of_file(u64::MAX, 7).await?, vec![later])?;
    equal("another file", store.transcripts_of_file(1, 7).await?.len(), 0)
}

async fn the_last_run_of_each_cause_is_kept(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut runs = Vec::new();
    for (cause, indexed) in [("watch", 1), ("force", 2), ("watch", 3)] {
        let counts = SyncCounts { indexed, unchanged: 4, removed: 5, skipped: 6, messages: 7 };
        let failure = (indexed == 3).then(|| "stopped".to_owned());
        let run = SyncRun { cause: cause.to_owned(), at: fixture.now(), took_ms: 8, counts, failure };
        store.note_sync(&scope("project/a"), run.clone()).await?;
        runs.push(run);
    }
    let kept = store.syncs(&scope("project/a")).await?;
    equal("the last ones", kept, vec![runs[1].clone(), runs[2].clone()])
}

async fn documents_are_found_by_path_and_counted(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for (path, texts) in [("/a/1", &["one", "two"][..]), ("/a/2", &["three"]), ("/a/3", &[])] {
        let document = fixture.document("project/a", path);
        store.put_document(document, fixture.chunks(texts)).await?;
    }
    let wanted = ["/a/3", "/a/1", "/a/9"].map(str::to_owned).to_vec();
    let mut found: Vec<String> =
        store.documents_at(&scope("project/a"), wanted).await?.into_iter().map(|document| document.path).collect();
    found.sort();
    equal("those there", found, vec!["/a/1".to_owned(), "/a/3".to_owned()])?;
    let counts = store.document_counts(&view("project/a")).await?;
    let source = present("a kind", counts.first())?.source;
    holds("of files", source != Source::Sessions)?;
    let sums = counts.iter().fold((0, 0), |sums, count| (sums.0 + count.documents, sums.1 + count.chunks));
    equal("documents and chunks", sums, (3, 3))
}
