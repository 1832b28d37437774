//! Wrong settings, wherever they stand, must not make a hook lose what was said.

use serde_json::json;

use crate::Attack;
use crate::arena::{Arena, Found};
use crate::spool::until;

const GOOD: &str = "[embedding]\nprovider = \"none\"\n[daemon]\nautostart = false\n";

pub(crate) fn attack(attack: &Attack, found: &mut Found) {
    let files = [
        ("no TOML", "[embedding\n"),
        ("an unknown setting", "[embedding]\nprovder = \"none\"\n"),
        ("a value of the wrong kind", "[query]\nmax_results = \"many\"\n"),
        ("a value out of bounds", "[query]\nmax_results = 0\n"),
        ("a setting of an agent that is none", "[agents.\"../x\"]\nenabled = true\n"),
        ("bytes that are no text", "\u{0}\u{1}"),
    ];
    for (what, text) in files {
        let arena = Arena::new(&attack.program);
        arena.configure(text);
        lose_nothing(&arena, &[], &format!("{what} in config.toml"), found);
    }
    for (name, value) in [("SCRUBJAY_QUERY_MAX_RESULTS", "0"), ("SCRUBJAY_NO_SUCH_SETTING", "1")] {
        let arena = Arena::new(&attack.program);
        lose_nothing(&arena, &[(name, value)], &format!("{name}={value}"), found);
    }
    for (what, text) in [
        ("a value out of bounds", "[query]\nmax_results = 0\n"),
        ("no TOML", "project = \n"),
        ("a name that is none", "project = \"../x\"\n"),
    ] {
        let arena = Arena::new(&attack.program);
        std::fs::write(arena.work().join(".scrubjay.toml"), text).unwrap();
        lose_nothing(&arena, &[], &format!("{what} in a repository's .scrubjay.toml"), found);
        let worked = arena.run(&["recall", "anything"]);
        found
            .check(worked.code == Some(0), || format!("{what} in a repository's file stops a command: {}", worked.err));
    }
}

fn lose_nothing(arena: &Arena, variables: &[(&str, &str)], what: &str, found: &mut Found) {
    let text = "said-while-the-settings-were-wrong";
    let payload = json!({"session_id": "s", "prompt": text, "cwd": arena.work()});
    let done = arena.hook("UserPromptSubmit", &payload, variables);
    found.check(done.code == Some(0) && done.err.is_empty(), || format!("{what}: the hook shows it: {}", done.err));
    // Once the settings are right again, everything is there.
    arena.configure(GOOD);
    let _ = std::fs::remove_file(arena.work().join(".scrubjay.toml"));
    let _daemon = arena.serve();
    found.check(until(|| arena.kept(text) == 1), || format!("{what}: a prompt is lost"));
}
