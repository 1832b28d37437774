//! A store that goes, is swapped or is damaged under those who use it: nothing is
//! acknowledged that is not kept, and nobody goes on as if nothing had happened.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use crate::Attack;
use crate::arena::{Arena, Found};
use crate::http::post;

pub(crate) fn attack(attack: &Attack, found: &mut Found) {
    vanished(attack, found);
    swapped(attack, found);
    damaged(attack, found);
    segments(attack, found);
}

fn stocked(attack: &Attack) -> (Arena, PathBuf) {
    let arena = Arena::new(&attack.program);
    for number in 0..20 {
        arena.json(&["remember", &format!("Fact number {number} about billing")]);
    }
    let store = arena.home().join("default.sqlite");
    (arena, store)
}

// A home that had a store does not begin an empty one without a word.
fn vanished(attack: &Attack, found: &mut Found) {
    for (what, harm) in [
        ("gone", (|path| fs::remove_file(path)) as fn(&PathBuf) -> std::io::Result<()>),
        ("empty", |path| fs::write(path, "")),
    ] {
        let (arena, store) = stocked(attack);
        harm(&store).unwrap();
        let done = arena.run(&["remember", "into the void"]);
        found.check(done.code != Some(0), || format!("a store that is {what} became an empty one in silence"));
        let wal = arena.home().join("default.sqlite-wal");
        fs::write(&wal, "not ours to throw away").unwrap();
        arena.run(&["list"]);
        found.check(wal.exists(), || format!("a log beside a store that is {what} was thrown away"));
    }
}

// What a daemon acknowledges is in the file that is there.
fn swapped(attack: &Attack, found: &mut Found) {
    for (what, harm) in [
        ("deleted", (|path| fs::remove_file(path)) as fn(&PathBuf) -> std::io::Result<()>),
        ("cut", |path| fs::OpenOptions::new().write(true).open(path)?.set_len(4096)),
        ("replaced", |path| {
            let other = path.with_extension("other");
            fs::copy(path, &other)?;
            fs::rename(&other, path)
        }),
    ] {
        let (arena, store) = stocked(attack);
        let daemon = arena.serve();
        post(daemon.port, &daemon.token, "app", "/v1/remember", &json!({"content": "before the harm"}));
        harm(&store).unwrap();
        let write = |number: usize| {
            let body = json!({"content": format!("written-after-the-harm-{number}")});
            post(daemon.port, &daemon.token, "app", "/v1/remember", &body)
        };
        let acknowledged = (0..30).filter(|number| write(*number).status == 200).count();
        drop(daemon);
        let kept = arena.kept("written-after-the-harm");
        found.check(kept >= acknowledged, || {
            format!("a store that was {what} under the daemon: {acknowledged} acknowledged, {kept} kept")
        });
    }
}

// Damage that was told stays told.
fn damaged(attack: &Attack, found: &mut Found) {
    let (arena, store) = stocked(attack);
    let mut bytes = fs::read(&store).unwrap();
    let middle = bytes.len() / 2;
    for byte in &mut bytes[middle..middle + 8192] {
        *byte ^= 0x5a;
    }
    fs::write(&store, bytes).unwrap();
    let told = arena.run(&["doctor"]);
    if told.code == Some(0) {
        return found.check(false, || "doctor does not see 8 kB of damage".to_owned());
    }
    let done = arena.run(&["remember", "onto a damaged store"]);
    found.check(done.code == Some(6), || format!("a store that doctor calls damaged takes writes: {:?}", done.code));
}

// Index files are derived: what happens to them heals by itself.
fn segments(attack: &Attack, found: &mut Found) {
    for (what, harm) in [
        (
            "cut",
            (|path| fs::OpenOptions::new().write(true).open(path)?.set_len(64)) as fn(&PathBuf) -> std::io::Result<()>,
        ),
        ("gone", |path| fs::remove_file(path)),
    ] {
        let (arena, _) = stocked(attack);
        arena.run(&["doctor", "--repair"]);
        let mut daemon = arena.serve();
        let ask = |daemon: &crate::arena::Daemon| {
            post(daemon.port, &daemon.token, "app", "/v1/recall", &json!({"query": "billing", "min_score": 0.0}))
        };
        ask(&daemon);
        let mut files = Vec::new();
        let mut folders = vec![arena.home().join("index")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
            }
        }
        for file in files.iter().filter(|file| fs::metadata(file).is_ok_and(|facts| facts.len() > 64)) {
            let _ = harm(file);
        }
        post(daemon.port, &daemon.token, "app", "/v1/remember", &json!({"content": "One more about billing"}));
        let answer = ask(&daemon);
        let hits = answer.json()["hits"].as_array().map_or(0, Vec::len);
        found.check(daemon.lives(), || format!("index files that are {what} end the daemon"));
        found.check(hits > 0, || format!("index files that are {what}: recall fails: {answer:?}"));
    }
}
