//! A store that goes, is swapped or is damaged under those who use it: nothing is
//! acknowledged that is not kept, nobody goes on as if nothing had happened, and a
//! store that is put back is as good as before.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::Attack;
use crate::arena::{Arena, Daemon, Found, finish};
use crate::http::{Answer, post};

/// Does something to a file.
type Harm = fn(&Path) -> io::Result<()>;

pub(crate) fn attack(attack: &Attack, found: &mut Found) {
    vanished(attack, found);
    swapped(attack, found);
    damaged(attack, found);
    segments(attack, found);
}

/// A home with some messages in it, and its store.
fn stocked(attack: &Attack, messages: usize) -> (Arena, PathBuf) {
    let arena = Arena::new(&attack.program);
    let lines: String = (0..messages)
        .map(|number| {
            let content = format!("Message {number} about billing and lamp {}", number % 7);
            format!("{}\n", json!({"session_id": "s", "role": "user", "id": number.to_string(), "content": content}))
        })
        .collect();
    let done = finish(arena.command().arg("capture"), lines.as_bytes());
    assert_eq!(done.code, Some(0), "{}", done.err);
    let store = arena.home().join("default.sqlite");
    (arena, store)
}

fn log(store: &Path) -> PathBuf {
    store.with_extension("sqlite-wal")
}

/// Puts a whole store in place of the one that is there, without a log.
fn put_back(store: &Path, copy: &Path) {
    for beside in ["sqlite-wal", "sqlite-shm"] {
        let _ = fs::remove_file(store.with_extension(beside));
    }
    fs::copy(copy, store).unwrap();
}

fn cut(path: &Path, bytes: u64) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.set_len(bytes)
}

// A home that had a store does not begin an empty one without a word.
fn vanished(attack: &Attack, found: &mut Found) {
    let harms: [(&str, Harm); 2] = [("gone", |path| fs::remove_file(path)), ("empty", |path| fs::write(path, ""))];
    for (what, harm) in harms {
        let (arena, store) = stocked(attack, 20);
        harm(&store).unwrap();
        let done = arena.run(&["remember", "into the void"]);
        found.check(done.code != Some(0), || format!("a store that is {what} became an empty one in silence"));
        fs::write(log(&store), "not ours to throw away").unwrap();
        arena.run(&["list"]);
        let kept = fs::read(log(&store)).is_ok_and(|bytes| bytes == b"not ours to throw away");
        found.check(kept, || format!("a log beside a store that is {what} was thrown away"));
    }
}

const SWAPS: [(&str, Harm); 7] = [
    ("deleted", |path| fs::remove_file(path)),
    ("cut", |path| cut(path, 4096)),
    ("replaced", |path| replace(path)),
    ("emptied", |path| cut(path, 0)),
    ("robbed of its log", |path| fs::remove_file(log(path))),
    ("given another log", |path| replace(&log(path))),
    ("given half a log", |path| cut(&log(path), 5000)),
];

fn replace(path: &Path) -> io::Result<()> {
    let other = path.with_extension("other");
    fs::copy(path, &other)?;
    fs::rename(&other, path)
}

// What a daemon acknowledges is in the file that is there, whoever reads
// meanwhile; and a sound store that is put back takes writes.
fn swapped(attack: &Attack, found: &mut Found) {
    let some = if attack.long { SWAPS.len() } else { 4 };
    for (what, harm) in &SWAPS[..some] {
        let (arena, store) = stocked(attack, 20);
        let copy = arena.work().join("copy");
        arena.json(&["backup", copy.to_str().unwrap()]);
        // All of it in the main file, as in a store that is older than its log.
        put_back(&store, &copy);
        let daemon = arena.serve();
        write(&daemon, "before the harm");
        harm(&store).unwrap();
        let mut acknowledged = 0;
        for number in 0..30 {
            ask(&daemon);
            acknowledged += usize::from(write(&daemon, &format!("written-after-the-harm-{number}")).status == 200);
        }
        drop(daemon);
        let kept = arena.kept("written-after-the-harm");
        found.check(kept >= acknowledged, || {
            format!("a store that was {what} under the daemon: {acknowledged} acknowledged, {kept} kept")
        });
        put_back(&store, &copy);
        let done = arena.run(&["remember", "after it was put back"]);
        found.check(done.code == Some(0), || {
            format!("a store that was {what} and put back takes no writes: {:?} {}", done.code, done.err)
        });
    }
}

fn write(daemon: &Daemon, text: &str) -> Answer {
    post(daemon.port, &daemon.token, "app", "/v1/remember", &json!({"content": text}))
}

fn ask(daemon: &Daemon) -> Answer {
    post(daemon.port, &daemon.token, "app", "/v1/recall", &json!({"query": "billing", "min_score": 0.0}))
}

/// How much is damaged at once: no page is so large.
const DAMAGED_BYTES: u64 = 8192;

// Damage that was told stays told. The file is damaged in the middle, or at places
// all over it.
fn damaged(attack: &Attack, found: &mut Found) {
    let (arena, store) = stocked(attack, 200);
    // The store is still in its log; a copy is one file.
    let copy = arena.work().join("copy");
    arena.json(&["backup", copy.to_str().unwrap()]);
    let length = fs::metadata(&copy).unwrap().len();
    let places = if attack.long { 24 } else { 1 };
    for place in 1..=places {
        put_back(&store, &copy);
        let _ = fs::remove_file(store.with_extension("sqlite.damaged"));
        let at = (length - DAMAGED_BYTES) * place / (places + 1);
        let file = OpenOptions::new().read(true).write(true).open(&store).unwrap();
        let mut bytes = vec![0; usize::try_from(DAMAGED_BYTES).unwrap()];
        file.read_exact_at(&mut bytes, at).unwrap();
        for byte in &mut bytes {
            *byte ^= 0x5a;
        }
        file.write_all_at(&bytes, at).unwrap();
        let told = arena.run(&["doctor"]);
        found.check(told.code == Some(6), || format!("doctor does not see 8 kB of damage at {at}: {:?}", told.code));
        let done = arena.run(&["remember", "onto a damaged store"]);
        found.check(done.code == Some(6), || {
            format!("a store that is damaged at {at} takes writes after doctor said so: {:?}", done.code)
        });
    }
}

// Index files are derived: what happens to them heals by itself.
fn segments(attack: &Attack, found: &mut Found) {
    let harms: [(&str, Harm); 2] = [("cut", |path| cut(path, 64)), ("gone", |path| fs::remove_file(path))];
    for (what, harm) in harms {
        let (arena, _) = stocked(attack, 700);
        arena.json(&["recall", "billing"]);
        let mut daemon = arena.serve();
        ask(&daemon);
        let mut segments = Vec::new();
        let mut folders = vec![arena.home().join("index")];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "segment") {
                    segments.push(path);
                }
            }
        }
        found.check(!segments.is_empty(), || "there are no index files to harm".to_owned());
        for segment in &segments {
            harm(segment).unwrap();
        }
        let before_writing = ask(&daemon);
        write(&daemon, "One more about billing");
        for answer in [before_writing, ask(&daemon)] {
            let hits = answer.json()["hits"].as_array().map_or(0, Vec::len);
            found.check(hits > 0, || format!("index files that are {what}: recall fails: {answer:?}"));
        }
        found.check(daemon.lives(), || format!("index files that are {what} end the daemon"));
    }
}
