//! Changing files: only the one value changes, and the file is always whole.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use proptest::prelude::*;

use super::super::schema::schema;
use super::super::{Change, set, unset};
use super::*;

fn check_set(before: &str, agent: Option<&str>, key: &str, value: &str, after: &str) {
    let home = Home::with_user_file(before);
    let change = set(&home.user_file(), key, value, agent).unwrap();
    assert_eq!(fs::read_to_string(home.user_file()).unwrap(), after, "set {key} = {value} in\n{before}");
    home.load().unwrap();
    assert!(change.after.is_some());
}

#[test]
fn set_changes_one_value() {
    let key = "query.max_results";
    for (before, after) in [
        ("", "[query]\nmax_results = 3\n"),
        ("# notes\n", "# notes\n\n[query]\nmax_results = 3\n"),
        ("# notes", "# notes\n\n[query]\nmax_results = 3\n"),
        ("[jobs]\nmax_tries = 2\n# end\n", "[jobs]\nmax_tries = 2\n# end\n\n[query]\nmax_results = 3\n"),
        ("[jobs]\r\nmax_tries = 2\r\n", "[jobs]\r\nmax_tries = 2\r\n\r\n[query]\r\nmax_results = 3\r\n"),
        (
            "# a\n[query] # b\n# c\nmax_results   =  9   # d\n# e\nmin_score = 0.1\n",
            "# a\n[query] # b\n# c\nmax_results   =  3   # d\n# e\nmin_score = 0.1\n",
        ),
        ("[query]\r\nmax_results = 9 # x\r\n", "[query]\r\nmax_results = 3 # x\r\n"),
        ("query.max_results = 9", "query.max_results = 3"),
        ("query = { max_results = 9, min_score = 0.1 } # x\n", "query = { max_results = 3, min_score = 0.1 } # x\n"),
        ("query = { min_score = 0.1 } # x\n", "query = { min_score = 0.1 , max_results = 3 } # x\n"),
        ("query.min_score = 0.1 # x\n", "query.min_score = 0.1 # x\nquery.max_results = 3\n"),
        (
            "[query]\nmin_score = 0.1 # x\n\n# about jobs\n[jobs]\nmax_tries = 2\n",
            "[query]\nmin_score = 0.1 # x\nmax_results = 3\n\n# about jobs\n[jobs]\nmax_tries = 2\n",
        ),
        ("[query]\n", "[query]\nmax_results = 3\n"),
        ("[query] # x\n# y\n", "[query] # x\nmax_results = 3\n# y\n"),
    ] {
        check_set(before, None, key, "3", after);
    }
}

#[test]
fn set_for_an_agent() {
    let key = "query.max_results";
    for (before, after) in [
        ("[query]\nmax_results = 9\n", "[query]\nmax_results = 9\n\n[agents.work.query]\nmax_results = 3\n"),
        (
            "[agents.work.jobs]\nmax_tries = 1\n",
            "[agents.work.jobs]\nmax_tries = 1\n\n[agents.work.query]\nmax_results = 3\n",
        ),
        ("[agents.work]\nquery.max_results = 9\n", "[agents.work]\nquery.max_results = 3\n"),
        (
            "agents.work.jobs.max_tries = 1\n",
            "agents.work.jobs.max_tries = 1\n\n[agents.work.query]\nmax_results = 3\n",
        ),
        ("agents = { work = {} }\n", "agents = { work = { query.max_results = 3 } }\n"),
    ] {
        check_set(before, Some("work"), key, "3", after);
    }
    check_set("", Some("a.b"), key, "3", "[agents.\"a.b\".query]\nmax_results = 3\n");
}

#[test]
fn set_writes_every_type() {
    for (key, value, after) in [
        ("store.path", "/a \"b\"/{agent}.db", "[store]\npath = '/a \"b\"/{agent}.db'\n"),
        ("capture.roles", "user,tool", "[capture]\nroles = [\"user\", \"tool\"]\n"),
        ("capture.redact", "off", "[capture]\nredact = false\n"),
        ("query.min_score", "1", "[query]\nmin_score = 1.0\n"),
        ("store.url", "postgres://me:secret@db/x", "[store]\nurl = \"postgres://me:secret@db/x\"\n"),
    ] {
        check_set("", None, key, value, after);
    }
}

#[test]
fn a_change_tells_before_and_after_without_secrets() {
    let home = Home::new();
    let change = |before: Option<&str>, after: Option<&str>, key: &str| Change {
        key: key.to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    };
    let file = home.user_file();
    let key = "query.max_results";
    assert_eq!(unset(&file, key, None).unwrap(), change(None, None, key));
    assert!(!file.exists(), "unset creates nothing");
    assert_eq!(set(&file, key, "3", None).unwrap(), change(None, Some("3"), key));
    assert_eq!(set(&file, key, "4", None).unwrap(), change(Some("3"), Some("4"), key));
    assert_eq!(unset(&file, key, None).unwrap(), change(Some("4"), None, key));
    let agent_key = "agents.work.query.max_results";
    assert_eq!(set(&file, key, "5", Some("work")).unwrap(), change(None, Some("5"), agent_key));
    assert_eq!(unset(&file, key, Some("work")).unwrap(), change(Some("5"), None, agent_key));
    let secret = "postgres://me:secret@db/x";
    let shown = Some("\"postgres://…@db/x\"");
    assert_eq!(set(&file, "store.url", secret, None).unwrap(), change(None, shown, "store.url"));
    assert_eq!(unset(&file, "store.url", None).unwrap(), change(shown, None, "store.url"));
}

#[test]
fn unset_takes_out_one_line() {
    for (before, key, after) in [
        (
            "# a\n[query]\n# b\nmax_results = 3 # c\n# d\nmin_score = 0.1\n",
            "query.max_results",
            "# a\n[query]\n# b\n# d\nmin_score = 0.1\n",
        ),
        ("[query]\nmax_results = 3", "query.max_results", "[query]\n"),
        ("[capture]\nroles = [\n  \"user\", # x\n]\nredact = true\n", "capture.roles", "[capture]\nredact = true\n"),
        ("  query.max_results = 3\nquery.min_score = 0.1\n", "query.max_results", "query.min_score = 0.1\n"),
        ("query = { max_results = 3, min_score = 0.1 }\n", "query.max_results", "query = { min_score = 0.1 }\n"),
        ("[query]\r\nmax_results = 3\r\n[jobs]\r\n", "query.max_results", "[query]\r\n[jobs]\r\n"),
        ("[query]\nmin_score = 0.1\n", "query.max_results", "[query]\nmin_score = 0.1\n"),
        ("[query]\nmax_result = 1\nmin_score = 0.1\n", "query.max_result", "[query]\nmin_score = 0.1\n"),
    ] {
        let home = Home::with_user_file(before);
        unset(&home.user_file(), key, None).unwrap();
        assert_eq!(fs::read_to_string(home.user_file()).unwrap(), after, "unset {key} in\n{before}");
    }
}

#[test]
fn a_refused_change_leaves_the_file_alone() {
    for (text, key, value, expected) in [
        (
            "[query]\n",
            "query.max_result",
            "3",
            "unknown setting `query.max_result` (command line); did you mean `query.max_results`?",
        ),
        (
            "[query]\n",
            "query.max_results",
            "many",
            "`query.max_results` (command line) must be of type integer, but is `many`",
        ),
        ("[query]\n", "query.max_results", "0", "`query.max_results` = 0 (command line) is not allowed; use 1 to 1000"),
        (
            "query = 5\n",
            "query.max_results",
            "3",
            "cannot change `query.max_results` in config.toml without rewriting the file; edit it by hand",
        ),
        (
            "[[query]]\n",
            "query.max_results",
            "3",
            "cannot change `query.max_results` in config.toml without rewriting the file; edit it by hand",
        ),
    ] {
        let home = Home::with_user_file(text);
        assert_eq!(home.plain(set(&home.user_file(), key, value, None).unwrap_err()), expected);
        assert_eq!(fs::read_to_string(home.user_file()).unwrap(), text);
    }
    let home = Home::with_user_file("broken");
    assert!(matches!(set(&home.user_file(), "backup.keep", "3", None), Err(ConfigError::Syntax { .. })));
    assert!(matches!(set(&home.user_file(), "backup.keep", "3", Some("../x")), Err(ConfigError::AgentName { .. })));
    assert!(matches!(unset(&home.user_file(), "backup.kepe", None), Err(ConfigError::Syntax { .. })));
    fs::remove_file(home.user_file()).unwrap();
    assert!(matches!(unset(&home.user_file(), "backup.kepe", None), Err(ConfigError::UnknownKey { .. })));
}

#[test]
fn whole_sections_are_not_taken_out() {
    let text = "[query]\nmax_results = 3\n[agents.work.query]\nmax_results = 4\n[qurey]\nx = 1\n";
    let home = Home::with_user_file(text);
    for key in ["query", "agents", "agents.work", "agents.work.query.max_results"] {
        assert!(matches!(unset(&home.user_file(), key, None), Err(ConfigError::UnknownKey { .. })), "{key}");
    }
    assert_eq!(fs::read_to_string(home.user_file()).unwrap(), text);
    unset(&home.user_file(), "qurey", None).unwrap();
    assert_eq!(home.load().unwrap().settings.query.max_results, 3);
}

#[test]
fn a_failed_write_leaves_the_file_alone() {
    let text = "[query]\nmax_results = 3\n";
    let home = Home::with_user_file(text);
    // A folder in the place of the temporary file stops the write whoever runs the test.
    fs::create_dir(home.path().join(".config.toml.new")).unwrap();
    let message = home.plain(set(&home.user_file(), "query.max_results", "4", None).unwrap_err());
    assert!(message.starts_with("cannot write a temporary file while changing config.toml"), "{message}");
    assert_eq!(fs::read_to_string(home.user_file()).unwrap(), text);
    fs::remove_dir(home.path().join(".config.toml.new")).unwrap();
    let full = format!("{text}#{}", "x".repeat(1024 * 1024 - text.len() - 1));
    fs::write(home.user_file(), &full).unwrap();
    assert!(matches!(set(&home.user_file(), "backup.keep", "3", None), Err(ConfigError::TooLarge { .. })));
    assert_eq!(fs::read_to_string(home.user_file()).unwrap(), full);
}

#[test]
fn a_secret_of_the_wrong_type_is_not_shown() {
    let home = Home::with_user_file("[store]\nurl = [\"postgres://me:secret@db/x\"]\n");
    let change = set(&home.user_file(), "store.url", "sqlite://x", None).unwrap();
    assert_eq!(change.before.as_deref(), Some("array"));
}

#[test]
fn a_wrong_value_can_be_put_right() {
    let home = Home::with_user_file("[query]\nmax_results = \"many\" # x\nmin_score = 7\n");
    let change = set(&home.user_file(), "query.max_results", "3", None).unwrap();
    assert_eq!(change.before.as_deref(), Some("\"many\""));
    set(&home.user_file(), "query.min_score", "0.7", None).unwrap();
    let text = fs::read_to_string(home.user_file()).unwrap();
    assert_eq!(text, "[query]\nmax_results = 3 # x\nmin_score = 0.7\n");
}

#[test]
fn a_project_file_takes_only_what_a_project_may_set() {
    let home = Home::new();
    let file = home.project_file();
    set(&file, "query.max_results", "3", None).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    let refused = set(&file, "store.path", "/x", None).unwrap_err();
    assert_eq!(
        home.plain(refused),
        "cannot set `store.path` in the project file .scrubjay.toml; it can only be set in the user file"
    );
    assert!(matches!(set(&file, "query.max_results", "3", Some("a")), Err(ConfigError::UserFileOnly { .. })));
    fs::write(&file, "[store]\npath = \"x\"\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    unset(&file, "store.path", None).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "[store]\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    fs::remove_file(&file).unwrap();
    symlink(home.path().join("elsewhere"), &file).unwrap();
    assert!(matches!(set(&file, "query.max_results", "3", None), Err(ConfigError::NotAPlainFile { .. })));
}

#[test]
fn the_file_is_private_and_nothing_is_left_beside_it() {
    let home = Home::new();
    let file = home.path().join("new/folder/config.toml");
    set(&file, "query.max_results", "3", None).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    // What a killed process left behind does not stop the next change.
    fs::write(home.path().join("new/folder/.config.toml.new"), "torn").unwrap();
    set(&file, "query.max_results", "4", None).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&home.path().join("new")), 0o700);
    let names: Vec<_> =
        fs::read_dir(home.path().join("new/folder")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["config.toml"]);
}

#[test]
fn a_linked_file_stays_linked() {
    let home = Home::new();
    let folder = home.path().join("dotfiles");
    fs::create_dir(&folder).unwrap();
    let real = folder.join("scrubjay.toml");
    fs::write(&real, "# mine\n").unwrap();
    symlink(&real, home.user_file()).unwrap();
    set(&home.user_file(), "query.max_results", "3", None).unwrap();
    assert!(fs::symlink_metadata(home.user_file()).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "# mine\n\n[query]\nmax_results = 3\n");
    fs::remove_file(&real).unwrap();
    let message = set(&home.user_file(), "query.max_results", "3", None).unwrap_err().to_string();
    assert!(message.starts_with("cannot follow the link while changing "), "{message}");
}

#[test]
fn changes_at_once_are_all_kept() {
    let home = Home::new();
    let file = home.user_file();
    let keys: Vec<_> = schema().keys.iter().filter(|key| key.default.to_string() != "\"\"").collect();
    std::thread::scope(|scope| {
        for key in &keys {
            let file = &file;
            scope.spawn(move || set(file, &key.name, &key.default.to_string(), None).unwrap());
        }
    });
    let loaded = home.load().unwrap();
    let set = loaded.origins.values().filter(|origin| **origin != super::super::Origin::Default).count();
    assert_eq!(set, keys.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Setting a key in any file keeps every other line and every comment, and unsetting it afterwards gives back
    /// a file with the same settings as before.
    #[test]
    fn set_then_unset_keeps_the_rest(
        pieces in proptest::collection::vec(0..PIECES.len(), 0..PIECES.len()),
        which in 0..schema().keys.len(),
        agent in proptest::option::of("[a-z0-9][a-z0-9._-]{0,5}"),
    ) {
        let mut pieces = pieces;
        pieces.sort_unstable();
        pieces.dedup();
        let text: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        let home = Home::with_user_file(&text);
        let key = &schema().keys[which];
        let layers = Layers { agent: agent.clone().unwrap_or("default".into()), ..home.layers() };
        let original = load(&layers).unwrap();
        let change = set(&home.user_file(), &key.name, &key.default.to_string(), agent.as_deref()).unwrap();
        let changed = load(&layers).unwrap();
        let written = fs::read_to_string(home.user_file()).unwrap();
        let comments = |text: &str| text.lines().filter_map(|line| line.split_once('#').map(|(_, comment)| comment.to_owned())).collect::<Vec<_>>();
        prop_assert_eq!(comments(&text), comments(&written));
        for (name, origin) in &changed.origins {
            if *name != key.name {
                let kept = *origin == super::super::Origin::Default;
                prop_assert_eq!(kept, original.origins[name] == super::super::Origin::Default, "{}", name);
            }
        }
        if change.before.is_none() {
            unset(&home.user_file(), &key.name, agent.as_deref()).unwrap();
            let back = load(&layers).unwrap();
            prop_assert_eq!(back.settings, original.settings);
            prop_assert_eq!(comments(&text), comments(&fs::read_to_string(home.user_file()).unwrap()));
        }
    }
}

/// Pieces that form a valid file in this order, whichever are left out.
const PIECES: &[&str] = &[
    "# first\n",
    "backup.keep = 3 # kept\n",
    "dedup = { jaccard = 0.8 } # inline\n",
    "agents.dotted.query.max_results = 4\n",
    "\n[query] # header\n# above\nmin_score = 0.2 # beside\n# below\n",
    "\n# about jobs\n[jobs]\nmax_tries = 3\n",
    "[agents.work.store] # agent\nbusy_timeout_ms = 10\n",
    "[agents.work.capture]\nroles = [\n  \"user\", # multi\n]\n",
    "# last\n",
];
