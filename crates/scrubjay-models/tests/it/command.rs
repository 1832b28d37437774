//! A program as a chat model: what it is given, and every way in which it can go wrong.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use scrubjay_models::chat::command::{CommandChat, CommandError, ENTRIES, GUARD_VARIABLE, Patience, Program, find};
use scrubjay_models::chat::{Chat, ChatCard, ChatError, ChatReply, ChatRequest};
use scrubjay_models::http::{Breaker, CallError, Outside};
use serde_json::json;

struct Still;

impl Outside for Still {
    fn now_ms(&self) -> i64 {
        1_000_000
    }

    fn random(&self) -> u64 {
        0
    }
}

struct Scripted {
    folder: tempfile::TempDir,
    chat: CommandChat,
}

/// A shell script under the name of a client or of nobody, and the chat model that runs it.
fn scripted(name: &str, body: &str, arguments: &[&str]) -> Scripted {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let seen = folder.path().join("seen");
    std::fs::create_dir(&seen).unwrap();
    let variables = [("PATH", "/usr/bin:/bin".to_owned()), ("SEEN", seen.display().to_string())];
    let program = Program {
        entry: find(name),
        program: PathBuf::from(name),
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        model: None,
        folders: vec![PathBuf::from("/nonexistent"), folder.path().to_owned()],
        variables: variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        folder: folder.path().join("empty"),
    };
    Scripted { chat: chat(program, Duration::from_secs(20)), folder }
}

fn chat(program: Program, timeout: Duration) -> CommandChat {
    let card = ChatCard::new("command", "test", true).scarce();
    CommandChat::new(program, Patience::of(timeout), Arc::new(Breaker::default()), Arc::new(Still), card)
}

fn request() -> ChatRequest {
    ChatRequest::new("Draw facts.", "Ada's $HOME is `here`; rm -rf \"*\"").shaped("facts", json!({"type": "object"}))
}

fn ask(chat: &CommandChat) -> Result<ChatReply, ChatError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(chat.complete(&request()))
}

fn seen(scripted: &Scripted, name: &str) -> String {
    std::fs::read_to_string(scripted.folder.path().join("seen").join(name)).unwrap()
}

#[test]
fn the_prompt_goes_to_standard_input_and_no_shell_sees_it() {
    let scripted = scripted(
        "answer",
        r#"cat > "$SEEN/input"; printf '%s\n' "$@" > "$SEEN/arguments"; env > "$SEEN/environment"; pwd > "$SEEN/folder"; ls -A > "$SEEN/files"; echo '{"facts": []}'"#,
        &["--flag", "two words; `x`"],
    );
    assert_eq!(ask(&scripted.chat).unwrap().text.trim(), r#"{"facts": []}"#);
    let input = seen(&scripted, "input");
    assert!(input.starts_with("Draw facts.\n\nAda's $HOME is `here`; rm -rf \"*\"\n\nAnswer with one JSON"), "{input}");
    assert_eq!(seen(&scripted, "arguments"), "--flag\ntwo words; `x`\n");
    let environment = seen(&scripted, "environment");
    assert!(environment.contains(&format!("{GUARD_VARIABLE}=1\n")), "{environment}");
    assert!(!environment.contains("CARGO"), "nothing but what it was given");
    assert!(seen(&scripted, "folder").trim().ends_with("/empty"));
    assert_eq!(seen(&scripted, "files"), "");
}

#[test]
fn the_prompt_may_be_an_argument() {
    let scripted =
        scripted("answer", r#"cat > "$SEEN/input"; printf '%s' "$2" > "$SEEN/prompt"; echo '{}'"#, &["-p", "{prompt}"]);
    ask(&scripted.chat).unwrap();
    assert!(seen(&scripted, "prompt").contains("Ada's $HOME is `here`"));
    assert_eq!(seen(&scripted, "input"), "");
}

#[test]
fn a_client_is_called_as_it_wants_and_its_outcome_read() {
    let body = r#"cat > "$SEEN/input"; printf '%s\n' "$@" > "$SEEN/arguments"; echo "CLAUDECODE=$CLAUDECODE" > "$SEEN/nested"
echo '{"type":"result","is_error":false,"result":"{\"facts\": []}","usage":{"input_tokens":11,"output_tokens":7}}'"#;
    let mut scripted = scripted("claude", body, &[]);
    let folder = scripted.folder.path().to_owned();
    let nested = [
        ("CLAUDECODE", "1".to_owned()),
        ("SEEN", folder.join("seen").display().to_string()),
        ("PATH", "/usr/bin:/bin".to_owned()),
    ];
    scripted.chat = chat(
        Program {
            entry: find("claude"),
            program: folder.join("claude"),
            arguments: Vec::new(),
            model: Some("haiku".to_owned()),
            folders: Vec::new(),
            variables: nested.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            folder: folder.join("empty"),
        },
        Duration::from_secs(20),
    );
    let answer = ask(&scripted.chat).unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.usage.input_tokens, answer.usage.output_tokens),
        ("{\"facts\": []}", 11, 7)
    );
    let arguments = seen(&scripted, "arguments");
    for wanted in [
        "-p\n",
        "disableAllHooks",
        "--strict-mcp-config\n",
        "--no-session-persistence\n",
        "--model\nhaiku\n",
        "--system-prompt\nDraw facts.\n",
    ] {
        assert!(arguments.contains(wanted), "{wanted}: {arguments}");
    }
    assert!(!arguments.contains("Ada"), "other users of the machine can see arguments");
    assert!(seen(&scripted, "input").starts_with("Ada's"));
    assert_eq!(seen(&scripted, "nested").trim(), "CLAUDECODE=");
}

type Expected = fn(&ChatError) -> bool;

#[test]
fn what_goes_wrong_is_told_apart() {
    let cases: [(&str, Expected); 8] = [
        ("cat >/dev/null; echo 'Sure! Ada seems to own billing.'", |error| {
            matches!(error, ChatError::Command(CommandError::Prose { .. }))
        }),
        ("echo 'Invalid API key · Please run /login'", |error| {
            matches!(error, ChatError::Command(CommandError::Login { .. }))
        }),
        ("echo 'Not logged in. Run answer login' >&2; exit 1", |error| {
            matches!(error, ChatError::Command(CommandError::Login { .. }))
        }),
        ("echo 'You have reached your usage limit.'; exit 1", |error| {
            matches!(error, ChatError::Command(CommandError::Limit { .. }))
        }),
        ("echo 'out of memory' >&2; exit 3", |error| {
            error.to_string() == "answer failed (exit status: 3): out of memory"
        }),
        ("kill -9 $$", |error| error.to_string().starts_with("answer failed (signal: 9")),
        ("exit 0", |error| matches!(error, ChatError::Command(CommandError::Silent { .. }))),
        ("head -c 5000000 /dev/zero | tr '\\0' x; sleep 600", |error| {
            matches!(error, ChatError::Call(CallError::TooLarge { .. }))
        }),
    ];
    for (body, expected) in cases {
        let scripted = scripted("answer", body, &[]);
        let error = ask(&scripted.chat).unwrap_err();
        assert!(expected(&error), "{body}: {error:?}");
        assert!(!error.to_string().contains("Ada"), "{error}");
    }
    let scripted = scripted("answer", "cat >&2; exit 1", &[]);
    let error = ask(&scripted.chat).unwrap_err().to_string();
    assert!(!error.contains("object") && !error.contains("Ada"), "what it was given is not told: {error}");
}

#[expect(clippy::disallowed_methods, reason = "the processes of a real program end in real time")]
fn pause() {
    std::thread::sleep(Duration::from_millis(10));
}

#[test]
fn a_program_that_hangs_is_ended_with_all_that_it_started() {
    let body = r#"sleep 600 & echo $! > "$SEEN/child"; echo $$ > "$SEEN/own"; echo '{"facts": ['; wait"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answer");
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let variables = [("PATH", "/usr/bin:/bin"), ("SEEN", folder.path().to_str().unwrap())];
    let program = Program {
        entry: None,
        program: path,
        arguments: Vec::new(),
        model: None,
        folders: Vec::new(),
        variables: variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        folder: folder.path().join("empty"),
    };
    let chat = chat(program, Duration::from_secs(2));
    let error = ask(&chat).unwrap_err();
    assert!(matches!(error, ChatError::Call(CallError::TimedOut { .. })), "{error:?}");
    for name in ["child", "own"] {
        let pid = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let stat = Path::new("/proc").join(pid.trim()).join("stat");
        // What was killed may still wait for its turn to end, or for its parent to notice.
        let is_running = || {
            let state = std::fs::read_to_string(&stat).unwrap_or_default();
            !state.is_empty() && !state.contains(") Z ")
        };
        for _ in 0..1000 {
            if !is_running() {
                break;
            }
            pause();
        }
        assert!(!is_running(), "{name}");
    }
    let again = ask(&chat).unwrap_err();
    assert!(matches!(again, ChatError::Call(CallError::Resting { .. })), "it is left alone: {again:?}");
}

#[test]
fn what_is_not_there_or_is_itself_asked_is_not_run() {
    let program = |entry: &'static str, variables: BTreeMap<String, String>| Program {
        entry: find(entry),
        program: PathBuf::from("sh"),
        arguments: Vec::new(),
        model: None,
        folders: if variables.is_empty() { Vec::new() } else { vec![PathBuf::from("/bin")] },
        variables,
        folder: std::env::temp_dir().join("scrubjay-never-made"),
    };
    let absent = ask(&chat(program("codex", BTreeMap::new()), Duration::from_secs(5))).unwrap_err();
    assert!(absent.to_string().contains("codex is not on the search path"), "{absent}");
    let guarded = [(GUARD_VARIABLE.to_owned(), "1".to_owned())].into_iter().collect();
    let inside = ask(&chat(program("codex", guarded), Duration::from_secs(5))).unwrap_err();
    assert!(matches!(inside, ChatError::Command(CommandError::Inside { .. })), "{inside:?}");
    assert_eq!(
        ENTRIES.iter().map(|entry| entry.name).collect::<Vec<_>>(),
        ["claude", "codex", "gemini", "opencode", "copilot"]
    );
}
