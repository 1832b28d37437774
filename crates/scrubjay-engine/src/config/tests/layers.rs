//! Which layer wins, what each may set, and how mistakes are reported.

use super::super::schema::schema;
use super::super::{Layers, Origin, Settings, entries, load};
use super::*;

#[test]
fn without_any_layer_everything_is_default() {
    let home = Home::new();
    let loaded = home.load().unwrap();
    assert_eq!(loaded.settings, Settings::default());
    assert_eq!(loaded.origins.len(), schema().keys.len());
    assert!(loaded.origins.values().all(|origin| *origin == Origin::Default));
    assert!(loaded.warnings.is_empty());
    assert_eq!(loaded.settings.store.file(home.path(), "default"), home.path().join("default.sqlite"));
}

#[test]
fn each_layer_beats_the_ones_below() {
    let home =
        Home::with_user_file("[query]\nmax_results = 1\nlist_limit = 11\n[agents.work.query]\nmax_results = 2\n");
    let mut layers = home.layers();
    let check = |layers: &Layers, expected: usize, origin: &str| {
        let loaded = load(layers).unwrap();
        assert_eq!(loaded.settings.query.max_results, expected);
        assert_eq!(home.plain(&loaded.origins["query.max_results"]), origin);
        assert_eq!(loaded.settings.query.list_limit, 11, "other keys keep their own layer");
        assert_eq!(home.plain(&loaded.origins["query.list_limit"]), "config.toml:3");
    };
    check(&layers, 1, "config.toml:2");
    layers.agent = "work".to_owned();
    check(&layers, 2, "config.toml:5");
    fs::write(home.project_file(), "project = \"x\"\nquery.max_results = 3\n").unwrap();
    layers.project_file = Some(home.project_file());
    check(&layers, 3, ".scrubjay.toml:2");
    layers.env = pairs(&[("SCRUBJAY_QUERY_MAX_RESULTS", "4"), ("OTHER", "x")]);
    check(&layers, 4, "environment SCRUBJAY_QUERY_MAX_RESULTS");
    layers.flags = pairs(&[("query.max_results", "9"), ("query.max_results", "5")]);
    check(&layers, 5, "command line");
}

#[test]
fn the_user_file_may_be_elsewhere() {
    let home = Home::with_user_file("[query]\nmax_results = 1\n");
    let elsewhere = home.path().join("other.toml");
    fs::write(&elsewhere, "[query]\nmax_results = 2\n").unwrap();
    let layers = Layers { user_file: Some(elsewhere), ..home.layers() };
    assert_eq!(load(&layers).unwrap().settings.query.max_results, 2);
}

#[test]
fn all_notations_of_toml_are_understood() {
    for text in [
        "[query]\nmax_results = 3\nmin_score = 1\n",
        "query.max_results = 3\nquery.min_score = 1.0\n",
        "query = { max_results = 3, min_score = 1.0 }\n",
        "[agents]\ndefault.query.max_results = 3\ndefault.query.min_score = 1\n",
        "agents = { default = { query = { max_results = 3, min_score = 1 } } }\n",
        "agents.other.query.max_results = 7\n[agents.default]\nquery.max_results = 0x3\n[agents.default.dedup]\n[query]\nmin_score = 1e0\n",
        "\u{feff}[query]\r\nmax_results = 3\r\nmin_score = 1.0\r\n",
    ] {
        let loaded = Home::with_user_file(text).load();
        let settings = loaded.unwrap_or_else(|error| panic!("{text}: {error}")).settings;
        assert_eq!((settings.query.max_results, settings.query.min_score), (3, 1.0), "{text}");
    }
}

#[test]
fn a_mistake_in_the_user_file_is_an_error_with_its_place() {
    for (text, expected) in [
        (
            "[query]\nmax_result = 3\n",
            "unknown setting `query.max_result` (config.toml:2); did you mean `query.max_results`?",
        ),
        ("\n[qurey]\nmax_results = 3\n", "unknown setting `qurey` (config.toml:2); did you mean `query`?"),
        ("max_results = 3\n", "unknown setting `max_results` (config.toml:1); did you mean `query.max_results`?"),
        ("xyzzy = 3\n", "unknown setting `xyzzy` (config.toml:1); run `scrubjay config show` to see all settings"),
        (
            "project = \"x\"\n",
            "unknown setting `project` (config.toml:1); run `scrubjay config show` to see all settings",
        ),
        (
            "\"query.max_results\" = 3\n",
            "unknown setting `\"query.max_results\"` (config.toml:1); did you mean `query.max_results`?",
        ),
        (
            "[query]\n\n# why\nmax_results = 0\n",
            "`query.max_results` = 0 (config.toml:4) is not allowed; use 1 to 1000",
        ),
        ("[query]\nmin_score = nan\n", "`query.min_score` = nan (config.toml:2) is not allowed; use 0 to 1"),
        (
            "[query]\nmax_results = \"3\"\n",
            "`query.max_results` (config.toml:2) must be of type integer, but is of type string",
        ),
        (
            "[query]\nmax_results = 3.0\n",
            "`query.max_results` (config.toml:2) must be of type integer, but is of type float",
        ),
        ("[query.max_results]\n", "`query.max_results` (config.toml:1) must be of type integer, but is of type table"),
        ("query = 3\n", "`query` (config.toml:1) must be a table, but is of type integer"),
        ("[[query]]\n", "`query` (config.toml:1) must be a table, but is of type array of tables"),
        (
            "[capture]\nroles = [\"user\", \"robot\"]\n",
            "`capture.roles` = [\"user\", \"robot\"] (config.toml:2) is not allowed; use one or more of user, assistant, system, tool, each once",
        ),
        (
            "[capture]\nroles = [\"user\", 1]\n",
            "`capture.roles` (config.toml:2) must be of type list of text, but is of type array",
        ),
        ("agents = 1\n", "`agents` (config.toml:1) must be a table, but is of type integer"),
        ("agents.work = 1\n", "`agents.work` (config.toml:1) must be a table, but is of type integer"),
        (
            "[agents.work.query]\nmax_result = 1\n",
            "unknown setting `query.max_result` (config.toml:2); did you mean `query.max_results`?",
        ),
        (
            "[agents.\"../x\".query]\n",
            "`../x` (config.toml:1) is not an agent name; use 1 to 64 of a-z, 0-9, `.`, `_` and `-`, not starting with `.`",
        ),
        (
            "\"a\\u001b[2J\" = 1\n",
            "unknown setting `a\\u{1b}[2J` (config.toml:1); run `scrubjay config show` to see all settings",
        ),
    ] {
        let home = Home::with_user_file(text);
        assert_eq!(home.plain(home.load().unwrap_err()), expected, "{text}");
    }
}

#[test]
fn a_project_file_sets_only_what_it_may() {
    let home = Home::new();
    let text = "project = \"my-app\"\nunknown = 1\n[query]\nmax_results = 3\nmin_scroe = 0\n[store]\npath = \"/etc/x\"\n\
                url = \"postgres://evil/x\"\n[capture]\nredact = false\n[agents.default.query]\nmax_results = 9\n\
                [dedup]\njaccard = 0.9\n";
    fs::write(home.project_file(), text).unwrap();
    let loaded = home.load().unwrap();
    let mut expected = Settings::default();
    expected.query.max_results = 3;
    expected.dedup.jaccard = 0.9;
    assert_eq!(loaded.settings, expected);
    let warnings: Vec<_> = loaded.warnings.iter().map(|warning| home.plain(warning)).collect();
    assert_eq!(
        warnings,
        [
            ".scrubjay.toml:2: unknown setting `unknown` is ignored",
            ".scrubjay.toml:5: unknown setting `query.min_scroe` is ignored; did you mean `query.min_score`?",
            ".scrubjay.toml:7: `store.path` can only be set in the user file and is ignored here",
            ".scrubjay.toml:8: `store.url` can only be set in the user file and is ignored here",
            ".scrubjay.toml:10: `capture.redact` can only be set in the user file and is ignored here",
            ".scrubjay.toml:11: `agents` can only be set in the user file and is ignored here",
        ]
    );
}

#[test]
fn no_key_outside_the_list_can_come_from_a_project() {
    for key in &schema().keys {
        let home = Home::new();
        let section = key.name.split('.').next().unwrap();
        fs::write(home.project_file(), format!("{} = {}\n", key.name, another(key))).unwrap();
        let loaded = home.load().unwrap();
        let taken = loaded.origins[&key.name] != Origin::Default;
        assert_eq!(taken, ["enabled", "query", "dedup"].contains(&section), "{}", key.name);
        assert_eq!(loaded.warnings.len(), usize::from(!taken), "{}", key.name);
    }
}

#[test]
fn a_project_file_switches_off_and_never_on() {
    for (text, is_on) in [("enabled = false\n", false), ("enabled = true\n", true)] {
        let home = Home::new();
        fs::write(home.project_file(), text).unwrap();
        assert_eq!(home.load().unwrap().settings.enabled, is_on, "{text}");
    }
    let home = Home::new();
    fs::write(home.project_file(), "enabled = true\n").unwrap();
    fs::write(home.user_file(), "enabled = false\n").unwrap();
    assert!(!home.load().unwrap().settings.enabled, "on again is the user's");
}

#[test]
fn what_is_wrong_in_a_project_file_is_ignored_and_the_rest_counts() {
    for (text, expected) in [
        (
            "[query]\nmax_results = -1\n[dedup]\njaccard = 0.9\n",
            "a project's setting is ignored: `query.max_results` = -1 (.scrubjay.toml:2) is not allowed; use 1 to 1000",
        ),
        (
            "query = 5\ndedup.jaccard = 0.9\n",
            "a project's setting is ignored: `query` (.scrubjay.toml:1) must be a table, but is of type integer",
        ),
    ] {
        let home = Home::new();
        fs::write(home.project_file(), text).unwrap();
        let loaded = home.load().unwrap();
        assert_eq!(loaded.warnings.iter().map(|warning| home.plain(warning)).collect::<Vec<_>>(), [expected]);
        let mut settings = Settings::default();
        settings.dedup.jaccard = 0.9;
        assert_eq!(loaded.settings, settings);
    }
}

#[test]
fn a_project_file_that_is_no_toml_is_ignored() {
    let home = Home::new();
    fs::write(home.project_file(), "[query]\nmax_results = 3\n[query\n").unwrap();
    let loaded = home.load().unwrap();
    assert_eq!(loaded.settings, Settings::default());
    assert_eq!(loaded.warnings.len(), 1);
    let said = home.plain(&loaded.warnings[0]);
    assert!(said.starts_with("a project's file is ignored: ") && said.contains(".scrubjay.toml:3:"), "{said}");
}

#[test]
fn the_environment_is_checked() {
    let home = Home::with_user_file("[query]\nmax_results = 9\n");
    let load_env = |variables: &[(&str, &str)]| load(&Layers { env: pairs(variables), ..home.layers() });

    let loaded = load_env(&[
        ("SCRUBJAY_HOME", "/x"),
        ("SCRUBJAY_AGENT", "x"),
        ("SCRUBJAY_PROJECT", "x"),
        ("SCRUBJAY_QUERY_MAX_RESULTS", ""),
        ("SCRUBJAY_CAPTURE_ROLES", "user, tool"),
        ("SCRUBJAY_CAPTURE_REDACT", "no"),
        ("SCRUBJAY_STORE_URL", "postgres://me:secret@db/x"),
    ])
    .unwrap();
    assert_eq!(loaded.settings.query.max_results, 9, "an empty variable is not set");
    assert_eq!(loaded.settings.capture.roles, ["user", "tool"]);
    assert!(!loaded.settings.capture.redact);
    assert_eq!(loaded.settings.store.url.expose(), "postgres://me:secret@db/x");
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert!(!format!("{loaded:?} {:?}", entries(&loaded)).contains("secret"));

    let loaded = load_env(&[("SCRUBJAY_QUERY_MAX_RESULT", "3"), ("SCRUBJAY_HOEM", "x"), ("SCRUBJAY_\u{1b}", "x")]);
    assert_eq!(
        loaded.unwrap().warnings,
        [
            "unknown environment variable SCRUBJAY_QUERY_MAX_RESULT is ignored; did you mean SCRUBJAY_QUERY_MAX_RESULTS?",
            "unknown environment variable SCRUBJAY_HOEM is ignored; did you mean SCRUBJAY_HOME?",
            "unknown environment variable SCRUBJAY_\\u{1b} is ignored",
        ]
    );

    for (variable, value, expected) in [
        (
            "SCRUBJAY_QUERY_MAX_RESULTS",
            "many",
            "`query.max_results` (environment SCRUBJAY_QUERY_MAX_RESULTS) must be of type integer, but is `many`",
        ),
        (
            "SCRUBJAY_BACKUP_KEEP",
            "0",
            "`backup.keep` = 0 (environment SCRUBJAY_BACKUP_KEEP) is not allowed; use 1 to 1000",
        ),
    ] {
        assert_eq!(load_env(&[(variable, value)]).unwrap_err().to_string(), expected);
    }
}

#[test]
fn flags_are_checked() {
    let home = Home::new();
    for (key, value, expected) in [
        (
            "query.max-results",
            "3",
            "unknown setting `query.max-results` (command line); did you mean `query.max_results`?",
        ),
        ("query", "3", "unknown setting `query` (command line); run `scrubjay config show` to see all settings"),
        ("jobs.max_tries", "101", "`jobs.max_tries` = 101 (command line) is not allowed; use 1 to 100"),
        (
            "capture.redact",
            "perhaps",
            "`capture.redact` (command line) must be of type true or false, but is `perhaps`",
        ),
    ] {
        let layers = Layers { flags: pairs(&[(key, value)]), ..home.layers() };
        assert_eq!(load(&layers).unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_bad_agent_name_is_refused_before_anything_is_read() {
    let layers = Layers { agent: "../x".to_owned(), ..Home::new().layers() };
    assert!(matches!(load(&layers), Err(ConfigError::AgentName { .. })));
}

#[test]
fn every_key_passes_through_every_layer() {
    for key in &schema().keys {
        let home = Home::new();
        let value = another(key);
        let shown = |layers: &Layers| {
            let entries = entries(&load(layers).unwrap());
            let entry = entries.into_iter().find(|entry| entry.key == key.name).unwrap();
            assert_ne!(entry.origin, Origin::Default, "{}", key.name);
            entry.value
        };
        for agent in [None, Some("default")] {
            super::super::set(&home.user_file(), &key.name, &value, agent).unwrap();
            assert_eq!(shown(&home.layers()), value, "{} by set", key.name);
            fs::remove_file(home.user_file()).unwrap();
        }
        let variable = [(key.variable.as_str(), value.as_str())];
        assert_eq!(shown(&Layers { env: pairs(&variable), ..home.layers() }), value);
        let flag = [(key.name.as_str(), value.as_str())];
        assert_eq!(shown(&Layers { flags: pairs(&flag), ..home.layers() }), value);
    }
}

#[test]
fn entries_written_to_a_file_give_the_same_settings() {
    let home = Home::with_user_file("[query]\nmin_score = 0.5\n[store]\npath = \"{home}/a 'b' \\\"c\\\".sqlite\"\n");
    let loaded = home.load().unwrap();
    let lines = entries(&loaded).into_iter().map(|entry| format!("{} = {}\n", entry.key, entry.value));
    let copy = Home::with_user_file(lines.collect::<String>());
    assert_eq!(copy.load().unwrap().settings, loaded.settings);
}

/// An allowed value that is not the default, in TOML notation.
fn another(key: &super::super::schema::Key) -> String {
    use super::super::rule::Rule;
    use super::super::value::Value;
    let value = match (key.rule, &key.default) {
        (Rule::Integer(min, max), default) => {
            let ends = [Value::Integer(max), Value::Integer(min)];
            ends.into_iter().find(|end| end != default).unwrap()
        }
        (Rule::Number(min, max), default) => {
            let ends = [Value::Number(max), Value::Number(min)];
            ends.into_iter().find(|end| end != default).unwrap()
        }
        (Rule::Word(words), _) => Value::Text(words[words.len() - 1].to_owned()),
        (Rule::Words(words), _) => Value::List(vec![words[words.len() - 1].to_owned()]),
        (Rule::SomeWords(words), _) => Value::List(vec![words[words.len() - 1].to_owned()]),
        (Rule::PathTemplate, _) => Value::Text("/else where/{agent}.db".to_owned()),
        (Rule::Any, Value::Boolean(default)) => Value::Boolean(!default),
        (Rule::Any, Value::Text(_)) => Value::Text("something else".to_owned()),
        (Rule::Any, Value::Url(_)) => Value::Url(super::super::ConnectionUrl::new("sqlite://elsewhere")),
        (Rule::Any, Value::List(_)) => Value::List(vec!["other/model=1/2".to_owned()]),
        (Rule::Any, Value::Secret(_)) => Value::Secret(super::super::SecretText::new("…")),
        (rule, default) => panic!("{}: no other value known for {rule:?} and {default:?}", key.name),
    };
    value.to_string()
}
