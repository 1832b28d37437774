//! What lies in the spool and cannot be used must not stand in the way of what
//! can, and is kept.

use std::path::Path;

use serde_json::{Value, json};

use crate::Attack;
use crate::arena::{Arena, Found};

/// Names that sort before and after what hooks leave.
const EARLIEST: &str = "0000000000001-poison";

/// Puts something into the spool that cannot be used.
type Poison = fn(&Path);

pub(crate) fn attack(attack: &Attack, found: &mut Found) {
    let poisons: [(&str, Poison); 7] = [
        ("a session that ended without a word", |folder| write(folder, &spooled(&[], Some("nothing-was-said")))),
        ("a role of nobody", |folder| {
            write(folder, &spooled(&[json!({"session_id": "s", "role": "", "content": "x"})], None));
        }),
        ("a message of 17 MB", |folder| {
            let huge = json!({"session_id": "s", "role": "user", "content": "x".repeat(17 << 20)});
            write(folder, &spooled(&[huge], None));
        }),
        ("no JSON", |folder| std::fs::write(folder.join(format!("{EARLIEST}.json")), "{").unwrap()),
        ("a folder", |folder| std::fs::create_dir(folder.join(format!("{EARLIEST}.json"))).unwrap()),
        ("a pipe", |folder| {
            let made = std::process::Command::new("mkfifo").arg(folder.join(format!("{EARLIEST}.json"))).status();
            assert!(made.unwrap().success());
        }),
        ("a project that is none", |folder| {
            let mut bad = spooled(&[json!({"session_id": "s", "role": "user", "content": "x"})], None);
            bad["project"] = json!("../../etc");
            write(folder, &bad);
        }),
    ];
    for (what, poison) in poisons {
        let arena = Arena::new(&attack.program);
        arena.json(&["remember", "so that there is a store"]);
        let folder = arena.home().join("spool/default");
        std::fs::create_dir_all(&folder).unwrap();
        poison(&folder);
        let texts: Vec<String> = (0..5).map(|number| format!("prompt-after-the-poison-{number}")).collect();
        for (number, text) in texts.iter().enumerate() {
            let message = json!({"session_id": "later", "role": "user", "content": text,
                "time": format!("2026-05-01T00:00:0{number}Z")});
            let path = folder.join(format!("199000000000{number}-later.json"));
            std::fs::write(path, spooled(&[message], None).to_string()).unwrap();
        }
        // A daemon takes in what was left behind.
        let daemon = arena.serve();
        let kept = until(|| texts.iter().all(|text| arena.kept(text) == 1));
        found.check(kept, || {
            let kept = texts.iter().filter(|text| arena.kept(text) == 1).count();
            format!("{what} in the spool: {kept} of {} later prompts are kept", texts.len())
        });
        drop(daemon);
        let doctor = arena.run(&["doctor", "--json"]);
        found.check(doctor.out.contains("spool"), || format!("{what} in the spool: doctor says nothing of it"));
    }
}

fn spooled(messages: &[Value], ended: Option<&str>) -> Value {
    json!({"project": "app", "messages": messages, "ended": ended})
}

fn write(folder: &Path, spooled: &Value) {
    std::fs::write(folder.join(format!("{EARLIEST}.json")), spooled.to_string()).unwrap();
}

/// Waits until something holds; false if it does not within reason.
pub(crate) fn until(holds: impl Fn() -> bool) -> bool {
    (0..60).any(|_| {
        let now = holds();
        if !now {
            std::thread::sleep(std::time::Duration::from_millis(250));
        }
        now
    })
}
