//! The daemon as processes see it: many starts, sudden deaths, and commands that
//! use it or do without.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::scratch::{Scratch, finish};

/// A daemon that ends with the test.
pub(crate) struct Daemon {
    child: Child,
    pub(crate) told: Value,
}

impl Daemon {
    pub(crate) fn start(scratch: &Scratch) -> Self {
        let mut child = serve(scratch).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        Self { child, told }
    }

    /// One that may not come to listen.
    pub(crate) fn begin(scratch: &Scratch) -> Self {
        Self { child: serve(scratch).spawn().unwrap(), told: Value::Null }
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(scratch: &Scratch) -> Command {
    let mut command = scratch.command();
    command.args(["serve", "--port", "0", "--json", "--set", "embedding.provider=none"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// A scratch whose commands have the daemon's settings.
pub(crate) fn scratch() -> Scratch {
    let scratch = Scratch::new();
    std::fs::create_dir_all(scratch.home()).unwrap();
    std::fs::write(
        scratch.home().join("config.toml"),
        "[embedding]\nprovider = \"none\"\n[daemon]\nautostart = false\n",
    )
    .unwrap();
    scratch
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..600 {
        if holds() {
            return;
        }
        pause(Duration::from_millis(50));
    }
    panic!("{what} did not come about");
}

#[expect(clippy::disallowed_methods, reason = "another process is waited for")]
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

#[test]
fn fifty_starts_make_one_daemon() {
    let scratch = scratch();
    let mut children: Vec<Child> = (0..50).map(|_| serve(&scratch).spawn().unwrap()).collect();
    until("49 of 50 ended", || children.iter_mut().filter_map(|child| child.try_wait().unwrap()).count() >= 49);
    let ended: Vec<i32> = children
        .iter_mut()
        .filter_map(|child| child.try_wait().unwrap())
        .map(|status| status.code().unwrap())
        .collect();
    assert_eq!(ended, vec![5; 49]);
    until("the one that is left answers", || scratch.run(&["status"]).code == Some(0));
    let status = scratch.json(&["status"]);
    let mut left = Vec::new();
    for child in &mut children {
        if child.try_wait().unwrap().is_none() {
            left.push(child.id());
        }
    }
    assert_eq!(json!(left), json!([status["pid"]]));
    assert_eq!(scratch.json(&["stop"])["stopped"], true);
    for child in &mut children {
        child.wait().unwrap();
    }
    assert_eq!(scratch.run(&["status"]).code, Some(3));
    assert_eq!(scratch.json(&["stop"])["stopped"], false);
}

#[test]
fn commands_use_the_daemon_and_do_without_it() {
    let scratch = scratch();
    let mut daemon = Daemon::start(&scratch);
    let noted = scratch.run(&["remember", "Ada owns billing", "--verbose"]);
    assert!(noted.err.contains("answered by the daemon"), "{noted:?}");
    let found = scratch.run(&["recall", "who owns billing", "--verbose"]);
    assert!(found.out.contains("Ada owns billing") && found.err.contains("answered by the daemon"), "{found:?}");
    // A failure looks the same from both.
    let there = scratch.run(&["show", crate::scratch::UNKNOWN]);
    // Other settings: the command does it itself.
    let own = scratch.run(&["recall", "who owns billing", "--verbose", "--set", "query.max_results=3"]);
    assert!(own.out.contains("Ada owns billing") && !own.err.contains("answered by the daemon"), "{own:?}");
    daemon.kill();
    let here = scratch.run(&["show", crate::scratch::UNKNOWN]);
    assert_eq!((there.code, &there.err), (here.code, &here.err));
    let alone = scratch.run(&["recall", "who owns billing", "--verbose"]);
    assert!(alone.out.contains("Ada owns billing") && !alone.err.contains("answered by the daemon"), "{alone:?}");
    // The next daemon is not bothered by what the killed one left behind.
    let again = Daemon::start(&scratch);
    assert!(again.told["url"].is_string());
    assert!(scratch.run(&["recall", "billing", "--verbose"]).err.contains("answered by the daemon"));
}

#[test]
fn settings_can_be_changed_while_the_daemon_runs() {
    let scratch = scratch();
    let daemon = Daemon::start(&scratch);
    // The daemon holds the lock of the home folder, in which the settings are.
    for words in [["config", "set", "query.max_results", "3"], ["config", "adjust", "query.max_results", "4"]] {
        let mut child = scratch.command().args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let ended = (0..400).any(|_| {
            pause(Duration::from_millis(50));
            child.try_wait().unwrap().is_some()
        });
        if !ended {
            child.kill().unwrap();
        }
        assert!(ended && child.wait().unwrap().success(), "{words:?}");
    }
    assert_eq!(scratch.json(&["config", "show", "query.max_results"])["settings"][0]["value"], "4");
    drop(daemon);
}

#[test]
fn a_hung_or_foreign_daemon_does_not_stop_a_command() {
    let scratch = scratch();
    scratch.remember("Ada owns billing");
    std::fs::write(scratch.home().join("token"), "0123456789abcdef0123456789abcdef\n").unwrap();
    let _silent = std::os::unix::net::UnixListener::bind(scratch.home().join("daemon.sock")).unwrap();
    let found = scratch.run(&["recall", "who owns billing", "--set", "daemon.answer_ms=50"]);
    assert!(found.out.contains("Ada owns billing"), "{found:?}");
    assert_eq!(scratch.run(&["status", "--set", "daemon.answer_ms=50"]).code, Some(3));
}

// Sends one message over the socket and says whether it was acknowledged.
fn send(scratch: &Scratch, token: &str, id: &str) -> bool {
    let body = json!({"session_id": "load", "role": "user", "id": id, "content": format!("message {id} of the load")});
    let body = body.to_string();
    let Ok(mut stream) = UnixStream::connect(scratch.home().join("daemon.sock")) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Scrubjay-Project: app\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut answer = String::new();
    if stream.write_all(head.as_bytes()).is_err() || stream.read_to_string(&mut answer).is_err() {
        return false;
    }
    answer.starts_with("HTTP/1.1 200") && answer.contains("\"id\":\"ep_")
}

#[test]
fn crash_of_the_daemon_loses_nothing_that_it_acknowledged() {
    let scratch = scratch();
    let mut acknowledged = Vec::new();
    let mut sent = 0;
    for round in 0..scrubjay_test::longer(20) * 3 {
        let mut daemon = Daemon::start(&scratch);
        let token = std::fs::read_to_string(scratch.home().join("token")).unwrap().trim().to_owned();
        let results: Vec<(String, bool)> = std::thread::scope(|scope| {
            let senders: Vec<_> = (0..4)
                .map(|sender| {
                    let (scratch, token) = (&scratch, &token);
                    scope.spawn(move || {
                        let mut results = Vec::new();
                        for number in 0..200 {
                            let id = format!("{round}-{sender}-{number}");
                            let done = send(scratch, token, &id);
                            results.push((id, done));
                            if !done {
                                break;
                            }
                        }
                        results
                    })
                })
                .collect();
            pause(Duration::from_millis(150 + 70 * (round as u64 % 5)));
            daemon.kill();
            senders.into_iter().flat_map(|sender| sender.join().unwrap()).collect()
        });
        sent += results.len();
        acknowledged.extend(results.into_iter().filter(|(_, done)| *done).map(|(id, _)| id));
    }
    assert!(acknowledged.len() > 10, "{} of {sent} acknowledged", acknowledged.len());
    let contents = scratch.contents();
    for id in &acknowledged {
        let times = contents.matches(&format!("message {id} of the load")).count();
        assert_eq!(times, 1, "{id} is there {times} times");
    }
    assert_ne!(scratch.json(&["doctor"])["status"], "damaged");
    // And clients go on by themselves with the next daemon.
    let _daemon = Daemon::start(&scratch);
    assert!(scratch.run(&["recall", "message of the load", "--verbose"]).err.contains("answered by the daemon"));
}

#[test]
fn stdio_mcp_speaks_json_only_and_leaves_with_its_parent() {
    let scratch = scratch();
    for _ in 0..scrubjay_test::longer(200) * 5 {
        let mut child = scratch.start(&["mcp"]);
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut ask = |message: Value| {
            writeln!(input, "{message}").unwrap();
            input.flush().unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            serde_json::from_str::<Value>(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
        };
        let hello = ask(
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}),
        );
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18");
        let made = ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "remember_fact", "arguments": {"content": "Ada owns billing"}}}));
        assert_eq!(made["result"]["isError"], false, "{made}");
        // The parent goes: its end of the input closes.
        drop(input);
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
    assert!(scratch.run(&["recall", "who owns billing"]).out.contains("Ada owns billing"));
    assert_eq!(processes_of(&scratch), Vec::<String>::new());
}

// Every process on this machine that works in the scratch folder, whoever
// started it.
fn processes_of(scratch: &Scratch) -> Vec<String> {
    let home = scratch.home().into_os_string().into_encoded_bytes();
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        // A process that ended meanwhile has nothing to read.
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        if [&environment, &words].iter().any(|text| text.windows(home.len()).any(|part| part == home)) {
            found.push(String::from_utf8_lossy(&words).replace('\0', " "));
        }
    }
    found
}

#[test]
fn crash_of_the_daemon_does_not_end_an_mcp_session() {
    let scratch = scratch();
    let mut daemon = Daemon::start(&scratch);
    let mut child = scratch.start(&["mcp"]);
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.contains("\"isError\":false"), "{tool}: {line}");
        line
    };
    call("remember_fact", json!({"content": "Ada owns billing"}));
    daemon.kill();
    // The session goes on alone, and with the next daemon.
    assert!(call("search_memory", json!({"query": "who owns billing"})).contains("Ada owns billing"));
    call("remember_fact", json!({"content": "Brook owns shipping"}));
    let _next = Daemon::start(&scratch);
    assert!(call("search_memory", json!({"query": "who owns shipping"})).contains("Brook owns shipping"));
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn mcp_starts_a_daemon_that_ends_when_nobody_needs_it() {
    let scratch = scratch();
    std::fs::write(
        scratch.home().join("config.toml"),
        "[embedding]\nprovider = \"none\"\n[daemon]\nport = 0\nidle_exit_s = 2\n",
    )
    .unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let done = scratch.run_with(&["mcp"], format!("{ping}\n").as_bytes());
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{done:?}");
    assert!(done.out.contains("\"result\":{}"), "{done:?}");
    until("a daemon runs", || scratch.run(&["status"]).code == Some(0));
    assert_eq!(scratch.json(&["status"])["on_demand"], true);
    // More sessions, some of them cut off in the middle, share it.
    for number in 0..10 {
        let mut child = scratch.start(&["mcp"]);
        writeln!(child.stdin.as_mut().unwrap(), "{ping}").unwrap();
        if number % 2 == 0 {
            child.kill().unwrap();
        }
        drop(child.stdin.take());
        child.wait().unwrap();
    }
    until("one daemon at most serves them all", || processes_of(&scratch).len() <= 1);
    until("it ends by itself", || scratch.run(&["status"]).code == Some(3));
    until("nothing is left", || processes_of(&scratch).is_empty());
}

#[test]
fn open_starts_a_daemon_and_prints_a_link() {
    let scratch = scratch();
    scratch.run(&["open", "--print"]).failed(&[5], "nobody may start a daemon here");
    let settings = "[embedding]\nprovider = \"none\"\n[daemon]\nidle_exit_s = 1\n";
    std::fs::write(scratch.home().join("config.toml"), settings).unwrap();
    let opened = scratch.json(&["open", "--print"]);
    let url = opened["url"].as_str().unwrap();
    assert!(url.starts_with("http://127.0.0.1:") && url.ends_with("&project=app"), "{url}");
    assert_eq!(opened["opened"], false);
    let token = std::fs::read_to_string(scratch.home().join("token")).unwrap();
    assert!(!url.contains(token.trim()) && url.contains("/enter?key="), "{url}");
    until("it ends by itself", || scratch.run(&["status"]).code == Some(3));
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let scratch = scratch();
    let daemon = Daemon::start(&scratch);
    let made = scratch.json(&["token", "create", "--read", "chat bridge"]);
    let token = made["token"].as_str().unwrap();
    assert_eq!((&made["project"], &made["read_only"]), (&json!("app"), &json!(true)));
    let listed = scratch.run(&["token", "list", "--json"]);
    assert!(listed.out.contains("chat bridge") && !listed.out.contains(token), "{listed:?}");
    let url = daemon.told["url"].as_str().unwrap().to_owned();
    let ask = |token: &str, operation: &str| {
        let address = url.trim_start_matches("http://").to_owned();
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST /v1/{operation} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Length: 0\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer[9..12].to_owned()
    };
    assert_eq!((ask(token, "stats").as_str(), ask(token, "undo").as_str()), ("200", "403"));
    let shown = scratch.run(&["token", "show"]);
    assert_eq!(ask(shown.out.trim(), "stats"), "200");
    scratch.json(&["token", "revoke", made["id"].as_str().unwrap()]);
    assert_eq!(ask(token, "stats"), "401");
    scratch.run(&["token", "revoke", "nothing"]).failed(&[3], "revoking nothing");
    let logs = scratch.run(&["logs"]);
    assert!(logs.out.contains("the daemon started") && !logs.out.contains(token), "{logs:?}");
}

#[test]
fn serve_says_where_things_are_and_what_to_do_next() {
    let scratch = scratch();
    let mut child = scratch.command();
    child.args(["serve", "--port", "0", "--idle-exit", "500ms"]);
    let done = finish(&mut child, None);
    assert_eq!(done.code, Some(0), "{done:?}");
    for wanted in
        ["is listening", "scrubjay open", "/docs", "token", "none found", "install", "recall", "curl", "Ctrl-C"]
    {
        assert!(done.out.contains(wanted), "no {wanted} in {}", done.out);
    }
    std::fs::create_dir(scratch.home().parent().unwrap().join(".claude")).unwrap();
    let done = finish(scratch.command().args(["serve", "--port", "0", "--idle-exit", "500ms"]), None);
    assert!(done.out.contains("Claude Code") && done.out.contains("install claude-code"), "{}", done.out);
}

#[test]
fn a_service_unit_is_written_and_systemd_takes_it() {
    let scratch = scratch();
    let shown = scratch.json(&["service", "install", "--dry-run"]);
    assert_eq!((&shown["changed"], &shown["dry_run"]), (&json!(true), &json!(true)));
    let made = scratch.json(&["service", "install", "--no-start"]);
    let path = made["path"].as_str().unwrap();
    let unit = std::fs::read_to_string(path).unwrap();
    assert!(unit.contains("ExecStart=\"") && unit.contains("serve --quiet --home"), "{unit}");
    assert_eq!(scratch.json(&["service", "install", "--no-start"])["changed"], false);
    match Command::new("systemd-analyze")
        .args(["--user", "verify", path])
        .env("XDG_RUNTIME_DIR", scratch.work())
        .output()
    {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let about_us: Vec<&str> = said.lines().filter(|line| line.contains("scrubjay.service")).collect();
            assert!(output.status.success() || about_us.is_empty(), "{said}");
        }
        Err(error) => eprintln!("systemd-analyze cannot be run here ({error}); the unit was not verified"),
    }
    assert_eq!(scratch.json(&["service", "uninstall"])["changed"], true);
    assert!(!std::path::Path::new(path).exists());
}

#[test]
fn a_context_file_is_kept_fresh() {
    let scratch = scratch();
    scratch.remember("Ada owns billing");
    let path = scratch.work().join("AGENTS.md");
    std::fs::write(&path, "# My own words\n").unwrap();
    scratch.json(&["context-file", path.to_str().unwrap()]);
    let read = || std::fs::read_to_string(&path).unwrap();
    assert!(read().starts_with("# My own words\n") && read().contains("Ada owns billing"), "{}", read());
    let _daemon = Daemon::start(&scratch);
    scratch.remember("Brook owns shipping");
    until("the file says the new fact", || read().contains("Brook owns shipping"));
    scratch.json(&["context-file", "--remove", path.to_str().unwrap()]);
    assert_eq!(read(), "# My own words\n");
    scratch.run(&["context-file", "--remove", path.to_str().unwrap()]).failed(&[3], "removing twice");
}

#[test]
fn fact_files_follow_the_facts_while_the_daemon_runs() {
    let scratch = scratch();
    let daemon = Daemon::start(&scratch);
    let id = scratch.remember("Staging listens on port 5433");
    let notes = scratch.work().join("facts");
    scratch.json(&["sources", "add", notes.to_str().unwrap(), "--kind", "notes", "--write"]);
    let files = || -> Vec<(std::path::PathBuf, String)> {
        let entries = std::fs::read_dir(&notes).unwrap().flatten().map(|entry| entry.path());
        let notes = entries.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
        notes.filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?))).collect()
    };
    let says = |words: &str| files().iter().any(|(_, text)| text.contains(words));
    until("a file for the fact", || says("port 5433"));
    // A fact that changes rewrites its file, a new one gets a file, a forgotten one loses it: nobody runs `sync`.
    scratch.json(&["edit", &id, "--content", "Staging listens on port 5444"]);
    until("the new text in the file", || says("port 5444") && !says("5433"));
    let other = scratch.remember("Invoices are sent on the first");
    until("a second file", || files().len() == 2 && says("Invoices"));
    scratch.json(&["forget", &other]);
    until("one file less", || files().len() == 1 && !says("Invoices"));
    // And what a person writes there changes the fact.
    let (path, text) = files().remove(0);
    std::fs::write(&path, text.replace("5444", "5455")).unwrap();
    until("the edit in the fact", || {
        scratch.json(&["list"])["memories"][0]["content"] == "Staging listens on port 5455"
    });
    assert_eq!(scratch.json(&["list"])["memories"][0]["id"], id);
    assert_eq!(files().len(), 1, "nothing is in conflict: {:?}", files());
    drop(daemon);
}
