//! Power cuts. The weaker settings come with a minimum of damage that must be found: a blind harness fails here.

use crate::longer;

use super::super::{Acknowledged, CutPolicy, CutReport, LogPosition, RecordingVfs, VfsError, check_cuts};
use super::workload::{FILE_NAME, Outcome, checkpoint, commit, judge, open, set_up};

/// How a workload writes.
#[derive(Clone, Copy)]
struct Settings {
    journal_mode: &'static str,
    synchronous: &'static str,
}

fn wal(synchronous: &'static str) -> Settings {
    Settings { journal_mode: "wal", synchronous }
}

fn rollback_journal(synchronous: &'static str) -> Settings {
    Settings { journal_mode: "delete", synchronous }
}

/// Runs commits with checkpoints between them and cuts the power `images` times.
fn cut_report(
    settings: Settings,
    commits: u32,
    images: usize,
    seed: u64,
) -> Result<CutReport, Box<dyn std::error::Error + Send + Sync>> {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register_numbered("cut")?;
    let path = directory.path().join(FILE_NAME);
    let acknowledged = Acknowledged::default();
    let mut connection = open(&handle, &path)?;
    set_up(&connection, settings.journal_mode)?;
    // The set-up is durable in every mode, so that weaker settings are blamed for their own losses only.
    let from = if settings.synchronous == "full" { LogPosition::START } else { handle.log_position() };
    connection.pragma_update(None, "synchronous", settings.synchronous)?;
    for number in 0..commits {
        commit(&mut connection, number)?;
        acknowledged.note(&handle, number);
        if settings.journal_mode == "wal" && number % 8 == 5 {
            let mode = ["PASSIVE", "TRUNCATE", "FULL", "RESTART"][number as usize / 8 % 4];
            checkpoint(&connection, mode)?;
        }
    }
    drop(connection);
    assert_eq!(handle.open_files(), 0);
    let points = handle.cut_points(from, images, seed);
    let scratch = tempfile::tempdir()?;
    let report = check_cuts(&handle, &points, scratch.path(), |point, image| {
        let must = acknowledged.by(point.position);
        judge(&image.join(FILE_NAME), &must, commits)
    })?;
    Ok(report)
}

#[test]
fn crash_full_keeps_every_acknowledged_commit_through_every_cut() -> Outcome {
    let report = cut_report(wal("full"), 60, 320 * longer(15), 1)?;
    assert!(report.is_sound(), "{report}");
    assert!(report.damaged > 100, "{report}");
    Ok(())
}

#[test]
fn crash_normal_loses_acknowledged_commits_but_does_not_corrupt() -> Outcome {
    let report = cut_report(wal("normal"), 60, 120 * longer(8), 2)?;
    assert!(report.lost > 40, "{report}");
    assert_eq!((report.corrupt, report.duplicated), (0, 0), "{report}");
    Ok(())
}

#[test]
fn crash_off_corrupts() -> Outcome {
    let report = cut_report(wal("off"), 60, 120 * longer(8), 3)?;
    assert!(report.corrupt > 40, "{report}");
    Ok(())
}

/// A rollback journal is deleted to commit, and only `extra` flushes the directory then. This pair shows that names
/// are modelled and not only bytes.
#[test]
fn crash_a_deleted_journal_comes_back_unless_its_directory_was_flushed() -> Outcome {
    let extra = cut_report(rollback_journal("extra"), 30, 60, 4)?;
    assert!(extra.is_sound() && extra.damaged > 20, "{extra}");
    let full = cut_report(rollback_journal("full"), 30, 60, 5)?;
    assert!(full.lost > 0, "{full}");
    assert_eq!((full.corrupt, full.duplicated), (0, 0), "{full}");
    Ok(())
}

/// The second VFS meets files that it did not create, so this also shows that their first contents are taken over.
#[test]
fn crash_a_second_cut_after_recovery_from_the_first_loses_nothing() -> Outcome {
    let directory = tempfile::tempdir()?;
    let first = RecordingVfs::register_numbered("first")?;
    let mut connection = open(&first, &directory.path().join(FILE_NAME))?;
    set_up(&connection, "wal")?;
    for number in 0..12 {
        commit(&mut connection, number)?;
        if number == 6 {
            checkpoint(&connection, "PASSIVE")?;
        }
    }
    let cut = first.log_position();
    for seed in 0..6 {
        let image = tempfile::tempdir()?;
        first.image_at(cut, seed, CutPolicy::Scattered, image.path())?;
        let second = RecordingVfs::register_numbered("second")?;
        let acknowledged = Acknowledged::default();
        let mut recovered = open(&second, &image.path().join(FILE_NAME))?;
        for number in 12..18 {
            commit(&mut recovered, number)?;
            acknowledged.note(&second, number);
            if number == 14 {
                checkpoint(&recovered, "TRUNCATE")?;
            }
        }
        drop(recovered);
        let points = second.cut_points(LogPosition::START, 15, seed);
        let report = check_cuts(&second, &points, image.path(), |point, cut_image| {
            let mut must: Vec<u32> = (0..12).collect();
            must.extend(acknowledged.by(point.position));
            judge(&cut_image.join(FILE_NAME), &must, 18)
        })?;
        assert!(report.is_sound(), "{report}");
    }
    Ok(())
}

/// With everything kept, an image is the disk: byte for byte, at any moment, whatever SQLite did before.
#[test]
fn an_image_that_keeps_everything_equals_the_real_files() -> Outcome {
    let directory = tempfile::tempdir()?;
    let handle = RecordingVfs::register_numbered("equal")?;
    let mut connection = open(&handle, &directory.path().join(FILE_NAME))?;
    set_up(&connection, "wal")?;
    for number in 0..20 {
        commit(&mut connection, number)?;
        if number % 6 == 5 {
            checkpoint(&connection, "TRUNCATE")?;
            connection.execute_batch("VACUUM")?;
        }
        let image = tempfile::tempdir()?;
        let position = handle.log_position();
        let written = handle.image_at(position, 0, CutPolicy::Everything, image.path())?;
        assert_eq!(written.files.len(), 2);
        for file in written.files {
            let real = directory.path().join(file.file_name().unwrap_or_default());
            let equal = std::fs::read(&file)? == std::fs::read(real)?;
            assert!(equal, "{file:?} differs after commit {number}");
        }
    }
    Ok(())
}

/// SQLite deletes a WAL that lies beside an empty database without opening it. A cut may bring it back.
#[test]
fn a_file_that_is_deleted_without_being_opened_is_in_the_images() -> Outcome {
    let directory = tempfile::tempdir()?;
    let name = format!("{FILE_NAME}-wal");
    std::fs::write(directory.path().join(&name), b"left by an earlier process")?;
    let handle = RecordingVfs::register_numbered("unopened")?;
    let connection = open(&handle, &directory.path().join(FILE_NAME))?;
    connection.execute_batch("CREATE TABLE entry (number)")?;
    let check = |position, policy, expected: bool| -> Outcome {
        let image = tempfile::tempdir()?;
        handle.image_at(position, 0, policy, image.path())?;
        let found = image.path().join(&name);
        assert_eq!(found.exists(), expected, "{position} {policy:?}");
        if expected {
            assert_eq!(std::fs::read(found)?, b"left by an earlier process");
        }
        Ok(())
    };
    check(LogPosition::START, CutPolicy::Everything, true)?;
    check(handle.log_position(), CutPolicy::Everything, false)
}

#[test]
fn images_are_refused_when_they_could_not_be_right() -> Outcome {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join(FILE_NAME);
    let handle = RecordingVfs::register_numbered("behind")?;
    let connection = open(&handle, &path)?;
    set_up(&connection, "wal")?;
    drop(connection);
    let build = |position| {
        let image = tempfile::tempdir()?;
        let built = handle.image_at(position, 0, CutPolicy::Scattered, image.path());
        Ok::<_, std::io::Error>(built)
    };
    let position = handle.log_position();
    assert!(build(position)?.is_ok());
    let beyond = LogPosition(position.operations() + 1);
    assert!(matches!(build(beyond)?, Err(VfsError::PositionBeyondLog { .. })));
    assert!(matches!(
        handle.image_at(position, 0, CutPolicy::Scattered, directory.path()),
        Err(VfsError::DirectoryNotEmpty { .. })
    ));
    let mut stranger = rusqlite::Connection::open(&path)?;
    stranger.pragma_update(None, "synchronous", "off")?;
    for number in 0..9 {
        commit(&mut stranger, number)?;
    }
    drop(stranger);
    drop(open(&handle, &path)?);
    assert!(matches!(build(position)?, Err(VfsError::LogIncomplete { .. })));
    Ok(())
}
