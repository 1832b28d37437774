//! Failing disks: every call fails once in some run, and no failure may pass unreported or harm what was acknowledged.

use rusqlite::ErrorCode;

use crate::longer;

use super::super::{
    Acknowledged, Action, CallKind, Fault, FaultPlan, FaultSweep, Handle, LogPosition, RecordingVfs, SweepReport,
    Verdict, check_cuts, sweep_faults,
};
use super::workload::{FILE_NAME, Outcome, checkpoint, commit, judge, open, set_up};

/// Runs commits and checkpoints on a disk that fails by the plan, then looks at what is left: on the disk as it is,
/// and on disks cut at some moment before.
fn commits_on_a_failing_disk(handle: &Handle, plan: &FaultPlan) -> Outcome {
    let commits = 6;
    let directory = tempfile::tempdir()?;
    let path = directory.path().join(FILE_NAME);
    let acknowledged = Acknowledged::default();
    let mut connection = open(handle, &path)?;
    set_up(&connection, "wal")?;
    handle.fail(plan.clone())?;
    for number in 0..commits {
        if succeeds(handle, plan, || commit(&mut connection, number))? {
            acknowledged.note(handle, number);
        }
        if number % 3 == 2 {
            let mode = ["TRUNCATE", "PASSIVE"][number as usize / 3 % 2];
            succeeds(handle, plan, || checkpoint(&connection, mode))?;
        }
    }
    // Reading goes on while writing fails.
    let readable: u32 = connection.query_row("SELECT count(DISTINCT number) FROM entry", [], |row| row.get(0))?;
    let must = acknowledged.by(handle.log_position());
    assert_eq!(readable as usize, must.len(), "{plan:?}");

    handle.clear_faults();
    commit(&mut connection, commits)?;
    acknowledged.note(handle, commits);
    drop(connection);
    drop(open(handle, &path)?);
    let must = acknowledged.by(handle.log_position());
    assert_eq!(judge(&path, &must, commits), Verdict::Sound, "{plan:?}");

    let scratch = tempfile::tempdir()?;
    let points = handle.cut_points(LogPosition::START, longer(30), handle.matched_calls());
    let report = check_cuts(handle, &points, scratch.path(), |point, image| {
        let must = acknowledged.by(point.position);
        judge(&image.join(FILE_NAME), &must, commits)
    })?;
    assert!(report.is_sound(), "{plan:?}: {report}");
    Ok(())
}

/// Whether the step succeeded. A step in which a call failed has to say so, and no other step may fail.
fn succeeds(
    handle: &Handle,
    plan: &FaultPlan,
    step: impl FnOnce() -> rusqlite::Result<()>,
) -> Result<bool, rusqlite::Error> {
    let before = handle.injected_faults();
    let result = step();
    let failed_calls = handle.injected_faults() - before;
    match result {
        Ok(()) => {
            assert_eq!(failed_calls, 0, "{plan:?} was not reported");
            Ok(true)
        }
        Err(error) => {
            assert!(failed_calls > 0, "{plan:?} harms later steps: {error}");
            match error.sqlite_error_code() {
                Some(ErrorCode::SystemIoFailure | ErrorCode::DiskFull) => Ok(false),
                _ => Err(error),
            }
        }
    }
}

fn sweep(
    faults: &[(CallKind, Fault)],
    persistent: bool,
    stride: u64,
) -> Result<SweepReport, Box<dyn std::error::Error + Send + Sync>> {
    let sweep = FaultSweep { faults: faults.to_vec(), suffix: String::new(), persistent, stride };
    let report = sweep_faults(&sweep, commits_on_a_failing_disk)?;
    assert_eq!(report.fired, report.runs, "{report:?}");
    Ok(report)
}

#[test]
fn disk_a_write_that_fails_at_any_call_is_reported_and_harms_nothing() -> Outcome {
    let faults = [
        (CallKind::Write, Fault::InputOutput),
        (CallKind::Write, Fault::NoSpace),
        (CallKind::Write, Fault::ShortWrite),
    ];
    let report = sweep(&faults, false, 1)?;
    assert!(report.runs > 100, "{report:?}");
    Ok(())
}

#[test]
fn disk_a_sync_or_truncation_that_fails_at_any_call_is_reported_and_harms_nothing() -> Outcome {
    let faults = [
        (CallKind::Sync, Fault::InputOutput),
        (CallKind::Sync, Fault::NoSpace),
        (CallKind::Truncate, Fault::InputOutput),
        (CallKind::Truncate, Fault::NoSpace),
    ];
    let report = sweep(&faults, false, 1)?;
    assert!(report.runs > 20, "{report:?}");
    Ok(())
}

#[test]
fn disk_that_stays_broken_or_full_is_reported_each_time_and_writes_resume_afterwards() -> Outcome {
    let faults =
        [(CallKind::Write, Fault::NoSpace), (CallKind::Write, Fault::ShortWrite), (CallKind::Sync, Fault::InputOutput)];
    let report = sweep(&faults, true, 9)?;
    assert!(report.injected > report.runs, "{report:?}");
    Ok(())
}

/// The counterpart of the tests above: SQLite's automatic checkpoint is known to keep a failed sync to itself.
#[test]
fn a_failed_sync_that_nobody_reports_is_seen() -> Outcome {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register_numbered("silent")?;
    let mut connection = open(&handle, &directory.path().join(FILE_NAME))?;
    set_up(&connection, "wal")?;
    connection.pragma_update(None, "wal_autocheckpoint", 1)?;
    let plan = FaultPlan::new(CallKind::Sync, Fault::InputOutput).for_files_ending(FILE_NAME);
    handle.fail(plan)?;
    commit(&mut connection, 1)?;
    assert_eq!(handle.injected_faults(), 1);
    Ok(())
}

#[test]
fn a_short_write_leaves_the_first_half_on_the_disk_and_in_the_log() -> Outcome {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register_numbered("short")?;
    let mut connection = open(&handle, &directory.path().join(FILE_NAME))?;
    set_up(&connection, "wal")?;
    checkpoint(&connection, "TRUNCATE")?;
    // The first write to an empty WAL is its header, the second a frame header, the third a page.
    let plan = FaultPlan::new(CallKind::Write, Fault::ShortWrite).for_files_ending("-wal");
    handle.fail(plan.on_call(3))?;
    let code = commit(&mut connection, 1).err().and_then(|error| error.sqlite_error_code());
    assert_eq!(code, Some(ErrorCode::DiskFull));
    let operations = handle.operations();
    let last_write = operations.iter().rev().find_map(|operation| match &operation.action {
        Action::Write { bytes, .. } => Some(bytes.len()),
        _ => None,
    });
    assert_eq!(last_write, Some(2_048));
    let wal = directory.path().join(format!("{FILE_NAME}-wal"));
    assert_eq!(std::fs::metadata(wal)?.len(), 32 + 24 + 2_048);
    Ok(())
}

#[test]
fn opening_reading_and_mapping_fail_as_planned() -> Outcome {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register_numbered("open")?;
    let path = directory.path().join(FILE_NAME);
    let mut connection = open(&handle, &path)?;
    set_up(&connection, "wal")?;
    commit(&mut connection, 1)?;
    drop(connection);
    let check = |plan: FaultPlan, expected: ErrorCode| -> Outcome {
        handle.fail(plan.clone())?;
        let counted = open(&handle, &path)
            .and_then(|connection| connection.query_row("SELECT count(*) FROM entry", [], |row| row.get::<_, u32>(0)));
        handle.clear_faults();
        let code = counted.err().and_then(|error| error.sqlite_error_code());
        assert_eq!(code, Some(expected), "{plan:?}");
        Ok(())
    };
    let plan = FaultPlan::new;
    check(plan(CallKind::Open, Fault::InputOutput), ErrorCode::CannotOpen)?;
    check(plan(CallKind::Open, Fault::NoSpace).for_files_ending("-wal"), ErrorCode::CannotOpen)?;
    for plan in [
        plan(CallKind::Read, Fault::InputOutput),
        plan(CallKind::ShmMap, Fault::InputOutput),
        plan(CallKind::ShmMap, Fault::NoSpace),
    ] {
        check(plan, ErrorCode::SystemIoFailure)?;
    }
    assert_eq!(handle.injected_faults(), 5);
    assert_eq!(handle.open_files(), 0);
    assert_eq!(judge(&path, &[1], 1), Verdict::Sound);
    Ok(())
}
