//! Files that are too big, broken, hostile or not files at all.

use std::os::unix::fs::symlink;

use proptest::prelude::*;

use super::super::project_file;
use super::*;

#[test]
fn broken_files_say_where() {
    let long = format!("# {}\n", "x".repeat(1024 * 1024));
    for (bytes, expected) in [
        (
            &b"[query]\nmax_results = \xff3\n"[..],
            "the configuration file config.toml:2:15 is not valid UTF-8; save it as UTF-8",
        ),
        (long.as_bytes(), "the configuration file config.toml is larger than 1048576 bytes; shorten it"),
    ] {
        let home = Home::with_user_file(bytes);
        assert_eq!(home.plain(home.load().unwrap_err()), expected);
    }
    for (text, place) in [
        ("[query\n", "config.toml:1:7"),
        ("[query]\nmax_results = \n", "config.toml:2:15"),
        ("[query]\nmax_results = 3 4\n", "config.toml:2:15"),
        ("# ü\nä = 1\n", "config.toml:2:1"),
        ("a = 1\na = 2\n", "config.toml:2:1"),
        ("a = \"open\n", "config.toml:1:"),
        ("a = 1\r\nb = \0\r\n", "config.toml:2:5"),
    ] {
        let home = Home::with_user_file(text);
        let message = home.plain(home.load().unwrap_err());
        assert!(message.starts_with(&format!("the configuration file {place}")), "{text:?}: {message}");
        assert!(message.contains("is not valid TOML (") && message.ends_with("; correct that line"), "{message}");
    }
}

#[test]
fn the_largest_file_is_read() {
    let mut text = "[query]\nmax_results = 3\n# ".to_owned();
    text.push_str(&"x".repeat(1024 * 1024 - text.len()));
    assert_eq!(Home::with_user_file(text).load().unwrap().settings.query.max_results, 3);
}

#[test]
fn what_is_no_file_is_not_opened() {
    let home = Home::new();
    fs::create_dir(home.user_file()).unwrap();
    assert_eq!(
        home.plain(home.load().unwrap_err()),
        "the configuration config.toml is a folder; replace it by a plain file"
    );
    let home = Home::new();
    symlink("/dev/zero", home.user_file()).unwrap();
    assert_eq!(
        home.plain(home.load().unwrap_err()),
        "the configuration config.toml is a device, pipe or socket; replace it by a plain file"
    );
}

#[test]
fn the_user_file_may_be_a_link_and_the_project_file_may_not() {
    let home = Home::new();
    let real = home.path().join("real.toml");
    fs::write(&real, "[query]\nmax_results = 3\n").unwrap();
    symlink(&real, home.user_file()).unwrap();
    assert_eq!(home.load().unwrap().settings.query.max_results, 3);
    symlink(&real, home.project_file()).unwrap();
    assert_eq!(
        home.plain(&home.load().unwrap().warnings[0]),
        "a project's file is ignored: the configuration .scrubjay.toml is a symbolic link; replace it by a plain file"
    );
    assert!(project_file(&home.project_file()).is_err());
}

#[test]
fn a_project_file_that_went_away_is_told() {
    let home = Home::new();
    let layers = Layers { project_file: Some(home.project_file()), ..home.layers() };
    let loaded = load(&layers).unwrap();
    assert_eq!(home.plain(&loaded.warnings[0]), "the project's file .scrubjay.toml is ignored: it is gone");
    assert!(project_file(&home.project_file()).unwrap().project.unwrap().is_none());
}

#[test]
fn a_project_names_itself() {
    let home = Home::new();
    fs::write(home.project_file(), "# mine\nproject = \"my-app\"\n[query]\n").unwrap();
    let (id, origin) = project_file(&home.project_file()).unwrap().project.unwrap().unwrap();
    assert_eq!((id.as_str(), home.plain(origin).as_str()), ("my-app", ".scrubjay.toml:2"));
    fs::write(home.project_file(), "[query]\nproject = \"not here\"\n").unwrap();
    assert!(project_file(&home.project_file()).unwrap().project.unwrap().is_none());
}

/// A megabyte of junk from a repository must neither take long nor flood the terminal.
#[test]
fn a_flood_of_unknown_keys_is_counted_not_listed() {
    let home = Home::new();
    let mut text = String::new();
    for number in 0.. {
        let line = format!("k{number}=1\n");
        if text.len() + line.len() > 1024 * 1024 {
            break;
        }
        text.push_str(&line);
    }
    fs::write(home.project_file(), &text).unwrap();
    let warnings = home.load().unwrap().warnings;
    assert_eq!(warnings.len(), 21);
    let more = text.lines().count() - 20;
    assert_eq!(home.plain(&warnings[20]), format!(".scrubjay.toml: {more} more keys are ignored"));
}

#[test]
fn deep_nesting_is_refused_or_ignored() {
    for text in [
        format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("a = {}", "{a=".repeat(100_000)),
        format!("{} = 1", vec!["a"; 100_000].join(".")),
        format!("[{}]", vec!["a"; 100_000].join(".")),
    ] {
        let home = Home::new();
        fs::write(home.project_file(), &text).unwrap();
        let warnings = home.load().unwrap().warnings;
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].len() < 1000);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever bytes a repository brings, loading answers, and what it answers can be shown on a terminal.
    #[test]
    fn any_project_file_is_survived(text in proptest::collection::vec(piece(), 0..12)) {
        let home = Home::new();
        fs::write(home.project_file(), text.concat()).unwrap();
        let said = home.load().unwrap().warnings.join("");
        prop_assert!(!said.contains(char::is_control), "{said:?}");
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("[query]\n".to_owned()),
        Just("max_results = 3\n".to_owned()),
        Just("store.path = \"x\"\n".to_owned()),
        Just("query = { min_score = 0.1 }\n".to_owned()),
        Just("[agents.a.query]\n".to_owned()),
        Just("[[ner]]\n".to_owned()),
        Just("project = \"\\u001b\"\n".to_owned()),
        "\"[^\"\\\\]{0,4}\" = [0-9]\n",
        "\\PC{0,12}",
        ".{0,6}",
    ]
}
