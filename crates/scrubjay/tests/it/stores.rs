//! Stores that must not be written to: damaged, newer, foreign, out of reach.
//! Every command says so, with its own exit code, and leaves the file alone.

use std::path::Path;

use scrubjay_engine::import::IMPORTERS;
use scrubjay_engine::ops::{Entry, REGISTRY};
use scrubjay_test::exports::SAMPLES;

use crate::operations::sample;
use crate::scratch::{Done, Scratch, UNKNOWN, files, finish};

/// A home whose store is one clean file that was changed by hand.
fn with_store(change: impl FnOnce(&mut Vec<u8>)) -> Scratch {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let copy = scratch.work().join("copy");
    scratch.json(&["backup", copy.to_str().unwrap()]);
    let mut bytes = std::fs::read(&copy).unwrap();
    change(&mut bytes);
    for suffix in ["-wal", "-shm"] {
        let beside = scratch.home().join(format!("default.sqlite{suffix}"));
        if beside.exists() {
            std::fs::remove_file(beside).unwrap();
        }
    }
    std::fs::write(scratch.store(), bytes).unwrap();
    std::fs::write(scratch.work().join("export.jsonl"), GRAPH).unwrap();
    for sample in SAMPLES {
        let folder = scratch.work().join(sample.tool);
        std::fs::create_dir(&folder).unwrap();
        (sample.write)(&folder);
    }
    scratch
}

const GRAPH: &str =
    "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[\"owns billing\"]}\n";

// Commands that need the store to do anything.
fn commands() -> impl Iterator<Item = &'static Entry> {
    let apart = [
        "config.show",
        "config.set",
        "config.adjust",
        "config.path",
        "doctor",
        "restore-backup",
        "models",
        "models.set",
        "models.test",
        "spool",
        "spool.retry",
        "spool.discard",
        "projects.trust",
        // Nothing is kept or handed out in a pause, whatever the store is like.
        "pause",
        "resume",
        "projects.pause",
        "projects.resume",
    ];
    REGISTRY.iter().filter(move |entry| !entry.surfaces.command.is_empty() && !apart.contains(&entry.name))
}

fn words(entry: &Entry) -> Vec<&'static str> {
    let fill = |word: &'static str| match word {
        "ID" => UNKNOWN,
        "OTHER" => "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e56",
        "JOB" => "job_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55",
        "FILE" => match IMPORTERS.iter().find(|importer| importer.operation == entry.name) {
            // What another program wrote is looked at before the store is, so it is there.
            Some(importer) => importer.name,
            None => "export.jsonl",
        },
        other => other,
    };
    sample(entry.name).into_iter().map(fill).collect()
}

fn check(scratch: &Scratch, code: i32, part: &str) {
    let before = std::fs::read(scratch.store()).unwrap();
    for entry in commands() {
        let done = scratch.run(&words(entry));
        let what = entry.name;
        done.failed(&[code], what);
        assert!(done.err.contains(part) || done.out.contains(part), "{what}: {done:?}");
        assert!(std::fs::read(scratch.store()).unwrap() == before, "{what} changed the store");
    }
    // What does not need the store works as ever.
    scratch.json(&["config", "path"]);
    scratch.json(&["config", "show"]);
    scratch.run(&["help"]).sane("help");
    assert!(std::fs::read(scratch.store()).unwrap() == before);
}

#[test]
fn a_damaged_header() {
    let scratch = with_store(|bytes| bytes[..100].fill(0x5a));
    check(&scratch, 6, "damaged");
    let done = scratch.run(&["doctor"]);
    assert_eq!(done.code, Some(6), "{done:?}");
    assert!(done.out.contains('✗') && done.out.contains("damaged"), "{done:?}");
}

#[test]
fn a_damaged_schema() {
    let scratch = with_store(|bytes| bytes[100..4096].fill(0xff));
    check(&scratch, 6, "damaged");
}

#[test]
fn a_file_cut_short() {
    let scratch = with_store(|bytes| bytes.truncate(bytes.len() / 2 / 4096 * 4096));
    let done = scratch.run(&["doctor", "--json"]);
    done.sane("doctor");
    assert_eq!(done.code, Some(6), "{done:?}");
    for entry in commands() {
        scratch.run(&words(entry)).sane(entry.name);
    }
}

#[test]
fn a_file_that_is_no_database() {
    let scratch = with_store(|bytes| *bytes = b"Dear diary, today I learned about databases. ".repeat(200));
    let before = std::fs::read(scratch.store()).unwrap();
    for entry in commands() {
        scratch.run(&words(entry)).failed(&[4, 6], entry.name);
        assert!(std::fs::read(scratch.store()).unwrap() == before, "{}", entry.name);
    }
}

#[test]
fn a_newer_store() {
    // The schema's version is a number in the header, at byte 60.
    let scratch = with_store(|bytes| bytes[60..64].copy_from_slice(&999u32.to_be_bytes()));
    check(&scratch, 4, "newer");
    let done = scratch.run(&["list", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&done.err).unwrap();
    assert_eq!(error["error"]["code"], "store_newer");
    scratch.run(&["doctor"]).sane("doctor");
}

#[test]
fn a_database_of_another_program() {
    // The application's number is in the header, at byte 68.
    let scratch = with_store(|bytes| bytes[68..72].copy_from_slice(&0x4d79_4462_u32.to_be_bytes()));
    check(&scratch, 4, "not a Scrubjay store");
    scratch.run(&["doctor"]).sane("doctor");
}

#[test]
fn a_backup_mends_a_damaged_store() {
    let scratch = with_store(|bytes| bytes[..100].fill(0x5a));
    let restored = scratch.json(&["restore-backup", "copy", "--yes"]);
    assert_eq!(restored["memories"], 1);
    assert!(Path::new(restored["former"].as_str().unwrap()).exists(), "{restored}");
    assert_eq!(scratch.json(&["recall", "billing"])["hits"].as_array().unwrap().len(), 1);
}

#[test]
fn a_bad_backup_is_refused_and_changes_nothing() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let before = scratch.contents();
    std::fs::write(scratch.work().join("bad"), "not a backup").unwrap();
    for file in ["bad", "missing", ".", ""] {
        scratch.run(&["restore-backup", "--yes", file]).failed(&[2, 3, 4, 6], file);
        assert_eq!(scratch.contents(), before, "{file}");
    }
    // A backup never overwrites anything either.
    let done = scratch.run(&["backup", "bad"]);
    done.failed(&[1, 2, 4], "backup onto a file");
    assert_eq!(std::fs::read_to_string(scratch.work().join("bad")).unwrap(), "not a backup");
}

#[test]
fn a_store_out_of_reach() {
    let scratch = Scratch::new();
    let place = "store.path=/proc/scrubjay/{agent}.sqlite";
    std::fs::write(scratch.work().join("export.jsonl"), GRAPH).unwrap();
    for entry in commands() {
        let mut words = words(entry);
        words.extend(["--set", place]);
        scratch.run(&words).failed(&[5], entry.name);
    }
    assert_eq!(files(&scratch.home()), []);
}

#[test]
fn a_home_that_is_a_file() {
    let scratch = Scratch::new();
    let file = scratch.work().join("file");
    std::fs::write(scratch.work().join("export.jsonl"), GRAPH).unwrap();
    std::fs::write(&file, "a file").unwrap();
    let run = |words: &[&str]| -> Done {
        let mut command = scratch.command();
        finish(command.env("SCRUBJAY_HOME", file.join("home")).args(words), None)
    };
    for entry in commands() {
        run(&words(entry)).failed(&[2, 5], entry.name);
    }
    run(&["config", "set", "query.max_results", "3"]).failed(&[1, 2, 5], "config set");
    run(&["doctor"]).sane("doctor");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "a file");
}

#[test]
fn a_read_only_home() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let set = |mode| std::fs::set_permissions(scratch.home(), std::fs::Permissions::from_mode(mode)).unwrap();
    set(0o500);
    if std::fs::write(scratch.home().join("probe"), "x").is_ok() {
        eprintln!("SKIPPED a_read_only_home: this user may write anywhere, so a folder cannot be made read-only");
        set(0o700);
        return;
    }
    let done = scratch.run(&["remember", "--agent", "second", "Grace owns the compiler"]);
    set(0o700);
    done.failed(&[5], "remember in a read-only folder");
    assert!(!scratch.home().join("second.sqlite").exists());
}
