//! What hooks leave in the spool: it is taken in once, nothing in it holds up the rest, and what cannot be used is kept
//! and told.

use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use scrubjay_core::redact;
use serde_json::{Value, json};

use crate::daemon::{Daemon, scratch, until};
use crate::scratch::{Done, Scratch, finish};

fn folder(scratch: &Scratch) -> PathBuf {
    scratch.home().join("spool").join("default")
}

fn names(folder: &Path, extension: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|file| file.path());
    let wanted = files.filter(|path| path.extension().is_some_and(|found| found == extension));
    let mut names: Vec<String> = wanted.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn waiting(scratch: &Scratch) -> usize {
    names(&folder(scratch), "json").len()
}

fn put(scratch: &Scratch, name: &str, content: &Value) {
    std::fs::create_dir_all(folder(scratch)).unwrap();
    std::fs::write(folder(scratch).join(name), content.to_string()).unwrap();
}

fn said(text: &str) -> Value {
    let time = "2026-05-01T12:00:00Z";
    json!({"project": "app", "messages": [{"session_id": "s", "role": "user", "content": text, "time": time}]})
}

fn kept(scratch: &Scratch, text: &str) -> usize {
    scratch.contents().matches(&format!("\"content\":{}", json!(text))).count()
}

fn secret(seed: u64) -> String {
    let rule = redact::rules().iter().find(|rule| rule.id.contains("github")).unwrap();
    rule.sample(seed).unwrap().secret().to_owned()
}

fn prompt(scratch: &Scratch, words: &[&str], variables: &[(&str, &str)], session: &str, text: &str) -> Done {
    let mut command = scratch.command();
    command.args(words).envs(variables.iter().copied());
    let payload = json!({"session_id": session, "prompt": text, "cwd": scratch.work()});
    let done = finish(&mut command, Some(payload.to_string().as_bytes()));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{words:?} {variables:?}: {done:?}");
    done
}

const PROMPT: [&str; 5] = ["hook", "claude-code", "UserPromptSubmit", "--set", "hooks.deadline_ms=20000"];

// Whether any file below the folder holds these bytes.
fn anywhere(folder: &Path, text: &str) -> Option<PathBuf> {
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, kind) = (file.path(), file.file_type().unwrap());
        if kind.is_dir() {
            if let Some(found) = anywhere(&path, text) {
                return Some(found);
            }
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                return Some(path);
            }
        }
    }
    None
}

// Everything that stood in the way once, before five prompts.
fn poison(scratch: &Scratch) {
    put(scratch, "0000000000001-a.json", &json!({"project": "app", "messages": [], "ended": "nothing was said in it"}));
    std::fs::create_dir(folder(scratch).join("0000000000002-b.json")).unwrap();
    let fifo = folder(scratch).join("0000000000003-c.json");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    symlink("/dev/zero", folder(scratch).join("0000000000004-d.json")).unwrap();
    std::fs::write(folder(scratch).join("0000000000005-e.json"), "{ torn").unwrap();
    put(scratch, "0000000000006-f.json", &json!([]));
    put(scratch, "0000000000007-g.json", &json!({"project": "Not A Project", "messages": [], "ended": "s"}));
    let mut bad_role = said("said by nobody");
    bad_role["messages"][0]["role"] = json!(" ");
    put(scratch, "0000000000008-h.json", &bad_role);
    put(scratch, "0000000000009-i.json", &said(&"long ".repeat(17 << 20 >> 2)));
    for number in 0..5 {
        put(scratch, &format!("0000000000010-{number}.json"), &said(&format!("prompt number {number}")));
    }
}

#[test]
fn poison_in_the_spool_is_set_aside_and_the_rest_goes_on() {
    let scratch = scratch();
    poison(&scratch);
    let done = scratch.run(&["remember", "anything"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for number in 0..5 {
        assert_eq!(kept(&scratch, &format!("prompt number {number}")), 1, "{number}: {done:?}");
    }
    assert_eq!(waiting(&scratch), 0);
    // What cannot be used is there, private, with its reason, and told everywhere.
    let spool = scratch.json(&["spool"]);
    assert_eq!((&spool["waiting"], &spool["set_aside"]), (&json!(0), &json!(8)), "{spool}");
    let reasons: Vec<&str> =
        spool["items"].as_array().unwrap().iter().map(|item| item["reason"].as_str().unwrap()).collect();
    for part in ["folder", "pipe", "link", "not what a hook writes", "not a project", "role is empty", "max_bytes"] {
        assert!(reasons.iter().any(|reason| reason.contains(part)), "{part}: {reasons:?}");
    }
    let aside = folder(&scratch).join("set-aside");
    assert_eq!(std::fs::metadata(&aside).unwrap().permissions().mode() & 0o777, 0o700);
    for file in std::fs::read_dir(&aside).unwrap().flatten() {
        let name = file.file_name().into_string().unwrap();
        let ours = name.ends_with(".reason");
        assert!(!ours || file.metadata().unwrap().permissions().mode() & 0o077 == 0, "{name}");
    }
    let doctor = scratch.json(&["doctor"]);
    let finding = doctor["findings"].as_array().unwrap().iter().find(|one| one["check"] == "spool").unwrap();
    assert_eq!(finding["status"], "warning");
    assert!(finding["detail"].as_str().unwrap().starts_with("8 "), "{finding}");
    let status: Value = serde_json::from_str(&scratch.run(&["status", "--json"]).out).unwrap();
    assert_eq!(status["spool"], json!({"waiting": 0, "set_aside": 8}));
    let recalled = scratch.json(&["recall", "anything"]);
    assert!(recalled["warnings"].to_string().contains("messages from hooks were set aside"), "{recalled}");
    assert!(done.err.contains("set aside"), "{done:?}");
}

#[test]
fn a_daemon_goes_on_past_poison_and_tells() {
    let scratch = scratch();
    poison(&scratch);
    let daemon = Daemon::start(&scratch);
    until("the spool is empty", || waiting(&scratch) == 0);
    for number in 0..5 {
        assert_eq!(kept(&scratch, &format!("prompt number {number}")), 1, "{number}");
    }
    let status = scratch.json(&["status"]);
    assert_eq!(status["agents"][0]["spool"], json!({"waiting": 0, "set_aside": 8}), "{status}");
    let log = std::fs::read_to_string(scratch.home().join("logs").join("daemon.log")).unwrap();
    assert_eq!(log.matches("a message from a hook was set aside").count(), 8, "{log}");
    drop(daemon);
}

#[test]
fn what_was_set_aside_can_be_tried_again_and_discarded() {
    let scratch = scratch();
    let mut large = said("x");
    large["messages"][0]["content"] = json!("a long story ".repeat(200));
    put(&scratch, "0000000000001-a.json", &large);
    std::fs::write(folder(&scratch).join("0000000000002-b.json"), "{ torn").unwrap();
    scratch.run(&["remember", "anything", "--set", "capture.max_bytes=1024"]);
    let spool = scratch.json(&["spool"]);
    let items = spool["items"].as_array().unwrap();
    assert_eq!(items.len(), 2, "{spool}");
    let refused = items.iter().find(|item| item["text"].is_string()).unwrap();
    assert_eq!((&refused["project"], &refused["session"]), (&json!("app"), &json!("s")));
    let id = refused["id"].as_str().unwrap();
    // Under the usual limit it fits.
    assert_eq!(scratch.json(&["spool", "retry", id])["ids"], json!([id]));
    assert_eq!(kept(&scratch, "a long story ".repeat(200).trim()), 1);
    let torn = items.iter().find(|item| item["text"].is_null()).unwrap()["id"].as_str().unwrap();
    // What is still not usable comes back.
    let again = scratch.run(&["spool", "retry"]);
    assert!(again.out.contains("1 message") && again.err.contains("set aside"), "{again:?}");
    assert_eq!(scratch.json(&["spool"])["set_aside"], 1);
    scratch.run(&["spool", "discard", torn]).failed(&[4], "without --yes");
    scratch.run(&["spool", "discard", "--yes", "../../token"]).failed(&[3], "a name from outside");
    assert_eq!(scratch.json(&["spool", "discard", "--yes", torn])["ids"], json!([torn]));
    assert_eq!(scratch.json(&["spool"])["set_aside"], 0);
    assert_eq!(std::fs::read_dir(folder(&scratch).join("set-aside")).unwrap().count(), 0);
}

#[test]
fn the_end_of_an_empty_session_holds_up_nobody() {
    let scratch = scratch();
    std::fs::write(scratch.home().join("token"), "0123456789abcdef0123456789abcdef\n").unwrap();
    let listener = UnixListener::bind(scratch.home().join("daemon.sock")).unwrap();
    let ended = json!({"session_id": "quiet", "reason": "other"});
    let words = ["hook", "claude-code", "SessionEnd", "--set", "hooks.deadline_ms=1500"];
    scratch.run_with(&words, ended.to_string().as_bytes());
    let words = ["hook", "claude-code", "UserPromptSubmit", "--set", "hooks.deadline_ms=1500"];
    for number in 0..5 {
        prompt(&scratch, &words, &[], "s", &format!("said after it {number}"));
    }
    assert_eq!(waiting(&scratch), 6);
    drop(listener);
    let done = scratch.run(&["remember", "anything"]);
    assert_eq!((done.code, done.err.contains("set aside")), (Some(0), false), "{done:?}");
    for number in 0..5 {
        assert_eq!(kept(&scratch, &format!("said after it {number}")), 1, "{number}");
    }
    assert_eq!(waiting(&scratch), 0);
}

#[test]
fn a_message_that_is_refused_is_kept_wherever_it_was_refused() {
    for with_daemon in [false, true] {
        let scratch = scratch();
        let config = scratch.home().join("config.toml");
        let text = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, format!("{text}[capture]\nmax_bytes = 1024\n")).unwrap();
        let daemon = with_daemon.then(|| Daemon::start(&scratch));
        let said = "too long for the settings ".repeat(100);
        prompt(&scratch, &PROMPT, &[], "s", &said);
        assert_eq!(waiting(&scratch), 0);
        let spool = scratch.json(&["spool"]);
        assert!(spool["items"][0]["reason"].as_str().unwrap().contains("max_bytes"), "{with_daemon}: {spool}");
        let log = if with_daemon { "daemon.log" } else { "hooks.log" };
        let log = std::fs::read_to_string(scratch.home().join("logs").join(log)).unwrap();
        assert!(log.contains("refused and set aside"), "{with_daemon}: {log}");
        drop(daemon);
        let id = spool["items"][0]["id"].as_str().unwrap();
        std::fs::write(&config, text).unwrap();
        scratch.json(&["spool", "retry", id]);
        assert_eq!(kept(&scratch, said.trim()), 1, "{with_daemon}");
    }
}

#[test]
fn no_error_in_the_settings_loses_a_prompt() {
    let bad = |text: &str| format!("[embedding]\nprovider = \"none\"\n{text}");
    let usual = bad("[daemon]\nautostart = false\n");
    type Case<'a> = (&'a str, Option<String>, Vec<(&'a str, &'a str)>, Vec<&'a str>, bool);
    let cases: [Case<'_>; 8] = [
        ("a typo", Some(bad("[query\n")), vec![], vec![], false),
        ("an unknown key", Some(bad("[query]\nmax_result = 3\n")), vec![], vec![], false),
        ("a value", Some(bad("[query]\nmax_results = 0\n")), vec![], vec![], false),
        ("a variable", None, vec![("SCRUBJAY_QUERY_MAX_RESULTS", "many")], vec![], false),
        ("a flag", None, vec![], vec!["--set", "query.max_results=0"], false),
        ("half a flag", None, vec![], vec!["--set", "nonsense"], false),
        // Nobody can know where these belong; a person says so.
        ("an agent", None, vec![("SCRUBJAY_AGENT", "Not An Agent")], vec![], true),
        ("a project", None, vec![("SCRUBJAY_PROJECT", "Not A Project")], vec![], true),
    ];
    for (what, config, variables, flags, is_aside) in cases {
        let scratch = scratch();
        let token = secret(7);
        if let Some(config) = &config {
            std::fs::write(scratch.home().join("config.toml"), config).unwrap();
        }
        let mut words = PROMPT.to_vec();
        words.extend(&flags);
        prompt(&scratch, &words, &variables, "s", &format!("with {what} wrong, {token} was said"));
        let aside = names(&folder(&scratch).join("set-aside"), "json").len();
        assert_eq!((waiting(&scratch), aside), (usize::from(!is_aside), usize::from(is_aside)), "{what}");
        assert_eq!(anywhere(&scratch.home(), &token), None, "{what}");
        let log = std::fs::read_to_string(scratch.home().join("logs").join("hooks.log")).unwrap();
        let became = if is_aside { "was set aside" } else { "waits in the spool" };
        assert!(log.contains(&format!("the settings cannot be read; what was said {became}")), "{what}: {log}");
        if config.is_some() {
            scratch.run(&["recall", "anything"]).failed(&[2], what);
        }
        std::fs::write(scratch.home().join("config.toml"), &usual).unwrap();
        if is_aside {
            scratch.json(&["spool", "retry"]);
        } else {
            scratch.run(&["remember", "anything"]);
        }
        let listed = scratch.json(&["list", "--session", "s"]);
        let memories = listed["memories"].as_array().unwrap();
        assert_eq!(memories.len(), 1, "{what}: {listed}");
        assert!(memories[0]["content"].as_str().unwrap().contains("[REDACTED:"), "{what}: {listed}");
        assert_eq!(memories[0]["scope"], "project/app", "{what}");
        assert_eq!(anywhere(&scratch.home(), &token), None, "{what}");
    }
}

#[test]
fn what_was_spooled_without_settings_obeys_them_later() {
    let scratch = scratch();
    let config = scratch.home().join("config.toml");
    let usual = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, "[query\n").unwrap();
    prompt(&scratch, &PROMPT, &[], "s", "not for keeping");
    assert_eq!(waiting(&scratch), 1);
    std::fs::write(&config, format!("{usual}[hooks]\nenabled = false\n")).unwrap();
    scratch.run(&["remember", "anything"]);
    assert_eq!((waiting(&scratch), kept(&scratch, "not for keeping")), (0, 0));
}

#[test]
fn a_repositorys_file_can_at_worst_be_ignored() {
    for (text, part) in [
        ("[query]\nmax_results = 0\n", ".scrubjay.toml:2) is not allowed"),
        ("[query]\nmax_result = 1\n", ".scrubjay.toml:2: unknown setting `query.max_result`"),
        ("query = 1\n", ".scrubjay.toml:1) must be a table"),
        ("project = \"Not A Project\"\n", ".scrubjay.toml:1: `project` is ignored"),
        ("project = 7\n", ".scrubjay.toml:1) must be of type text"),
        ("[query\n", ".scrubjay.toml:1:7 is not valid TOML"),
    ] {
        for with_daemon in [false, true] {
            let scratch = scratch();
            std::fs::write(scratch.work().join(".scrubjay.toml"), text).unwrap();
            let daemon = with_daemon.then(|| Daemon::start(&scratch));
            let mut command = scratch.command();
            command.env_remove("SCRUBJAY_PROJECT").args(PROMPT);
            let payload = json!({"session_id": "s", "prompt": "said in a clone", "cwd": scratch.work()});
            let done = finish(&mut command, Some(payload.to_string().as_bytes()));
            assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{text}: {done:?}");
            assert_eq!((kept(&scratch, "said in a clone"), waiting(&scratch)), (1, 0), "{text} {with_daemon}");
            let here = |words: &[&str]| {
                let mut command = scratch.command();
                finish(command.env_remove("SCRUBJAY_PROJECT").args(words), None)
            };
            let recalled = here(&["recall", "clone"]);
            assert_eq!(recalled.code, Some(0), "{text}: {recalled:?}");
            assert!(recalled.out.contains("said in a clone") && recalled.err.contains(part), "{text}: {recalled:?}");
            assert!(here(&["doctor", "--json"]).out.contains(part), "{text}");
            assert!(here(&["config", "show", "--json"]).out.contains(part), "{text}");
            drop(daemon);
        }
    }
}

#[test]
fn flags_before_a_hook_and_wrong_ones_fail_nobody() {
    let scratch = scratch();
    let hook = ["hook", "claude-code", "UserPromptSubmit"];
    let cases: [(&[&str], &[&str]); 7] = [
        (&["--project", "other"], &[]),
        (&["--json", "--set", "hooks.deadline_ms=20000"], &["--project=other"]),
        (&["--no-such-flag"], &["--project", "other"]),
        (&["--no-such-flag", "value"], &["--project", "other"]),
        (&["--project", "other"], &["--no-such-flag", "-x"]),
        (&["-qv", "--no-color", "--verbose"], &["one", "too many", "--project", "other"]),
        (&["--project", "app"], &["--project", "other", "--agent"]),
    ];
    for (number, (before, after)) in cases.into_iter().enumerate() {
        let words: Vec<&str> = before.iter().chain(&hook).chain(after).copied().collect();
        let text = format!("said with other flags {number}");
        prompt(&scratch, &words, &[("SCRUBJAY_HOOKS_DEADLINE_MS", "20000")], "s", &text);
        scratch.run(&["remember", "anything"]);
        assert_eq!(kept(&scratch, &text), 1, "{words:?}");
    }
    let listed = scratch.json(&["list", "--session", "s", "--project", "other", "-n", "20"]);
    assert_eq!(listed["memories"].as_array().unwrap().len(), cases.len(), "{listed}");
    // Another command that only talks of hooks is none.
    let done = scratch.run(&["--no-such-flag", "recall", "hook", "claude-code"]);
    done.failed(&[2], "a wrong flag of another command");
    assert!(scratch.run(&["recall", "hook", "claude-code", "Stop"]).code == Some(0));
}

#[test]
fn files_of_hooks_that_were_killed_are_taken_in_or_go() {
    let scratch = scratch();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    put(&scratch, "0000000000001-whole.new", &said("its hook was killed before the last step"));
    put(&scratch, "0000000000002-writes.new", &said("its hook is still writing"));
    std::fs::write(folder(&scratch).join("0000000000003-empty.new"), "").unwrap();
    std::fs::write(folder(&scratch).join("0000000000004-torn.new"), "{\"project\":\"app\",\"mess").unwrap();
    for name in ["0000000000001-whole.new", "0000000000003-empty.new", "0000000000004-torn.new"] {
        let file = std::fs::File::options().write(true).open(folder(&scratch).join(name)).unwrap();
        file.set_modified(old).unwrap();
    }
    scratch.run(&["remember", "anything"]);
    assert_eq!(kept(&scratch, "its hook was killed before the last step"), 1);
    assert_eq!(names(&folder(&scratch), "new"), ["0000000000002-writes.new"]);
    let spool = scratch.json(&["spool"]);
    assert_eq!(spool["set_aside"], 1, "{spool}");
    assert_eq!(spool["items"][0]["id"], "0000000000004-torn.json");
    assert!(spool["items"][0]["reason"].as_str().unwrap().contains("killed"), "{spool}");
}

#[test]
fn a_secret_as_a_name_reaches_no_file_and_names_stay_apart() {
    let scratch = scratch();
    let (one, other) = (secret(1), secret(2));
    // Through the spool, through the store, and through the daemon.
    let config = scratch.home().join("config.toml");
    let usual = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, "[query\n").unwrap();
    prompt(&scratch, &PROMPT, &[], &one, "said in the first session");
    assert_eq!(anywhere(&scratch.home(), &one), None);
    std::fs::write(&config, usual).unwrap();
    prompt(&scratch, &PROMPT, &[], &one, "said in the first session, too");
    prompt(&scratch, &PROMPT, &[], &other, "said in the second session");
    let daemon = Daemon::start(&scratch);
    prompt(&scratch, &PROMPT, &[], &other, "said in the second session, too");
    for (session, part) in [(&one, "first"), (&other, "second")] {
        until("the spool is empty", || waiting(&scratch) == 0);
        let listed = scratch.json(&["list", "--session", session]);
        let memories = listed["memories"].as_array().unwrap();
        assert_eq!(memories.len(), 2, "{part}: {listed}");
        assert!(memories.iter().all(|memory| memory["content"].as_str().unwrap().contains(part)), "{listed}");
        let ended = json!({"session_id": session, "reason": "other"});
        scratch.run_with(
            &["hook", "claude-code", "SessionEnd", "--set", "hooks.deadline_ms=20000"],
            ended.to_string().as_bytes(),
        );
    }
    let sessions = scratch.json(&["sessions"]);
    let sessions = sessions["sessions"].as_array().unwrap();
    assert!(sessions.len() == 2 && sessions.iter().all(|session| session["ended_at"].is_string()), "{sessions:?}");
    // The transcript of the same session is the same session.
    let transcript = scratch.work().join("transcript.jsonl");
    let time = scratch.json(&["list", "--session", &one])["memories"][0]["event_time"].clone();
    let first = scratch.json(&["list", "--session", &one])["memories"][0]["content"].clone();
    let line = json!({"type": "user", "uuid": "u1", "sessionId": one, "timestamp": time, "cwd": scratch.work(),
        "message": {"role": "user", "content": first}});
    std::fs::write(&transcript, format!("{line}\n")).unwrap();
    std::fs::write(scratch.work().join(".scrubjay.toml"), "project = \"app\"\n").unwrap();
    let path = transcript.display().to_string();
    scratch.json(&["import", "transcripts", "claude-code", "--path", &path, "--yes"]);
    assert_eq!(scratch.json(&["list", "--session", &one])["memories"].as_array().unwrap().len(), 2);
    // Names of tokens are kept, too.
    scratch.json(&["token", "create", &one]);
    scratch.json(&["token", "create", &other]);
    scratch.json(&["token", "revoke", &one]);
    assert_eq!(scratch.json(&["token", "list"])["tokens"].as_array().unwrap().len(), 1);
    drop(daemon);
    for secret in [one, other] {
        assert_eq!(anywhere(&scratch.home(), &secret), None);
    }
}

#[test]
fn a_hook_without_any_home_still_fails_nobody() {
    let scratch = scratch();
    let mut command = scratch.command();
    command.env_clear().args(["hook", "claude-code", "UserPromptSubmit"]).arg(OsString::from("--quiet"));
    let payload = json!({"session_id": "s", "prompt": "said nowhere"});
    let done = finish(&mut command, Some(payload.to_string().as_bytes()));
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (Some(0), "", ""));
}
