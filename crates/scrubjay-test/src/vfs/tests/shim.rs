//! The layer between SQLite and the log: what passes, what is recorded, how handles live beside one another and end.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::ffi;

use super::super::{
    Acknowledged, CallKind, CutPolicy, Fault, FaultPlan, Handle, LogPosition, RecordingVfs, Verdict, VfsError,
    check_cuts,
};
use super::workload::{FILE_NAME, Outcome, checkpoint, commit, judge, open, set_up};

fn recorded_names(handle: &Handle) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> =
        handle.operations().iter().filter_map(|operation| operation.path.file_name().map(PathBuf::from)).collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn the_log_holds_database_journal_and_wal_and_neither_shm_nor_temporary_files() -> Outcome {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register("exact name")?;
    let mut connection = open(&handle, &directory.path().join(FILE_NAME))?;
    set_up(&connection, "wal")?;
    commit(&mut connection, 1)?;
    let writes_before = handle.calls(CallKind::Write, "");
    let recorded_before = handle.log_position();
    connection.execute_batch(
        "PRAGMA temp_store = file;
         CREATE TEMP TABLE scratch (value);
         PRAGMA temp.cache_size = 4;
         INSERT INTO scratch VALUES (zeroblob(500000));",
    )?;
    assert!(handle.calls(CallKind::Write, "") > writes_before);
    assert_eq!(handle.log_position(), recorded_before);
    assert!(directory.path().join(format!("{FILE_NAME}-shm")).exists());
    drop(connection);
    let expected = ["", "-journal", "-wal"].map(|suffix| PathBuf::from(format!("{FILE_NAME}{suffix}")));
    assert_eq!(recorded_names(&handle), expected);
    assert_eq!(handle.open_files(), 0);
    Ok(())
}

#[test]
fn memory_mapping_does_not_hide_reads() -> Outcome {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register_numbered("mapped")?;
    let path = directory.path().join(FILE_NAME);
    let mut connection = open(&handle, &path)?;
    set_up(&connection, "wal")?;
    for number in 0..20 {
        commit(&mut connection, number)?;
    }
    drop(connection);
    let connection = open(&handle, &path)?;
    connection.execute_batch("PRAGMA mmap_size = 100000000")?;
    let before = handle.calls(CallKind::Read, FILE_NAME);
    let bytes: u32 = connection.query_row("SELECT sum(length(payload)) FROM entry", [], |row| row.get(0))?;
    let pages_read = handle.calls(CallKind::Read, FILE_NAME) - before;
    assert!(pages_read >= u64::from(bytes) / 4_096, "{pages_read} reads of {bytes} bytes");
    Ok(())
}

/// The unix VFS can be told to grow files in chunks, without a write. The log must not be fooled.
#[test]
#[expect(unsafe_code, reason = "SQLite has no safe call for file controls")]
fn a_chunk_size_does_not_grow_files_behind_the_log() -> Outcome {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register_numbered("chunk")?;
    let path = directory.path().join(FILE_NAME);
    let mut connection = open(&handle, &path)?;
    set_up(&connection, "wal")?;
    let mut chunk_bytes: std::ffi::c_int = 1 << 20;
    // SAFETY: the connection is open, and for this operation SQLite reads one C int through the pointer.
    let code = unsafe {
        ffi::sqlite3_file_control(
            connection.handle(),
            c"main".as_ptr(),
            ffi::SQLITE_FCNTL_CHUNK_SIZE,
            (&raw mut chunk_bytes).cast(),
        )
    };
    assert_eq!(code, ffi::SQLITE_NOTFOUND);
    commit(&mut connection, 1)?;
    checkpoint(&connection, "TRUNCATE")?;
    drop(connection);
    let image = tempfile::tempdir()?;
    let position = handle.log_position();
    handle.image_at(position, 0, CutPolicy::Everything, image.path())?;
    let in_image = std::fs::metadata(image.path().join(FILE_NAME))?.len();
    assert_eq!(in_image, std::fs::metadata(&path)?.len());
    Ok(())
}

#[test]
fn handles_in_many_threads_do_not_see_one_another() -> Outcome {
    let run = |doomed: bool| -> Outcome {
        let directory = tempfile::tempdir()?;
        let handle = RecordingVfs::register_numbered("parallel")?;
        let mut connection = open(&handle, &directory.path().join(FILE_NAME))?;
        set_up(&connection, "wal")?;
        if doomed {
            handle.fail(FaultPlan::new(CallKind::Sync, Fault::InputOutput).persistently())?;
        }
        for number in 0..10 {
            assert_eq!(commit(&mut connection, number).is_err(), doomed);
        }
        drop(connection);
        assert_eq!(recorded_names(&handle).len(), 3);
        assert_eq!(handle.injected_faults() > 0, doomed);
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|index| scope.spawn(move || run(index % 2 == 0))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })
}

#[test]
fn crash_threads_may_share_one_handle_and_one_database() -> Outcome {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register_numbered("shared")?;
    let path = directory.path().join(FILE_NAME);
    let acknowledged = Acknowledged::default();
    let first = open(&handle, &path)?;
    set_up(&first, "wal")?;
    let run = |numbers: std::ops::Range<u32>| -> Outcome {
        let mut connection = open(&handle, &path)?;
        connection.busy_timeout(Duration::from_secs(60))?;
        for number in numbers {
            commit(&mut connection, number)?;
            acknowledged.note(&handle, number);
            if number % 5 == 0 {
                checkpoint(&connection, "PASSIVE")?;
            }
        }
        Ok(())
    };
    let run = &run;
    std::thread::scope(|scope| -> Outcome {
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || run(thread * 12..thread * 12 + 12))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })?;
    drop(first);
    assert_eq!(acknowledged.by(handle.log_position()).len(), 48);
    let points = handle.cut_points(LogPosition::START, 60, 6);
    let scratch = tempfile::tempdir()?;
    let report = check_cuts(&handle, &points, scratch.path(), |point, image| {
        let must = acknowledged.by(point.position);
        judge(&image.join(FILE_NAME), &must, 48)
    })?;
    assert!(report.is_sound(), "{report}");
    Ok(())
}

#[test]
fn a_name_is_taken_once_and_free_again_while_old_connections_go_on() -> Outcome {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join(FILE_NAME);
    let handle = RecordingVfs::register("taken")?;
    assert!(matches!(RecordingVfs::register("taken"), Err(VfsError::NameTaken { .. })));
    assert!(matches!(RecordingVfs::register("nul\0"), Err(VfsError::NameHoldsNul { .. })));
    let mut connection = open(&handle, &path)?;
    set_up(&connection, "wal")?;
    drop(handle);
    let again = RecordingVfs::register("taken")?;
    commit(&mut connection, 1)?;
    checkpoint(&connection, "TRUNCATE")?;
    drop(connection);
    assert_eq!(again.log_position(), LogPosition::START);
    assert_eq!(judge(&path, &[1], 1), Verdict::Sound);
    Ok(())
}
