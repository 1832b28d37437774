//! The power fails, and the disk does.
//!
//! The store runs on a file layer that records every write. From the record, the
//! disk is rebuilt as it may look after a power cut at any moment, and opened
//! again: what was acknowledged must be there, once. The same harness with
//! commits that are not flushed must find losses, or it would be blind.

use std::path::Path;
use std::sync::Arc;

use scrubjay_core::memory::EndedBy;
use scrubjay_core::scope::View;
use scrubjay_store::change::{Captured, Change};
use scrubjay_store::query::{Activity, CheckStatus, ListQuery};
use scrubjay_store::sqlite::{Options, SqliteStore, Synchronous};
use scrubjay_store::{Memories, StoreError, Upkeep};
use scrubjay_test::longer;
use scrubjay_test::vfs::{
    Acknowledged, CallKind, CutReport, Fault, FaultSweep, Handle, RecordingVfs, Verdict, VfsError, check_cuts,
    sweep_faults,
};

use crate::make::{block_on, message, project, stamp};

#[test]
fn crash_power_cuts_lose_nothing_that_was_acknowledged() {
    let report = cut(Synchronous::Full, 200 * longer(5));
    assert!(report.is_sound(), "{report}");
    assert!(report.damaged > 0, "no image had anything missing, so nothing was tried: {report}");
}

#[test]
fn crash_the_harness_sees_commits_that_were_not_flushed() {
    let report = cut(Synchronous::Normal, 60);
    assert!(report.lost > 0, "{report}");
    assert_eq!(report.corrupt, 0, "{report}");
}

#[test]
fn disk_faults_are_never_acknowledged_and_never_corrupt() {
    let sweep = FaultSweep {
        faults: vec![
            (CallKind::Write, Fault::InputOutput),
            (CallKind::Write, Fault::NoSpace),
            (CallKind::Write, Fault::ShortWrite),
            (CallKind::Sync, Fault::InputOutput),
        ],
        suffix: String::new(),
        persistent: false,
        stride: if longer(2) == 2 { 1 } else { 3 },
    };
    let report = sweep_faults::<VfsError>(&sweep, |handle, plan| {
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path(), handle, Synchronous::Full);
        let mut acknowledged = Vec::new();
        {
            let store = SqliteStore::open(options.clone()).unwrap();
            handle.fail(plan.clone())?;
            for number in 0..6 {
                match block_on(store.capture(stamp("capture"), vec![message("power", number)], Vec::new())) {
                    Ok(captured) => acknowledged.extend(ids(&captured)),
                    Err(StoreError::Damaged { detail, .. }) => panic!("a failing disk was taken for damage: {detail}"),
                    Err(_) => {}
                }
                if number == 3 {
                    let _ = block_on(store.checkpoint());
                }
            }
            handle.clear_faults();
        }
        let verdict = judge(&options.path, &acknowledged);
        assert_eq!(verdict, Verdict::Sound, "{plan:?}");
        Ok(())
    })
    .unwrap();
    assert!(report.fired > 10, "hardly anything failed: {report:?}");
}

#[test]
fn disk_full_is_said_and_writing_resumes_by_itself() {
    let handle = RecordingVfs::register_numbered("full").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), &handle, Synchronous::Full);
    let store = SqliteStore::open(options.clone()).unwrap();
    let capture = |number| block_on(store.capture(stamp("capture"), vec![message("power", number)], Vec::new()));
    let mut acknowledged = ids(&capture(0).unwrap());
    handle.fail(scrubjay_test::vfs::FaultPlan::new(CallKind::Write, Fault::NoSpace).persistently()).unwrap();
    for number in 1..4 {
        let error = capture(number).unwrap_err();
        assert!(matches!(error, StoreError::Full), "{error}");
    }
    let page = block_on(store.list(&View::project(project("power")), ListQuery { limit: 10, ..ListQuery::default() }))
        .unwrap();
    assert_eq!(page.memories.len(), 1, "reading goes on");
    handle.clear_faults();
    for number in 1..4 {
        acknowledged.extend(ids(&capture(number).unwrap()));
    }
    drop(store);
    assert_eq!(judge(&options.path, &acknowledged), Verdict::Sound);
}

#[test]
fn disk_a_failed_checkpoint_stops_writing_loudly() {
    let handle = RecordingVfs::register_numbered("stop").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), &handle, Synchronous::Full);
    let store = SqliteStore::open(options.clone()).unwrap();
    let capture = |number| block_on(store.capture(stamp("capture"), vec![message("power", number)], Vec::new()));
    let acknowledged = ids(&capture(0).unwrap());
    let plan = scrubjay_test::vfs::FaultPlan::new(CallKind::Sync, Fault::InputOutput).for_files_ending(".sqlite");
    handle.fail(plan).unwrap();
    assert!(block_on(store.checkpoint()).is_err());
    handle.clear_faults();
    assert!(matches!(capture(1), Err(StoreError::Stopped { .. })), "nothing more is acknowledged");
    let health = block_on(store.check(false)).unwrap();
    assert!(
        health.iter().any(|finding| finding.status == CheckStatus::Damaged && finding.check == "writer"),
        "{health:?}"
    );
    drop(store);
    assert_eq!(judge(&options.path, &acknowledged), Verdict::Sound, "the log is replayed");
}

fn cut(synchronous: Synchronous, images: usize) -> CutReport {
    let handle = RecordingVfs::register_numbered("cut").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let options = options(folder.path(), &handle, synchronous);
    let store = Arc::new(SqliteStore::open(options).unwrap());
    let start = handle.log_position();
    let acknowledged = Acknowledged::default();
    // Several callers at once, so that commits are shared.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    runtime.block_on(async {
        let work = (0..4).map(|caller| {
            let (store, handle, acknowledged) = (Arc::clone(&store), &handle, &acknowledged);
            async move {
                for number in 0..12 {
                    let new = message("power", caller * 100 + number);
                    let captured = store.capture(stamp("capture"), vec![new], Vec::new()).await.unwrap();
                    let id = ids(&captured)[0];
                    acknowledged.note(handle, id);
                    if number % 4 == 3 {
                        let end = Change::End { id, expected_version: None, by: EndedBy::Forgotten };
                        store
                            .apply(&View::project(project("power")), stamp("forget"), vec![end], Vec::new())
                            .await
                            .unwrap();
                    }
                    if number == 6 {
                        store.checkpoint().await.unwrap();
                    }
                }
            }
        });
        join_all(work).await;
    });
    let points = handle.cut_points(start, images, 11);
    let scratch = tempfile::tempdir().unwrap();
    check_cuts(&handle, &points, scratch.path(), |point, image| {
        judge(&image.join("store.sqlite"), &acknowledged.by(point.position))
    })
    .unwrap()
}

async fn join_all(work: impl Iterator<Item = impl Future<Output = ()>>) {
    // All futures are polled in turn by one task; the writer thread does the
    // rest, and finds several writes waiting.
    let mut work: Vec<_> = work.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        work.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if work.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

fn judge(path: &Path, acknowledged: &[scrubjay_core::id::MemoryId]) -> Verdict {
    let store = match SqliteStore::open(Options::new(path)) {
        Ok(store) => store,
        Err(error) => return Verdict::Corrupt(error.to_string()),
    };
    let findings = match block_on(store.check(true)) {
        Ok(findings) => findings,
        Err(error) => return Verdict::Corrupt(error.to_string()),
    };
    if let Some(bad) = findings.iter().find(|finding| finding.status != CheckStatus::Good) {
        return Verdict::Corrupt(format!("{bad:?}"));
    }
    let query = ListQuery { limit: 1000, activity: Activity::Any, ..ListQuery::default() };
    let memories = match block_on(store.list(&View::project(project("power")), query)) {
        Ok(page) => page.memories,
        Err(error) => return Verdict::Corrupt(error.to_string()),
    };
    for id in acknowledged {
        match memories.iter().filter(|memory| memory.id == *id).count() {
            0 => return Verdict::Lost(id.to_string()),
            1 => {}
            _ => return Verdict::Duplicated(id.to_string()),
        }
    }
    Verdict::Sound
}

fn options(folder: &Path, handle: &Handle, synchronous: Synchronous) -> Options {
    Options { vfs: Some(handle.name().to_owned()), synchronous, ..Options::new(folder.join("store.sqlite")) }
}

fn ids(captured: &[Captured]) -> Vec<scrubjay_core::id::MemoryId> {
    captured.iter().filter_map(|captured| if let Captured::Stored(id) = captured { Some(*id) } else { None }).collect()
}
