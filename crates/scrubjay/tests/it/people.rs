//! What people see: help, answers, the demo, and the exit codes.

use crate::scratch::{Scratch, UNKNOWN, finish, steady};

#[test]
fn the_overview_teaches() {
    let scratch = Scratch::new();
    let help = scratch.run(&["help"]).out;
    assert_eq!(help, scratch.run(&["--help"]).out);
    assert_eq!(help, scratch.run(&["-h"]).out);
    // In a file of its own, because it changes with every command.
    insta::assert_snapshot!(help);
}

#[test]
fn orientation_without_arguments() {
    let scratch = Scratch::new();
    insta::assert_snapshot!(scratch.run(&[] as &[&str]).out, @r#"
    Scrubjay keeps what you and your agents said, learned and decided,
    and finds it again when it matters.

    Try it without touching anything:
      scrubjay demo

    Start for real:
      scrubjay remember "Ada owns billing"
      scrubjay recall "who owns billing"

    `scrubjay help` shows all commands.
    "#);
}

#[test]
fn help_of_commands_has_examples() {
    let scratch = Scratch::new();
    for command in ["remember", "recall", "capture", "list"] {
        let help = scratch.run(&["help", command]).out;
        assert!(help.contains("Examples:\n  scrubjay ") || help.contains("Examples:\n"), "{help}");
        assert!(help.contains("Global options") && help.contains("--home <DIR>"), "{help}");
        assert_eq!(help, scratch.run(&[command, "--help"]).out);
        assert!(scratch.run(&[command, "-h"]).out.len() < help.len());
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}

#[test]
fn empty_states_say_what_to_do() {
    let scratch = Scratch::new();
    for words in [vec!["list"], vec!["stats"], vec!["recall", "anything"]] {
        let out = scratch.run(&words).out;
        assert!(out.contains("scrubjay remember \"…\""), "{words:?}: {out}");
    }
    for words in
        [vec!["sessions"], vec!["entities"], vec!["jobs"], vec!["backup", "--list"], vec!["list", "--tag", "x"]]
    {
        let done = scratch.run(&words);
        assert!(done.out.len() > 20, "{words:?}: {done:?}");
    }
}

#[test]
fn an_empty_answer_says_what_was_missing() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let shown =
        steady(&scratch.run(&["recall", "--explain", "--min-score", "0.99", "zookeeper billing"]).out, &scratch);
    // How near it came depends on the ranking model alone.
    let relevance = shown.split("relevance ").nth(1).unwrap()[..4].to_owned();
    assert!(relevance.parse::<f64>().is_ok_and(|relevance| relevance < 0.99), "{shown}");
    assert!(
        shown.contains(&format!("What came nearest, and does not fit well enough:\n 1  relevance {relevance}  ")),
        "{shown}"
    );
    assert!(shown.contains(&format!("has a relevance of {relevance}; the threshold is 0.99.")), "{shown}");
    assert!(shown.contains("What was missing:\n") && shown.contains("Nothing here holds “zookeeper”."), "{shown}");
}

#[test]
fn answers_read_well() {
    let scratch = Scratch::new();
    let done = scratch.run(&["remember", "--type", "decision", "--tag", "billing", "Ada owns billing"]);
    let id = done.out.trim().rsplit(' ').next().unwrap().to_owned();
    scratch.run(&["edit", &id, "--importance", "5", "--content", "Ada owns billing and refunds"]);
    scratch.capture("standup", "@ada: refunds are done, see src/refund.rs");
    // Whether vectors are there by now must not depend on how busy the machine is.
    assert_eq!(scratch.run(&["jobs", "run"]).code, Some(0));
    let show = |words: &[&str]| {
        let done = scratch.run(words);
        assert_eq!(done.code, Some(0), "{done:?}");
        steady(&done.out, &scratch)
    };
    let explained = show(&["recall", "-n", "1", "--explain", "refunds"]);
    // How relevant it is depends on the ranking model alone.
    let relevance = explained.split_whitespace().nth(1).unwrap();
    assert!(relevance.parse::<f64>().is_ok_and(|relevance| (0.1..1.0).contains(&relevance)), "{explained}");
    insta::assert_snapshot!(explained.replace(relevance, "R"), @r#"
    1  R  episode · message · just now (DAY)
       @ada: refunds are done, see src/refund.rs
       ep_ID
       relevance R × importance 1 × recency 1 = score R
       lexical: rank 1, score 1.26
       vector: rank 1, score 0.59
       from user, learned just now (DAY)
    "#);
    insta::assert_snapshot!(show(&["list"]), @r#"
    DAY  user: @ada: refunds are done, see src/refund.rs
                ep_ID · message
    DAY  Ada owns billing and refunds
                fact_ID · decision #billing
    "#);
    insta::assert_snapshot!(show(&["show", &id]), @r#"
    fact_ID
    decision · project/app · importance 5

      Ada owns billing and refunds

    happened   just now (DAY)
    learned    just now (DAY)
    origin     user
    certainty  1
    tags       billing
    used       once, just now
    version    2
    "#);
    insta::assert_snapshot!(show(&["history", &id]), @r#"
    fact_ID
    v1   DAY TIME  created by user (remember)
           run_ID
    v2   DAY TIME  updated by user (edit)
           - content: Ada owns billing
           + content: Ada owns billing and refunds
           - importance: 4.6
           + importance: 5.0
           run_ID
    "#);
    insta::assert_snapshot!(show(&["stats"]), @r#"
    memories  2 active
    kinds     episode 1 · fact 1
    types     decision 1 · message 1
    scopes    project/app 2
    jobs      queued 1
    entities  2
    links     0
    sessions  1
    latest    just now (DAY)
    "#);
    insta::assert_snapshot!(show(&["entities"]), @r#"
    ada            person  1 mention  @ada
    src/refund.rs  other   1 mention
    "#);
    insta::assert_snapshot!(show(&["sessions"]), @r#"standup  1 message  DAY  just now"#);
    insta::assert_snapshot!(show(&["forget", "--session", "standup", "--yes"]), @r#"
    Forgotten: 1 memory.
      ep_ID
    To take it back: scrubjay undo run_ID
    "#);
    insta::assert_snapshot!(show(&["undo"]), @r#"
    Taken back: forget (1 change).
      ep_ID
           + active again: @ada: refunds are done, see src/refund.rs
    To do it again: scrubjay undo run_ID
    "#);
}

#[test]
fn the_doctor_uses_signs_and_words() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let out = scratch.run(&["doctor"]).out;
    assert!(out.contains("✓ good") && out.contains("! warning") && out.contains("there is no backup yet"), "{out}");
    assert!(out.ends_with("Sound, with 1 warning.\n"), "{out}");
}

#[test]
fn errors_have_causes_and_hints() {
    let scratch = Scratch::new();
    let done = scratch.run(&["show", UNKNOWN]);
    insta::assert_snapshot!(steady(&done.err, &scratch), @r#"
    error: there is no memory fact_ID here
      hint: `scrubjay list` and `scrubjay recall` show what there is
    "#);
    let done = scratch.run(&["import", "missing.jsonl"]);
    insta::assert_snapshot!(done.err, @r#"
    error: could not read missing.jsonl
      caused by: No such file or directory (os error 2)
    "#);
    let done = scratch.run(&["import", "missing.jsonl", "--json"]);
    insta::assert_snapshot!(done.err, @r#"{"error":{"code":"not_found","message":"could not read missing.jsonl","causes":["No such file or directory (os error 2)"]}}"#);
    let done = scratch.run(&["config", "set", "query.max_result", "3"]);
    insta::assert_snapshot!(done.err, @r#"
    error: unknown setting `query.max_result` (command line)
      hint: did you mean `query.max_results`?
    "#);
    let done = scratch.run(&["recal", "x"]);
    insta::assert_snapshot!(done.err, @r#"
    error: there is no command `recal`
      hint: did you mean `scrubjay recall`? `scrubjay help` shows all
    "#);
}

#[test]
fn exit_codes() {
    let scratch = Scratch::new();
    let id = scratch.remember("Ada owns billing");
    std::fs::write(scratch.work().join("junk"), "junk\n").unwrap();
    for (words, code) in [
        (vec![], 0),
        (vec!["list"], 0),
        (vec!["recall", "--help"], 0),
        (vec!["--version"], 0),
        (vec!["recall", "nothing like it"], 0),
        (vec!["import", "junk"], 1),
        (vec!["list", "--no-such-flag"], 2),
        (vec!["no-such-command"], 2),
        (vec!["show", "x"], 2),
        (vec!["call", "no-such-operation"], 2),
        (vec!["show", UNKNOWN], 3),
        (vec!["entity", "nobody"], 3),
        (vec!["purge", &id], 4),
        (vec!["forget", "--kind", "fact"], 4),
        (vec!["list", "--set", "store.path=/proc/x/y.sqlite"], 5),
    ] {
        let done = scratch.run(&words);
        assert_eq!(done.code, Some(code), "{words:?}: {done:?}");
    }
    let mut bytes = std::fs::read(scratch.store()).unwrap();
    bytes[..16].fill(0);
    for (path, _) in crate::scratch::files(&scratch.home()) {
        std::fs::remove_file(path).unwrap();
    }
    std::fs::write(scratch.store(), bytes).unwrap();
    assert_eq!(scratch.run(&["list"]).code, Some(6));
}

#[test]
fn text_from_the_store_cannot_drive_a_terminal() {
    let scratch = Scratch::new();
    let evil =
        "red \u{1b}[31m bell \u{7} title \u{1b}]0;owned\u{7} csi \u{9b}2J back \u{202e}drawkcab\u{202c} \u{2066}x";
    let message =
        serde_json::json!({"session_id": "s \u{202e}x", "role": "ada \u{2066}", "content": format!("billing @ada #x {evil}")}).to_string();
    assert_eq!(scratch.run_with(&["capture"], message.as_bytes()).code, Some(0));
    let fact = scratch.remember(&format!("Ada owns billing {evil}"));
    scratch.run(&["edit", &fact, "--tag", evil, "--attribute", &format!("{evil}={evil}"), "--type", "odd"]);
    let harmful = |character: char| {
        character.is_control() && character != '\n'
            || ('\u{202a}'..='\u{202e}').contains(&character)
            || character == '\u{2066}'
    };
    for words in [
        vec!["list"],
        vec!["recall", "billing"],
        vec!["show", &fact],
        vec!["history", &fact],
        vec!["sessions"],
        vec!["sessions", "end", evil],
        vec!["sessions", "end", "\u{1b}[31m"],
        vec!["entities"],
        vec!["entity", "ada"],
        vec!["entity", evil],
        vec!["stats"],
        vec!["show", evil],
        vec!["list", "--order-by", evil],
        vec!["remember", "x", "--scope", evil],
    ] {
        let done = scratch.run(&words);
        assert!(!done.out.contains(harmful), "{words:?}: {done:?}");
        assert!(!done.err.contains(harmful), "{words:?}: {done:?}");
    }
}

#[test]
fn no_colours_away_from_a_terminal() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    for words in [
        vec!["recall", "billing"],
        vec!["help"],
        vec!["doctor"],
        vec!["show", UNKNOWN],
        vec!["list", "--nope"],
        vec!["demo"],
    ] {
        let done = scratch.run(&words);
        assert!(!done.out.contains('\u{1b}') && !done.err.contains('\u{1b}'), "{words:?}");
    }
}

#[test]
fn versions() {
    let scratch = Scratch::new();
    assert_eq!(scratch.run(&["--version"]).out, format!("scrubjay {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(scratch.run(&["-V"]).out, scratch.run(&["--version"]).out);
    let out = scratch.run(&["--version", "--verbose"]).out;
    assert!(out.contains("\nSQLite 3.") && out.contains("\nstore schema "), "{out}");
}

#[test]
fn completions_know_the_commands() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish"] {
        let out = scratch.run(&["completions", shell]).out;
        assert!(out.contains("complete --"), "it asks the program: {out}");
    }
    for shell in ["elvish", "powershell"] {
        let out = scratch.run(&["completions", shell]).out;
        for word in ["recall", "restore-backup", "exclude-session", "merge", "demo"] {
            assert!(out.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn the_demo_plays_and_leaves_nothing() {
    let scratch = Scratch::new();
    let done = scratch.run(&["demo"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{done:?}");
    for part in [
        "$ scrubjay capture < kickoff.jsonl",
        "$ scrubjay recall -n 2 \"why did bookings fail\"",
        "Bookings for the night ferry failed",
        "a secret was redacted",
        "a <private> passage was left out",
        "[REDACTED:",
        "Nothing here fits that question.",
        "Corrected: fact_",
        "+ ended: corrected",
        "joris@kiel-harbour.example · email",
        "Forgotten: 9 memories.",
        "Taken back: forget (9 changes).",
        "scrubjay remember \"…\"",
    ] {
        assert!(done.out.contains(part), "{part} is not in\n{}", done.out);
    }
    assert!(!done.out.contains("ghp_") && !done.out.contains("dentist"), "{}", done.out);
    assert!(!scratch.home().exists(), "the demo touched the user's home");
    let left = std::fs::read_dir(scratch.home().parent().unwrap()).unwrap().count();
    assert_eq!(left, 1, "only the folder `work` is left");
}

#[test]
fn the_demo_can_be_kept() {
    let scratch = Scratch::new();
    let done = scratch.run(&["demo", "--keep"]);
    let home = done.out.lines().rev().find_map(|line| line.trim().strip_prefix("scrubjay --home ")).unwrap();
    let home = home.split(' ').next().unwrap().to_owned();
    let stats = scratch.json(&["--home", &home, "--project", "tern", "stats"]);
    assert_eq!(stats["by_kind"]["episode"], 24, "{stats}");
}

#[test]
fn an_interrupted_demo_is_cleared_away_by_the_next() {
    let scratch = Scratch::new();
    let temporary = scratch.home().parent().unwrap().to_owned();
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let left = temporary.join(format!("scrubjay-demo-{}-0", ended.id()));
    let running = temporary.join(format!("scrubjay-demo-{}-0", std::process::id()));
    let unrelated = temporary.join("scrubjay-demo-notes");
    for folder in [&left, &running, &unrelated] {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("default.sqlite"), "x").unwrap();
    }
    let mut command = scratch.command();
    assert_eq!(finish(command.arg("demo"), None).code, Some(0));
    assert_eq!((left.exists(), running.exists(), unrelated.exists()), (false, true, true));
}
