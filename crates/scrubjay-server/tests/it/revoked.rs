//! A token that is good no more, and everything that was let in with it.

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::TcpStream;

use scrubjay_server::http::Stop;
use serde_json::json;

use crate::harness::{Daemon, Wanted};

fn listen(daemon: &Daemon, header: &str) -> Lines<BufReader<TcpStream>> {
    let host = format!("localhost:{}", daemon.port);
    let stream = daemon.begin(&format!("GET /v1/events HTTP/1.1\r\nHost: {host}\r\n{header}\r\n\r\n"));
    let mut lines = BufReader::new(stream).lines();
    assert!(lines.any(|line| line.unwrap().contains(": listening")));
    lines
}

fn sign_in(daemon: &Daemon, token: &str) -> String {
    let host = format!("localhost:{}", daemon.port);
    let entered = daemon.send("POST", "/login", &[("Host", &host)], &format!("token={token}"));
    let cookie = entered.headers.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

fn page(daemon: &Daemon, cookie: &str) -> u16 {
    let host = format!("localhost:{}", daemon.port);
    daemon.send("GET", "/docs", &[("Host", &host), ("Cookie", cookie)], "").status
}

#[test]
fn a_revoked_token_takes_its_cookies_and_streams_along() {
    let daemon = Daemon::start();
    let token = daemon.part(Some("app"), true);
    let cookie = sign_in(&daemon, &token);
    assert_eq!(page(&daemon, &cookie), 200);
    let streams =
        [listen(&daemon, &format!("Authorization: Bearer {token}")), listen(&daemon, &format!("Cookie: {cookie}"))];
    let mut owners = listen(&daemon, &format!("Authorization: Bearer {}\r\nScrubjay-Project: app", daemon.token));
    daemon.revoke("test");
    assert_eq!(page(&daemon, &cookie), 401);
    let id = daemon.remember("app", "Ada owns billing");
    for stream in streams {
        // It ends; one that went on would tell of the new memory first.
        for line in stream.map(Result::unwrap) {
            assert!(!line.contains(&id), "{line}");
        }
    }
    assert!(owners.any(|line| line.unwrap().contains(&id)), "others go on");
}

#[test]
fn a_replaced_token_file_counts() {
    let daemon = Daemon::start();
    let (old, new) = (daemon.token.clone(), "a-new-token-0123456789abcdef");
    let cookie = sign_in(&daemon, &old);
    let stream = listen(&daemon, &format!("Authorization: Bearer {old}"));
    let other = daemon.home.join("token.other");
    std::fs::File::create(&other).unwrap().write_all(new.as_bytes()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "a file is replaced as a person would")]
    std::fs::rename(&other, daemon.home.join("token")).unwrap();
    assert_eq!(daemon.post_as(&old, "/v1/stats", &json!({}), &[]).status, 401);
    assert_eq!(daemon.post_as(new, "/v1/stats", &json!({}), &[]).status, 200);
    assert_eq!(page(&daemon, &cookie), 401);
    assert!(stream.map(Result::unwrap).all(|line| !line.contains("data:")));
    // A file without a token in it opens nothing.
    std::fs::write(daemon.home.join("token"), "").unwrap();
    for token in ["", new, &old] {
        assert_eq!(daemon.post_as(token, "/v1/stats", &json!({}), &[]).status, 401, "{token}");
    }
}

#[test]
fn only_the_owner_ends_a_daemon_that_was_started_on_demand() {
    let daemon = Daemon::with(Wanted { on_demand: true, ..Wanted::default() });
    let newer = [("Scrubjay-Version", "99.0.0")];
    for read_only in [true, false] {
        let token = daemon.part(Some("app"), read_only);
        assert_eq!(daemon.post_as(&token, "/v1/stats", &json!({}), &newer).status, 412);
        for _ in 0..20 {
            assert_eq!(daemon.get("/healthz").status, 200, "it still listens");
        }
    }
    assert!(!daemon.running.is_finished());
    assert_eq!(daemon.post_as(&daemon.token.clone(), "/v1/stats", &json!({}), &newer).status, 412);
    assert_eq!(daemon.wait(), Stop::Asked);
}

#[test]
fn hooks_are_json() {
    let daemon = Daemon::start();
    let (host, bearer) = (format!("localhost:{}", daemon.port), format!("Bearer {}", daemon.token));
    let body = json!({"client": "claude-code", "event": "UserPromptSubmit", "received_at": "2026-05-01T00:00:00Z",
        "payload": {"session_id": "s", "prompt": "kept only if it is JSON"}});
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("multipart/form-data")] {
        let mut headers = vec![("Host", host.as_str()), ("Authorization", &bearer)];
        headers.extend(kind.map(|kind| ("Content-Type", kind)));
        assert_eq!(daemon.send("POST", "/v1/hook", &headers, &body.to_string()).status, 415, "{kind:?}");
    }
    assert!(!daemon.contents().contains("kept only"));
    assert_eq!(daemon.post("/v1/hook", &body).status, 200);
}
