//! The HTTP surface.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Daemon, Wanted};

#[test]
fn operations_answer_and_failures_are_problems() {
    let daemon = Daemon::start();
    let id = daemon.remember("app", "Ada owns billing");
    let found = daemon.post("/v1/recall", &json!({"query": "who owns billing"})).json();
    assert_eq!(found["hits"][0]["id"], id.as_str());
    for (path, body, status, code) in [
        ("/v1/recall", json!({"querry": "x"}), 400, "invalid_input"),
        ("/v1/recall", json!({"query": 3}), 400, "invalid_input"),
        ("/v1/recall", json!([]), 400, "invalid_input"),
        ("/v1/show", json!({"id": "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55"}), 404, "not_found"),
        ("/v1/purge", json!({"ids": [id]}), 403, "refused"),
        ("/v1/nothing", json!({}), 404, "not_found"),
        ("/v1/config.set", json!({"key": "query.max_results", "value": "3"}), 404, "not_found"),
    ] {
        let answer = daemon.post(path, &body);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        assert!(answer.headers.contains("application/problem+json"), "{path}: {answer:?}");
        let problem = answer.json();
        assert_eq!((problem["status"].as_u64(), &problem["code"]), (Some(u64::from(status)), &json!(code)), "{path}");
        assert!(problem["detail"].as_str().unwrap().len() > 10, "{path}");
    }
    let host = format!("localhost:{}", daemon.port);
    let bearer = format!("Bearer {}", daemon.token);
    let own = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
    assert_eq!(daemon.send("GET", "/v1/recall", &own, "").status, 405);
    assert!(daemon.send("DELETE", "/mcp", &own, "").headers.contains("allow: post"));
    let form = [own[0], own[1], ("Content-Type", "application/x-www-form-urlencoded")];
    assert_eq!(daemon.send("POST", "/v1/remember", &form, "content=x").status, 415);
    let plain = [own[0], own[1], ("Content-Type", "application/json")];
    assert_eq!(daemon.send("POST", "/v1/remember", &plain, "{\"content\": ").status, 400);
    assert_eq!(daemon.send("POST", "/v1/stats", &own, "").status, 200);
}

#[test]
fn requests_have_limits() {
    let daemon =
        Daemon::with(Wanted { settings: vec![("daemon.max_body_bytes", "2048".to_owned())], ..Wanted::default() });
    let large = daemon.post("/v1/remember", &json!({"content": "x".repeat(3000)}));
    assert_eq!(large.status, 413, "{large:?}");
    assert_eq!(daemon.post("/v1/remember", &json!({"content": "small enough"})).status, 200);
}

#[test]
fn a_key_makes_a_repetition_harmless() {
    let daemon = Daemon::start();
    let key = [("Idempotency-Key", "k1")];
    let body = json!({"session_id": "s", "role": "user", "content": "once"});
    let token = daemon.token.clone();
    let first = daemon.post_as(&token, "/v1/remember", &json!({"content": "once", "kind": "episode"}), &key);
    let second = daemon.post_as(&token, "/v1/remember", &json!({"content": "once", "kind": "episode"}), &key);
    assert_eq!(first.json(), second.json());
    let other = daemon.post_as(&token, "/v1/remember", &json!({"content": "twice", "kind": "episode"}), &key);
    assert_eq!((other.status, other.json()["code"].clone()), (409, json!("conflict")));
    assert_eq!(daemon.post("/v1/stats", &json!({})).json()["memories"], 1);
    // Many at once under one key are one.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| daemon.post_as(&token, "/v1/messages", &body, &[("Idempotency-Key", "k2")]));
        }
    });
    assert_eq!(daemon.post("/v1/stats", &json!({})).json()["memories"], 2);
    // A failure is not kept: the next try may do better.
    let bad = [("Idempotency-Key", "k3")];
    assert_eq!(daemon.post_as(&token, "/v1/remember", &json!({"content": ""}), &bad).status, 400);
    assert_eq!(daemon.post_as(&token, "/v1/remember", &json!({"content": ""}), &[("Idempotency-Key", "")]).status, 400);
}

#[test]
fn a_key_counts_in_one_project_of_one_agent() {
    let daemon = Daemon::start();
    let token = daemon.token.clone();
    let remember = |more: &[(&str, &str)]| {
        let mut headers = vec![("Idempotency-Key", "the same")];
        headers.extend(more);
        let answer = daemon.post_as(&token, "/v1/remember", &json!({"content": "Ada owns billing"}), &headers);
        answer.json()["id"].as_str().unwrap_or_else(|| panic!("{answer:?}")).to_owned()
    };
    let here = remember(&[("Scrubjay-Project", "app")]);
    let there = remember(&[("Scrubjay-Project", "other")]);
    let nowhere = remember(&[("Scrubjay-Project", "none")]);
    let another = remember(&[("Scrubjay-Project", "app"), ("Scrubjay-Agent", "second")]);
    assert_eq!(remember(&[("Scrubjay-Project", "app")]), here);
    let ids = std::collections::BTreeSet::from([&here, &there, &nowhere, &another]);
    assert_eq!(ids.len(), 4, "each place has its own");
    let stats = daemon.post_as(&token, "/v1/stats", &json!({}), &[("Scrubjay-Project", "other")]).json();
    assert_eq!(stats["by_scope"]["project/other"], 1, "{stats}");
    // Nor does another bearer's key lead anywhere.
    let part = daemon.part(Some("app"), false);
    let key = [("Idempotency-Key", "the same")];
    let theirs = daemon.post_as(&part, "/v1/remember", &json!({"content": "Ada owns billing"}), &key);
    assert_eq!(theirs.json()["merged_into"], here, "{theirs:?}");
}

#[test]
fn a_chat_bridge_can_send_messages() {
    let daemon = Daemon::start();
    let one = |text: &str| json!({"session_id": "s", "role": "user", "content": text});
    for (body, count) in
        [(one("one"), 1), (json!([one("two"), one("three")]), 2), (json!({"messages": [one("four")]}), 1)]
    {
        let answer = daemon.post("/v1/messages", &body);
        assert_eq!(answer.json()["results"].as_array().unwrap().len(), count, "{answer:?}");
    }
    assert_eq!(daemon.post("/v1/messages", &json!([])).status, 400);
    // The same message again is the same memory.
    let again = daemon.post("/v1/messages", &one("one")).json();
    assert_eq!(again["results"][0]["duplicate"], true);
    // A webhook that can set no header says where it stands in its address.
    let (host, bearer) = (format!("localhost:{}", daemon.port), format!("Bearer {}", daemon.token));
    let headers = [("Host", host.as_str()), ("Authorization", &bearer), ("Content-Type", "application/json")];
    let answer = daemon.send("POST", "/v1/messages?project=hooked", &headers, &one("five").to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    let there = daemon.post_as(&daemon.token.clone(), "/v1/stats", &json!({}), &[("Scrubjay-Project", "hooked")]);
    assert_eq!(there.json()["by_scope"]["project/hooked"], 1);
}

#[test]
fn lists_have_cursors() {
    let daemon = Daemon::start();
    for number in 0..5 {
        daemon.remember("app", &format!("fact number {number} about something else entirely {}", "x".repeat(number)));
    }
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut input = json!({"limit": 2});
        if !cursor.is_null() {
            input["cursor"] = cursor.clone();
        }
        let page = daemon.post("/v1/list", &input).json();
        seen.extend(page["memories"].as_array().unwrap().iter().map(|memory| memory["id"].to_string()));
        cursor = page["next"].clone();
        if cursor.is_null() {
            break;
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5);
}

#[test]
fn events_tell_what_changes_to_those_who_may_see_it() {
    let daemon = Daemon::start();
    daemon.remember("app", "before anyone listens");
    let listen = |token: &str, project: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", daemon.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!(
            "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nScrubjay-Project: {project}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        // It listens once it says so.
        assert!(lines.any(|line| line.contains(": listening")));
        lines
    };
    let elsewhere = daemon.part(Some("other"), true);
    let mut ours = listen(&daemon.token, "app");
    let mut theirs = listen(&elsewhere, "other");
    fn next(lines: &mut impl Iterator<Item = String>) -> Value {
        let line = lines.find(|line| line.starts_with("data: ")).unwrap();
        serde_json::from_str(&line[6..]).unwrap()
    }
    let id = daemon.remember("app", "Ada owns billing");
    let event = next(&mut ours);
    assert_eq!((&event["id"], &event["kind"]), (&json!(id), &json!("fact")));
    assert!(!event.to_string().contains("Ada"));
    daemon.remember("other", "Brook owns shipping");
    let event = next(&mut theirs);
    // The first thing that the other project hears of is its own.
    assert_eq!(event["scope"], "project/other");
    daemon.post("/v1/forget", &json!({"ids": [id]}));
    assert_eq!(next(&mut ours)["active"], false);
    let message = json!({"session_id": "s", "role": "user", "content": "Good morning."});
    daemon.post("/v1/capture", &json!({"messages": [message]}));
    daemon.post("/v1/session.end", &json!({"session_id": "s"}));
    assert!(ours.any(|line| line == "event: session_completed"));
    let event = next(&mut ours);
    assert_eq!((&event["session_id"], &event["scope"]), (&json!("s"), &json!("project/app")));
    assert!(event["completed_at"].is_string() && event["messages"] == 1, "{event}");
}

#[test]
fn pages_are_for_people_with_a_token_and_load_nothing_from_elsewhere() {
    let daemon = Daemon::start();
    let host = format!("localhost:{}", daemon.port);
    let page = daemon.send("GET", "/docs", &[("Host", &host), ("Accept", "text/html")], "");
    assert_eq!(page.status, 401);
    assert!(page.body.contains("<form") && page.headers.contains("content-security-policy"), "{page:?}");
    let origin = format!("http://{host}");
    let form = [("Host", host.as_str()), ("Origin", origin.as_str())];
    // With any stricter policy, browsers hide the form's origin from the gate.
    assert!(page.headers.contains("referrer-policy: same-origin"), "{page:?}");
    let hidden =
        daemon.send("POST", "/login", &[("Host", &host), ("Origin", "null")], &format!("token={}", daemon.token));
    assert_eq!(hidden.status, 403);
    let wrong = daemon.send("POST", "/login", &form, "token=nonsense");
    assert_eq!(wrong.status, 401);
    let entered = daemon.send("POST", "/login", &form, &format!("token={}", daemon.token));
    assert_eq!(entered.status, 303, "{entered:?}");
    let cookie = entered.headers.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    let with = [("Host", host.as_str()), ("Cookie", pair)];
    for path in ["/", "/docs", "/docs.js", "/docs.css", "/openapi.json"] {
        let answer = daemon.send("GET", path, &with, "");
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert!(!answer.body.contains("https://") && !answer.body.contains("src=\"http"), "{path}");
        assert!(answer.headers.contains("script-src 'self'") && !answer.headers.contains("unsafe"), "{path}");
    }
    assert_eq!(daemon.send("POST", "/logout", &with, "").status, 303);
    assert_eq!(daemon.send("GET", "/docs", &with, "").status, 401);
}

#[test]
fn numbers_and_state_are_the_owners_business() {
    let daemon = Daemon::start();
    daemon.remember("app", "Ada owns billing");
    let status = daemon.get("/v1/status").json();
    assert_eq!((&status["port"], &status["version"]), (&json!(daemon.port), &json!(env!("CARGO_PKG_VERSION"))));
    let metrics = daemon.get("/metrics").body;
    assert!(metrics.contains("scrubjay_requests_total{route=\"/v1/remember\",status=\"200\"} 1"), "{metrics}");
    assert!(metrics.contains("scrubjay_jobs_due{agent=\"default\"}"), "{metrics}");
    assert!(!metrics.contains("Ada"));
    let healthz = daemon.get("/healthz");
    assert_eq!(healthz.body, "ok\n");
}

#[test]
fn a_caller_with_other_settings_or_another_version_is_told_to_do_it_itself() {
    let daemon = Daemon::start();
    let own = daemon.ctx.config().settings.fingerprint();
    let token = daemon.token.clone();
    let ask = |headers: &[(&str, &str)]| daemon.post_as(&token, "/v1/stats", &json!({}), headers).status;
    assert_eq!(ask(&[("Scrubjay-Settings", &own), ("Scrubjay-Version", env!("CARGO_PKG_VERSION"))]), 200);
    assert_eq!(ask(&[("Scrubjay-Settings", "0000000000000000")]), 412);
    assert_eq!(ask(&[("Scrubjay-Version", "0.0.0")]), 412);
}

#[test]
fn every_example_of_the_description_is_understood() {
    let daemon = Daemon::start();
    let headers =
        [("Authorization", format!("Bearer {}", daemon.token)), ("Host", format!("localhost:{}", daemon.port))];
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let document = daemon.send("GET", "/openapi.json", &headers, "").json();
    assert_eq!(document["servers"][0]["url"], format!("http://localhost:{}", daemon.port));
    let (mut tried, mut misunderstood) = (0, Vec::new());
    for (path, methods) in document["paths"].as_object().unwrap() {
        // These need a disk, a home folder or a model that this daemon has not.
        let elsewhere = ["/v1/backup", "/v1/doctor", "/v1/import.transcripts", "/v1/import.notes", "/v1/reembed"];
        if elsewhere.contains(&path.as_str()) {
            continue;
        }
        let Some(body) = methods.pointer("/post/requestBody/content/application~1json") else { continue };
        let answer = daemon.post(path, &body["example"]);
        let code = answer.json()["code"].as_str().map(str::to_owned);
        if code.as_deref() == Some("invalid_input") {
            misunderstood.push(format!("{path} {}: {}", body["example"], answer.json()["detail"]));
        }
        tried += 1;
    }
    assert!(misunderstood.is_empty(), "{}", misunderstood.join("\n"));
    assert!(tried > 50, "{tried}");
}
