//! A store that is gone, swapped or damaged, a home that cannot be written or
//! trusted: nothing is lost without a word.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::daemon::{Daemon, scratch, until};
use crate::scratch::{Done, Scratch, finish};

fn beside(scratch: &Scratch, suffix: &str) -> PathBuf {
    scratch.home().join(format!("default.sqlite{suffix}"))
}

fn lose_store(scratch: &Scratch) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(beside(scratch, suffix));
    }
}

fn spooled(scratch: &Scratch) -> usize {
    let files = fs::read_dir(scratch.home().join("spool").join("default")).into_iter().flatten().flatten();
    files.filter(|file| file.path().extension().is_some_and(|extension| extension == "json")).count()
}

fn prompt(scratch: &Scratch, text: &str) -> Done {
    let payload = json!({"session_id": "s", "prompt": text, "hook_event_name": "UserPromptSubmit"}).to_string();
    let words = ["hook", "claude-code", "UserPromptSubmit", "--set", "hooks.deadline_ms=20000"];
    scratch.run_with(&words, payload.as_bytes())
}

#[test]
fn a_lost_store_is_told_hooks_spool_and_the_best_backup_brings_it_back() {
    let scratch = scratch();
    scratch.remember("Ada owns billing");
    scratch.remember("Grace owns the compiler");
    let made = scratch.json(&["backup"]);
    let backup = made["created"]["path"].as_str().unwrap().to_owned();
    lose_store(&scratch);
    for words in [&["remember", "Tim owns nothing"][..], &["recall", "billing"], &["list"], &["stats"]] {
        let done = scratch.run(words);
        done.failed(&[6], words[0]);
        for part in ["is gone", &backup, "--new", "2 memories"] {
            assert!(done.err.contains(part), "{part}: {done:?}");
        }
    }
    assert!(!scratch.store().exists(), "nothing was created");
    assert_eq!(scratch.run(&["doctor"]).code, Some(6));
    // A hook neither fails nor forgets.
    let done = prompt(&scratch, "we ship on Friday");
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{done:?}");
    assert_eq!(spooled(&scratch), 1);
    scratch.json(&["restore-backup", "--yes"]);
    scratch.remember("Tim owns nothing");
    assert_eq!(spooled(&scratch), 0);
    let contents = scratch.contents();
    for text in ["Ada owns billing", "Grace owns the compiler", "we ship on Friday", "Tim owns nothing"] {
        assert!(contents.contains(text), "{text} is missing");
    }
}

#[test]
fn an_emptied_store_is_told_and_begun_anew_only_when_asked() {
    let scratch = scratch();
    scratch.remember("Ada owns billing");
    let log = fs::read(beside(&scratch, "-wal")).unwrap();
    assert!(!log.is_empty());
    fs::write(scratch.store(), []).unwrap();
    let done = scratch.run(&["remember", "something"]);
    done.failed(&[6], "remember");
    assert!(done.err.contains("is empty") && done.err.contains("default.sqlite-wal"), "{done:?}");
    assert_eq!(fs::read(beside(&scratch, "-wal")).unwrap(), log, "the log is kept");
    scratch.json(&["remember", "a new beginning", "--new"]);
    assert!(!scratch.contents().contains("Ada owns billing"));
    assert_eq!(fs::read(beside(&scratch, "-wal.kept.1")).unwrap(), log, "and so it is now");
    // From here on it is a store like any other.
    scratch.remember("and so on");
}

#[test]
fn backups_of_another_store_or_of_far_less_displace_nothing() {
    let scratch = scratch();
    let settings = ["--set", "backup.keep=2"];
    let backup = || -> Value { scratch.json(&[&["backup"][..], &settings].concat()) };
    for number in 0..12 {
        scratch.remember(&format!("fact number {number}"));
    }
    let good = backup()["created"]["path"].as_str().unwrap().to_owned();
    lose_store(&scratch);
    scratch.json(&["remember", "all by itself", "--new"]);
    let mut last = Value::Null;
    for _ in 0..8 {
        last = backup();
    }
    assert!(Path::new(&good).exists(), "the last good backup was rotated out");
    assert_eq!(last["backups"].as_array().unwrap().len(), 3, "its own are rotated: {last}");
    assert!(last["warnings"][0].as_str().unwrap().contains("another store"), "{last}");
    // The store that was lost is the one to go back to by name; the newest of
    // its own is what the present one gets.
    let restored = scratch.json(&["restore-backup", &good, "--yes"]);
    assert_eq!(restored["memories"], 12);
    // What was restored goes on where the old one ended: its backups count again.
    for _ in 0..3 {
        last = backup();
    }
    assert!(!Path::new(&good).exists(), "{last}");
}

// Sends a message to the daemon; gives the status.
fn send(scratch: &Scratch, token: &str, text: &str) -> u16 {
    let body = json!({"session_id": "load", "role": "user", "content": text}).to_string();
    ask(scratch, &format!("POST /v1/messages HTTP/1.1\r\nAuthorization: Bearer {token}\r\n"), &body).0
}

fn ask(scratch: &Scratch, head: &str, body: &str) -> (u16, String) {
    let Ok(mut stream) = std::os::unix::net::UnixStream::connect(scratch.home().join("daemon.sock")) else {
        return (0, String::new());
    };
    let head = format!(
        "{head}Host: localhost\r\nConnection: close\r\nScrubjay-Project: app\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut answer = String::new();
    if stream.write_all(head.as_bytes()).is_err() || stream.read_to_string(&mut answer).is_err() {
        return (0, answer);
    }
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    (status, answer)
}

fn token(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.home().join("token")).unwrap().trim().to_owned()
}

#[test]
fn a_daemon_whose_files_are_swapped_acknowledges_nothing_more_and_ends() {
    type Disturb = fn(&Scratch);
    let disturbances: [(&str, Disturb); 4] = [
        ("deleted", |scratch| fs::remove_file(scratch.store()).unwrap()),
        ("replaced", |scratch| {
            let copy = scratch.work().join("copy");
            fs::copy(scratch.store(), &copy).unwrap();
            fs::remove_file(scratch.store()).unwrap();
            fs::copy(&copy, scratch.store()).unwrap();
        }),
        ("emptied", |scratch| drop(OpenOptions::new().write(true).truncate(true).open(scratch.store()).unwrap())),
        ("log deleted", |scratch| fs::remove_file(beside(scratch, "-wal")).unwrap()),
    ];
    for (what, disturb) in disturbances {
        let scratch = scratch();
        let mut daemon = Daemon::start(&scratch);
        let token = token(&scratch);
        assert_eq!(send(&scratch, &token, "before"), 200, "{what}");
        disturb(&scratch);
        let acknowledged = (0..30).filter(|number| send(&scratch, &token, &format!("lost {number}")) == 200).count();
        assert_eq!(acknowledged, 0, "{what}");
        until("the daemon has ended", || daemon.has_ended());
        let log = fs::read_to_string(scratch.home().join("logs").join("daemon.log")).unwrap();
        assert!(log.contains("changed under this process"), "{what}: {log}");
    }
}

// A changed letter in the middle of a text: SQLite does not see it.
fn damage(scratch: &Scratch) {
    let copy = scratch.work().join("copy");
    scratch.json(&["backup", copy.to_str().unwrap()]);
    let mut bytes = fs::read(&copy).unwrap();
    let at = bytes.windows(7).position(|window| window == b"billing").unwrap();
    bytes[at] = b'B';
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(scratch, suffix));
    }
    fs::write(scratch.store(), bytes).unwrap();
}

#[test]
fn damage_stays_loud_until_the_store_is_restored() {
    let scratch = scratch();
    scratch.remember("Ada owns billing");
    damage(&scratch);
    assert_eq!(scratch.run(&["doctor"]).code, Some(6));
    for _ in 0..3 {
        let done = scratch.run(&["remember", "one more thing"]);
        done.failed(&[6], "remember");
        assert!(done.err.contains("damaged") && done.err.contains("restore-backup"), "{done:?}");
    }
    assert!(scratch.run(&["recall", "Ada"]).out.contains("Ada owns"), "reading goes on");
    let daemon = Daemon::start(&scratch);
    let token = token(&scratch);
    until("health is red for the owner", || {
        ask(&scratch, &format!("GET /healthz HTTP/1.1\r\nAuthorization: Bearer {token}\r\n"), "").0 == 500
    });
    let owner = ask(&scratch, &format!("GET /healthz HTTP/1.1\r\nAuthorization: Bearer {token}\r\n"), "").1;
    assert!(owner.contains("damaged") && owner.contains("store_damaged"), "{owner}");
    let (status, stranger) = ask(&scratch, "GET /healthz HTTP/1.1\r\n", "");
    assert!(status == 200 && stranger.ends_with("\r\n\r\nok\n"), "a stranger learns nothing: {stranger}");
    assert_eq!(send(&scratch, &token, "said to a damaged store"), 500);
    let told = scratch.run(&["status"]);
    assert!(told.code == Some(6) && told.out.contains("damaged"), "{told:?}");
    let done = prompt(&scratch, "we ship on Friday");
    assert_eq!((done.code, done.err.as_str(), spooled(&scratch)), (Some(0), "", 1), "{done:?}");
    drop(daemon);
    // The copy was made before the damage was.
    scratch.json(&["restore-backup", scratch.work().join("copy").to_str().unwrap(), "--yes"]);
    scratch.remember("one more thing");
    assert!(scratch.contents().contains("we ship on Friday"));
    assert_ne!(scratch.json(&["doctor"])["status"], "damaged");
}

// Enough for files of an index.
fn with_index(scratch: &Scratch) -> Vec<PathBuf> {
    let lines: String = (0..700)
        .map(|number| {
            let content = format!("message {number} about herons and lamp {}", number % 7);
            format!("{}\n", json!({"session_id": "s", "role": "user", "id": number.to_string(), "content": content}))
        })
        .collect();
    assert_eq!(scratch.run_with(&["capture", "--json"], lines.as_bytes()).code, Some(0));
    scratch.json(&["recall", "herons"]);
    let files = fs::read_dir(scratch.home().join("index").join("default")).unwrap().flatten();
    let mut segments: Vec<PathBuf> = files.map(|file| file.path()).collect();
    segments.retain(|path| path.extension().is_some_and(|extension| extension == "segment"));
    assert!(!segments.is_empty());
    segments
}

#[test]
fn a_segment_cut_or_missing_under_a_daemon_heals_by_itself() {
    for missing in [false, true] {
        let scratch = scratch();
        let segments = with_index(&scratch);
        let mut daemon = Daemon::start(&scratch);
        let hits = || {
            let done = scratch.run(&["recall", "message 411 about herons", "--json", "--verbose"]);
            assert!(done.err.contains("answered by the daemon"), "{done:?}");
            let answer: Value = serde_json::from_str(&done.out).unwrap();
            answer["hits"].as_array().unwrap().len()
        };
        let before = hits();
        assert!(before > 0);
        for path in &segments {
            if missing {
                fs::remove_file(path).unwrap();
            } else {
                OpenOptions::new().write(true).open(path).unwrap().set_len(100).unwrap();
            }
        }
        assert_eq!(hits(), before);
        assert!(!daemon.has_ended(), "the daemon died of it");
        // The daemon still has a deleted file open and needs no other; whoever opens the index next does.
        if !missing {
            index_is_sound(&scratch);
        }
        drop(daemon);
        // One that begins with such files heals them, too.
        for path in with_index(&scratch) {
            fs::remove_file(path).unwrap();
        }
        let answer = scratch.json(&["recall", "message 411 about herons"]);
        assert_eq!(answer["hits"].as_array().unwrap().len(), before);
        index_is_sound(&scratch);
    }
}

// Pages are compared with their checksums when they are read: such files open like sound ones, and the damage shows in
// the middle of a search.
#[test]
fn damage_inside_of_segments_heals_by_itself() {
    let scratch = scratch();
    let segments = with_index(&scratch);
    let hits = || scratch.json(&["recall", "message 411 about herons"])["hits"].as_array().unwrap().clone();
    let before = hits();
    assert!(!before.is_empty());
    for path in &segments {
        let file = OpenOptions::new().write(true).open(path).unwrap();
        file.write_all_at(&[0xa5; 64], 0).unwrap();
    }
    assert!(index_finding(&scratch)["detail"].as_str().unwrap().contains("doctor --repair"), "the damage counts");
    assert_eq!(hits(), before);
    index_is_sound(&scratch);
}

fn index_finding(scratch: &Scratch) -> Value {
    let answer: Value = serde_json::from_str(&scratch.run(&["doctor", "--json"]).out).unwrap();
    answer["findings"].as_array().unwrap().iter().find(|finding| finding["check"] == "search index").unwrap().clone()
}

// The files were made again: it is not that each question reads the whole store instead.
fn index_is_sound(scratch: &Scratch) {
    let finding = index_finding(scratch);
    assert!(finding["status"] == "good" && finding["detail"].as_str().unwrap().starts_with("700 items"), "{finding}");
}

#[test]
fn an_index_alone_tells_that_there_was_a_store() {
    let scratch = scratch();
    with_index(&scratch);
    lose_store(&scratch);
    fs::remove_file(beside(&scratch, ".lineage")).unwrap();
    let done = scratch.run(&["remember", "Ada owns billing"]);
    done.failed(&[6], "remember");
    assert!(done.err.contains("is gone") && done.err.contains("search index"), "{done:?}");
    assert!(!scratch.store().exists(), "nothing was created");
}

#[test]
fn a_deleted_lock_allows_no_second_daemon() {
    let scratch = scratch();
    let first = Daemon::start(&scratch);
    fs::remove_file(scratch.home().join("daemon.lock")).unwrap();
    let mut second = Daemon::begin(&scratch);
    until("the second daemon has given up", || second.has_ended());
    assert_eq!(scratch.json(&["status"])["pid"], first.told["pid"]);
    scratch.json(&["stop"]);
}

#[test]
fn a_home_that_others_can_write_or_own_is_refused() {
    let scratch = scratch();
    scratch.remember("Ada owns billing");
    let set = |mode| fs::set_permissions(scratch.home(), Permissions::from_mode(mode)).unwrap();
    let refused = |what: &str, part: &str| {
        for words in [&["recall", "billing"][..], &["remember", "x"], &["serve", "--port", "0"]] {
            let done = scratch.run(words);
            done.failed(&[4], what);
            assert!(done.err.contains(part), "{what}: {done:?}");
        }
        // What was said waits until the home can be trusted.
        let done = prompt(&scratch, &format!("said while it was {what}"));
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{done:?}");
    };
    set(0o777);
    refused("open to all", "chmod go-w");
    set(0o770);
    refused("open to a group", "chmod go-w");
    set(0o755);
    scratch.json(&["recall", "billing"]);
    if rustix::process::geteuid().is_root() {
        chown(scratch.home(), Some(NOBODY), None).unwrap();
        refused("someone else's", "belongs to user 65534");
        chown(scratch.home(), Some(0), None).unwrap();
        // A link to it that someone else made could lead elsewhere tomorrow.
        let link = scratch.work().join("link");
        std::os::unix::fs::symlink(scratch.home(), &link).unwrap();
        let through = |words: &[&str]| finish(scratch.command().env("SCRUBJAY_HOME", &link).args(words), None);
        assert_eq!(through(&["recall", "billing"]).code, Some(0));
        std::os::unix::fs::lchown(&link, Some(NOBODY), None).unwrap();
        through(&["recall", "billing"]).failed(&[4], "someone else's link");
    }
    scratch.remember("Grace owns the compiler");
    assert!(scratch.contents().contains("said while it was open to all"));
}

const NOBODY: u32 = 65_534;

#[test]
fn a_read_only_home_reads_and_says_so() {
    let scratch = scratch();
    let id = scratch.remember("Ada owns billing");
    // Permissions do not bind root, so the commands run as nobody then.
    let root = rustix::process::geteuid().is_root();
    let program = scratch.work().join("scrubjay");
    fs::copy(env!("CARGO_BIN_EXE_scrubjay"), &program).unwrap();
    let top = scratch.home().parent().unwrap().to_owned();
    let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let files = || -> Vec<PathBuf> { fs::read_dir(scratch.home()).unwrap().map(|file| file.unwrap().path()).collect() };
    if root {
        set(&top, 0o755);
        for path in files().into_iter().chain([scratch.home(), scratch.home().join("index").join("default")]) {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
    for path in files() {
        set(&path, if path.is_dir() { 0o500 } else { 0o400 });
    }
    set(&scratch.home(), 0o500);
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command.env_clear().current_dir(scratch.work()).env("HOME", &top).env("SCRUBJAY_HOME", scratch.home());
        command.env("SCRUBJAY_PROJECT", "app").args(words);
        if root {
            command.uid(NOBODY).gid(NOBODY);
        }
        finish(&mut command, None)
    };
    let before: Vec<_> = [scratch.store(), beside(&scratch, "-wal")].map(|path| fs::read(path).unwrap()).into();
    for words in [&["recall", "billing"][..], &["list"], &["show", &id]] {
        let done = run(words);
        assert!(done.code == Some(0) && done.out.contains("Ada owns billing"), "{words:?}: {done:?}");
        assert!(done.err.contains("cannot be written"), "{words:?}: {done:?}");
    }
    let health = run(&["doctor"]);
    assert!(health.code == Some(0) && health.out.contains("read-only"), "{health:?}");
    let refused = run(&["remember", "Grace owns the compiler"]);
    refused.failed(&[5], "remember");
    assert!(refused.err.contains("read-only"), "{refused:?}");
    let after: Vec<_> = [scratch.store(), beside(&scratch, "-wal")].map(|path| fs::read(path).unwrap()).into();
    assert!(before == after, "a byte was changed");
    set(&scratch.home(), 0o700);
}

#[test]
fn notes_of_a_task_can_be_purged() {
    let scratch = scratch();
    scratch.json(&["task", "begin", "Fix the build", "--id", "build"]);
    let first = scratch.json(&["task", "add", "the key is under the qwvzkjhx stone"]);
    scratch.json(&["task", "add", "the zzpyfgcr door squeaks"]);
    let id = first["id"].as_str().unwrap();
    scratch.json(&["purge", id, "--task", "build", "--yes"]);
    assert!(!scratch.contents().contains("qwvzkjhx"));
    // The task's end only hides what is left.
    scratch.json(&["task", "end", "build"]);
    scratch.json(&["purge", "--task", "build", "--yes"]);
    for file in [scratch.store(), beside(&scratch, "-wal")] {
        let bytes = fs::read(&file).unwrap();
        for secret in ["qwvzkjhx", "zzpyfgcr"] {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} is left in {}", file.display());
        }
    }
}
