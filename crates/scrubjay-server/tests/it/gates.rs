//! Every route and every tool × everyone who must not get in: refused before
//! any effect.

use scrubjay_engine::ops::{Access, REGISTRY, Risk};
use scrubjay_server::auth::Grant;
use scrubjay_server::http::{Need, Route, routes};
use scrubjay_server::mcp::tools;
use serde_json::{Value, json};

use crate::harness::{Answer, Daemon};

// An input that would do something, for whoever gets that far.
fn input(operation: &str, id: &str) -> Value {
    match operation {
        "capture" => json!({"messages": [{"session_id": "s", "role": "user", "content": "intruder"}]}),
        "remember" => json!({"content": "intruder was here"}),
        "correct" => json!({"id": id, "content": "intruder"}),
        "edit" => json!({"id": id, "content": "intruder"}),
        "forget" | "restore" => json!({"ids": [id]}),
        "purge" => json!({"ids": [id], "yes": true}),
        "link" => json!({"from": id, "to": id, "relation": "related"}),
        "recall" => json!({"query": "billing"}),
        "entity" => json!({"name": "ada@example.org"}),
        "inject" => json!({"text": "who owns billing"}),
        "context" => json!({"task": "who owns billing"}),
        "session.end" => json!({"session_id": "s1"}),
        "import" => json!({"lines": ["{\"record\":\"memory\",\"content\":\"intruder\"}"]}),
        "show" | "confirm" | "history" => json!({"id": id}),
        "feedback" => json!({"id": id, "show": "never"}),
        "why-not" => json!({"id": id, "query": "billing"}),
        _ => json!({}),
    }
}

fn body(route: &Route, id: &str) -> String {
    let operation = route.path.strip_prefix("/v1/").unwrap_or_default();
    match route.path.as_str() {
        "/v1/messages" => json!({"session_id": "s", "role": "user", "content": "intruder"}).to_string(),
        "/v1/memory-tool" => json!({"command": "create", "path": "/memories/x", "file_text": "intruder"}).to_string(),
        "/v1/hook" => json!({"client": "claude-code", "event": "UserPromptSubmit", "received_at": "2026-05-01",
            "payload": {"session_id": "s", "prompt": "intruder"}})
        .to_string(),
        "/mcp" => json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "remember_fact", "arguments": {"content": "intruder"}}})
        .to_string(),
        _ => input(operation, id).to_string(),
    }
}

fn stocked() -> (Daemon, String) {
    let daemon = Daemon::start();
    let id = daemon.remember("app", "Ada (ada@example.org) owns billing");
    daemon.remember("other", "Brook owns shipping, a secret of the other project");
    let said = json!({"session_id": "s1", "role": "user", "content": "Where is billing?"});
    assert_eq!(daemon.post("/v1/messages", &said).status, 200);
    (daemon, id)
}

fn ask(daemon: &Daemon, route: &Route, headers: &[(&str, &str)], id: &str) -> Answer {
    let mut all = headers.to_vec();
    if route.method.as_str() == "POST" {
        all.push(("Content-Type", "application/json"));
    }
    all.push(("Scrubjay-Project", "app"));
    daemon.send(route.method.as_str(), &route.path, &all, &body(route, id))
}

#[test]
fn no_route_lets_strangers_in() {
    let (daemon, id) = stocked();
    let before = daemon.contents();
    let host = format!("localhost:{}", daemon.port);
    let (bearer, wrong) = (format!("Bearer {}", daemon.token), format!("Bearer {}x", daemon.token));
    let half = format!("Bearer {}", &daemon.token[..32]);
    let own = ("Host", host.as_str());
    let cookie = format!("scrubjay_session_{}=0123", daemon.port);
    let token = ("Authorization", bearer.as_str());
    let cases: Vec<(&str, Vec<(&str, &str)>, u16)> = vec![
        ("foreign host", vec![("Host", "evil.example"), token], 403),
        ("foreign host with our port", vec![("Host", "evil.example:4747"), token], 403),
        ("two hosts", vec![own, ("Host", "evil.example"), token], 403),
        ("no host", vec![token], 403),
        ("foreign origin", vec![own, ("Origin", "https://evil.example"), token], 403),
        ("another port's origin", vec![own, ("Origin", "http://localhost:1"), token], 403),
        ("a page of the usual port", vec![own, ("Origin", "http://localhost"), token], 403),
        ("null origin", vec![own, ("Origin", "null"), token], 403),
        ("another site's page", vec![own, ("Sec-Fetch-Site", "cross-site"), token], 403),
        ("no token", vec![own], 401),
        ("empty token", vec![own, ("Authorization", "Bearer ")], 401),
        ("wrong token", vec![own, ("Authorization", &wrong)], 401),
        ("half a token", vec![own, ("Authorization", &half)], 401),
        ("a made-up cookie", vec![own, ("Cookie", cookie.as_str())], 401),
        ("a cookie of another port", vec![own, ("Cookie", "scrubjay_session_1=0123")], 401),
    ];
    let mut tried = 0;
    for route in routes() {
        for (who, headers, status) in &cases {
            let answer = ask(&daemon, &route, headers, &id);
            if route.need == Need::Nothing && *status == 401 {
                // Strangers may ask whether it lives, and may enter a token.
                let expected: &[u16] = if route.path == "/healthz" { &[200] } else { &[401] };
                assert!(expected.contains(&answer.status), "{who} at {}: {answer:?}", route.path);
                continue;
            }
            // A missing Host is refused by the HTTP layer itself in some versions.
            let fine = answer.status == *status || (*who == "no host" && answer.status == 400);
            assert!(fine, "{who} at {} {}: {answer:?}", route.method, route.path);
            for secret in ["Ada", "billing", "Brook", "shipping"] {
                assert!(!answer.body.contains(secret), "{who} at {} learned something: {answer:?}", route.path);
            }
            assert!(!answer.headers.contains("access-control"), "{}", route.path);
            tried += 1;
        }
    }
    assert!(tried > 400, "{tried}");
    // Also where there is nothing.
    for path in ["/nothing", "/v1", "/v1/", "/v1/config.set", "/../token", "//healthz", "/healthz/"] {
        let answer = daemon.send("GET", path, &[own], "");
        assert_eq!(answer.status, 401, "{path}: {answer:?}");
    }
    assert_eq!(daemon.contents(), before);
}

#[test]
fn a_token_is_worth_what_its_record_says_and_no_more() {
    let (daemon, id) = stocked();
    let looking = daemon.part(Some("app"), true);
    let elsewhere = daemon.part(Some("other"), false);
    let host = format!("localhost:{}", daemon.port);
    let before = daemon.contents();
    for route in routes().into_iter().filter(|route| route.need != Need::Nothing) {
        let bearer = format!("Bearer {looking}");
        // Events go on for ever; who may listen is tested with them.
        if route.path != "/v1/events" {
            let answer = ask(&daemon, &route, &[("Host", &host), ("Authorization", &bearer)], &id);
            match route.need {
                Need::Owner | Need::Write => assert_eq!(answer.status, 403, "looking at {}: {answer:?}", route.path),
                _ if route.path == "/mcp" => assert_eq!(answer.json()["result"]["isError"], true, "{answer:?}"),
                _ => assert!(answer.status < 400 || answer.status == 404, "looking at {}: {answer:?}", route.path),
            }
        }
        // Another project's token, asking for ours.
        let bearer = format!("Bearer {elsewhere}");
        let answer = ask(&daemon, &route, &[("Host", &host), ("Authorization", &bearer)], &id);
        let pages = ["/", "/docs", "/docs.js", "/docs.css", "/openapi.json", "/login/link", "/logout"];
        let page = pages.contains(&route.path.as_str()) || route.path.starts_with("/web/");
        if !page {
            assert_eq!(answer.status, 403, "elsewhere at {}: {answer:?}", route.path);
        }
        for secret in ["Ada", "billing"] {
            assert!(!answer.body.contains(secret), "elsewhere at {}: {answer:?}", route.path);
        }
    }
    assert_eq!(daemon.contents(), before);
    // From its own place it sees its own things, and a foreign id is unknown.
    let here = [("Scrubjay-Project", "other")];
    let found = daemon.post_as(&elsewhere, "/v1/recall", &json!({"query": "who owns shipping"}), &here);
    assert!(found.body.contains("Brook"), "{found:?}");
    for operation in ["show", "history", "edit", "forget", "confirm", "purge", "correct"] {
        let answer = daemon.post_as(&elsewhere, &format!("/v1/{operation}"), &input(operation, &id), &here);
        let unknown = input(operation, "fact_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55");
        let missing = daemon.post_as(&elsewhere, &format!("/v1/{operation}"), &unknown, &here);
        assert_eq!(answer.status, 404, "{operation}: {answer:?}");
        assert_eq!(missing.status, 404, "{operation}: {missing:?}");
    }
    // Narrowing to global is fine, and another agent is not.
    let narrow = daemon.post_as(&elsewhere, "/v1/stats", &json!({}), &[("Scrubjay-Project", "none")]);
    assert_eq!(narrow.json()["memories"], 0, "{narrow:?}");
    let other =
        daemon.post_as(&elsewhere, "/v1/stats", &json!({}), &[("Scrubjay-Project", "other"), ("Scrubjay-Agent", "x")]);
    assert_eq!(other.status, 403, "{other:?}");
    // All projects of one export are the owner's business.
    let all = daemon.post_as(&elsewhere, "/v1/export", &json!({"all_projects": true}), &here);
    assert_eq!(all.status, 403, "{all:?}");
}

#[test]
fn no_tool_lets_anyone_do_more_than_their_token_says() {
    let (daemon, id) = stocked();
    let looking = daemon.part(Some("app"), true);
    let elsewhere = daemon.part(Some("other"), false);
    let before = daemon.contents();
    let mut tried = 0;
    for tool in tools(&Grant::Owner) {
        let name = tool["name"].as_str().unwrap();
        let entry = REGISTRY.iter().find(|entry| entry.surfaces.mcp == Some(name)).unwrap();
        assert_eq!(entry.access, Access::View, "{name}");
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": input(entry.name, &id)}});
        let answer = daemon.post_as(&looking, "/mcp", &call, &[]);
        if entry.risk == Risk::Read {
            assert_eq!(answer.json()["result"]["isError"], false, "{name}: {answer:?}");
        } else {
            assert_eq!(answer.json()["result"]["isError"], true, "{name}: {answer:?}");
        }
        // Another project's token cannot ask for ours, nor find what is in it.
        assert_eq!(daemon.post_as(&elsewhere, "/mcp", &call, &[]).status, 403, "{name}");
        let here = daemon.post_as(&elsewhere, "/mcp", &call, &[("Scrubjay-Project", "other")]);
        assert!(!here.body.contains("Ada owns"), "{name}: {here:?}");
        for header in [("Origin", "null"), ("Origin", "http://evil.example"), ("Host", "evil.example")] {
            assert_eq!(
                daemon.post_as(&daemon.token.clone(), "/mcp", &call, &[header]).status,
                403,
                "{name} {header:?}"
            );
        }
        tried += 1;
    }
    assert!(tried >= 7, "{tried}");
    // What the other project's token wrote into its own project is all that changed.
    let after = daemon.contents();
    let only_ours = |text: &str| text.matches("project/app").count();
    assert_eq!(only_ours(&before), only_ours(&after));
    assert!(!after.contains("\"content\\\":\\\"intruder\\\",\\\"scope\\\":\\\"project/app"), "{after}");
}

#[test]
fn a_token_for_one_project_changes_nothing_that_holds_for_all() {
    let (daemon, _) = stocked();
    let everywhere = [("Scrubjay-Project", "none")];
    let owner = daemon.token.clone();
    let global = daemon.post_as(&owner, "/v1/remember", &json!({"content": "Ada owns billing for all"}), &everywhere);
    let id = global.json()["id"].as_str().unwrap().to_owned();
    let asked = json!({"content": "Prefers tabs", "type": "preference", "scope": "global"});
    let waiting = daemon.post("/v1/remember", &asked).json()["pending"].clone();
    let contents = || daemon.exported("none", &json!({}));
    let before = contents();
    assert!(before.contains("Ada owns billing for all"), "{before}");
    let token = daemon.part(Some("app"), false);
    let mut tried = 0;
    for place in ["app", "none"] {
        for route in routes().into_iter().filter(|route| route.method.as_str() == "POST") {
            let operation = route.path.strip_prefix("/v1/").unwrap_or_default();
            let mut input = input(operation, &id);
            match operation {
                "remember" => input["scope"] = json!("global"),
                "confirmations.answer" => input = json!({"id": waiting, "answer": "yes"}),
                "promote" => input = json!({"id": id, "to": "global", "type": "decision"}),
                _ => {}
            }
            daemon.post_as(&token, &route.path, &input, &[("Scrubjay-Project", place)]);
            assert_eq!(contents(), before, "{} from {place}", route.path);
            tried += 1;
        }
    }
    assert!(tried > 80, "{tried}");
    let answered = daemon.post_as(&token, "/v1/confirmations.answer", &json!({"id": waiting, "answer": "yes"}), &[]);
    assert_eq!(answered.status, 403, "{answered:?}");
    let proposed = daemon.post_as(&token, "/v1/remember", &json!({"content": "For all", "scope": "global"}), &[]);
    assert!(proposed.json()["pending"].is_string(), "{proposed:?}");
    let listed = daemon.post("/v1/confirmations.list", &json!({"all_projects": true})).json();
    let by: Vec<&str> =
        listed["confirmations"].as_array().unwrap().iter().map(|one| one["actor"].as_str().unwrap()).collect();
    assert!(by.iter().any(|actor| actor.starts_with("token:")), "{listed}");
}
