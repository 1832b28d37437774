//! Every route without a token, with a wrong one, from another page or by another
//! name; and crowds that only take up room.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::json;

use crate::Attack;
use crate::arena::{Arena, Found};
use crate::http::{post, send, send_within};

/// Wrong tokens are answered slowly, so many are tried at once.
const AT_ONCE: usize = 16;

const ROUTES: [(&str, &str); 14] = [
    ("GET", "/"),
    ("GET", "/docs"),
    ("GET", "/docs.js"),
    ("GET", "/openapi.json"),
    ("GET", "/metrics"),
    ("GET", "/v1/status"),
    ("GET", "/v1/events"),
    ("POST", "/v1/recall"),
    ("POST", "/v1/remember"),
    ("POST", "/v1/purge"),
    ("POST", "/v1/hook"),
    ("POST", "/v1/shutdown"),
    ("POST", "/mcp"),
    ("POST", "/logout"),
];

pub(crate) fn attack(attack: &Attack, found: &mut Found) {
    let arena = Arena::new(&attack.program);
    arena.json(&["remember", "Ada owns billing"]);
    let mut daemon = arena.serve();
    let host = format!("localhost:{}", daemon.port);
    let bearer = format!("Bearer {}", daemon.token);
    let half = format!("Bearer {}", &daemon.token[..daemon.token.len() / 2]);
    let (own, token) = (("Host", host.as_str()), ("Authorization", bearer.as_str()));
    let cases: Vec<(&str, Vec<(&str, &str)>)> = vec![
        ("no token", vec![own]),
        ("half a token", vec![own, ("Authorization", &half)]),
        ("a made-up cookie", vec![own, ("Cookie", "scrubjay_session=0123")]),
        ("a foreign name", vec![("Host", "evil.example"), token]),
        ("two names", vec![own, ("Host", "evil.example"), token]),
        ("a page elsewhere", vec![own, ("Origin", "https://evil.example"), token]),
        ("a page of another port", vec![own, ("Origin", "http://localhost"), token]),
        ("a page of nobody", vec![own, ("Origin", "null"), token]),
        ("a page of another site", vec![own, ("Sec-Fetch-Site", "cross-site"), token]),
    ];
    let tries: Vec<_> = ROUTES.iter().flat_map(|route| cases.iter().map(move |case| (route, case))).collect();
    let results = Mutex::new(Vec::new());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(((method, path), (who, headers))) =
                    tries.get(next.fetch_add(1, std::sync::atomic::Ordering::SeqCst))
                {
                    let mut headers = headers.clone();
                    headers.push(("Content-Type", "application/json"));
                    let body = json!({"content": "intruder", "query": "billing"}).to_string();
                    let answer = send(daemon.port, method, path, &headers, &body);
                    results.lock().unwrap().push((format!("{who} at {method} {path}"), answer));
                }
            });
        }
    });
    for (what, answer) in results.into_inner().unwrap() {
        found.check(matches!(answer.status, 400 | 401 | 403), || format!("{what}: {answer:?}"));
        found.check(!answer.body.contains("Ada"), || format!("{what} learned something: {answer:?}"));
    }
    crowds(&daemon.token, daemon.port, if attack.long { 4000 } else { 400 }, found);
    found.check(daemon.lives(), || "the daemon was ended".to_owned());
    found.check(arena.kept("intruder") == 0, || "a stranger wrote something".to_owned());
}

// Half a head, half a form, and a form of megabytes, each many times at once.
fn crowds(token: &str, port: u16, count: usize, found: &mut Found) {
    let slow = format!("POST /login HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: 100\r\n\r\nto");
    let crowd: Vec<TcpStream> = (0..count)
        .filter_map(|number| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
            let sent = if number % 2 == 0 { slow.as_str() } else { "GET /healthz HTTP/1.1\r\nHost: loc" };
            stream.write_all(sent.as_bytes()).ok()?;
            Some(stream)
        })
        .collect();
    let within = Duration::from_secs(5);
    let host = format!("localhost:{port}");
    let entered = send_within(port, "POST", "/login", &[("Host", &host)], &format!("token={token}"), within);
    found.check(entered.status == 303, || format!("{} strangers keep the owner out: {entered:?}", crowd.len()));
    let asked = post(port, token, "app", "/v1/recall", &json!({"query": "billing"}));
    found.check(asked.status == 200, || format!("{} strangers stop the daemon: {asked:?}", crowd.len()));
    let large = format!("token={}", "x".repeat(1 << 24));
    let refused = send_within(port, "POST", "/login", &[("Host", &host)], &large, within);
    found.check(matches!(refused.status, 0 | 413), || format!("16 MB of a stranger were read: {refused:?}"));
    let question = json!({"query": "billing ".repeat(30 << 17)});
    let asked = post(port, token, "app", "/v1/recall", &question);
    found
        .check(matches!(asked.status, 0 | 400 | 413), || format!("a question of 30 MB was answered: {}", asked.status));
}
