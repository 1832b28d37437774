//! The dashboard's files, and the link that signs a browser in.

use scrubjay_server::http::routes;
use serde_json::json;

use crate::harness::{Answer, Daemon};

fn ask_for_link(daemon: &Daemon, token: &str) -> String {
    let made = daemon.post_as(token, "/login/link", &json!({}), &[]);
    assert_eq!(made.status, 200, "{made:?}");
    assert!(!made.body.contains(token), "{made:?}");
    made.json()["path"].as_str().unwrap().to_owned()
}

// As a browser follows it from a file of the user's.
fn follow(daemon: &Daemon, path: &str, more: &[(&str, &str)]) -> Answer {
    let host = format!("localhost:{}", daemon.port);
    let mut headers = vec![
        ("Host", host.as_str()),
        ("Accept", "text/html"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Mode", "navigate"),
        ("Sec-Fetch-Dest", "document"),
    ];
    headers.extend(more);
    daemon.send("GET", path, &headers, "")
}

fn cookie(answer: &Answer) -> Option<String> {
    let cookie = answer.headers.lines().find_map(|line| line.strip_prefix("set-cookie: "))?;
    assert!(cookie.contains("httponly") && cookie.contains("samesite=strict"), "{cookie}");
    Some(cookie.split(';').next().unwrap().to_owned())
}

fn with(daemon: &Daemon, cookie: &str, method: &str, path: &str, body: &str) -> Answer {
    let host = format!("localhost:{}", daemon.port);
    let headers = [("Host", host.as_str()), ("Cookie", cookie), ("Content-Type", "application/json")];
    daemon.send(method, path, &headers, body)
}

#[test]
fn a_link_signs_in_once_and_is_worth_its_token() {
    let daemon = Daemon::start();
    let path = ask_for_link(&daemon, &daemon.token);
    // A guess of the browser, and a picture or a script in another page, do not use it up.
    assert_eq!(cookie(&follow(&daemon, &path, &[("Sec-Purpose", "prefetch;prerender")])), None);
    let host = format!("localhost:{}", daemon.port);
    let picture = [("Host", host.as_str()), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")];
    assert_eq!(daemon.send("GET", &path, &picture, "").status, 403);
    let entered = follow(&daemon, &format!("{path}&project=app"), &[]);
    assert!(entered.status == 200 && entered.body.contains("url=/#/?p=app\""), "{entered:?}");
    let owner = cookie(&entered).unwrap();
    assert_eq!(with(&daemon, &owner, "GET", "/v1/status", "").status, 200);
    for _ in 0..2 {
        let again = follow(&daemon, &path, &[]);
        assert!(again.status == 401 && cookie(&again).is_none(), "{again:?}");
    }
    // The file that `scrubjay open` writes sends a form, whose origin a browser does not tell.
    let (path, key) = (ask_for_link(&daemon, &daemon.token), "key=");
    let form = format!("{key}{}&project=app", path.split_once(key).unwrap().1);
    let origin = [("Host", host.as_str()), ("Origin", "null")];
    assert_eq!(daemon.send("POST", "/enter", &origin, &form).status, 403, "not as a page of its own");
    let navigation = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")];
    let headers = [&origin[..], &navigation[..]].concat();
    let entered = daemon.send("POST", "/enter", &headers, &form);
    assert!(cookie(&entered).is_some() && entered.body.contains("url=/#/?p=app\""), "{entered:?}");
    assert_eq!(daemon.send("POST", "/enter", &headers, &form).status, 401);
    assert_eq!(daemon.send("POST", "/login", &headers, &format!("token={}", daemon.token)).status, 403);
    // The place to go to is a project's name or nothing.
    let path = ask_for_link(&daemon, &daemon.token);
    let odd = follow(&daemon, &format!("{path}&project=\"><script>"), &[]);
    assert!(!odd.body.contains("script"), "{odd:?}");

    let token = daemon.part(Some("app"), true);
    let path = ask_for_link(&daemon, &token);
    let looking = cookie(&follow(&daemon, &path, &[])).unwrap();
    assert_eq!(with(&daemon, &looking, "POST", "/v1/stats", "{}").status, 200);
    assert_eq!(with(&daemon, &looking, "POST", "/v1/remember", "{\"content\":\"x\"}").status, 403);
    let unused = ask_for_link(&daemon, &token);
    daemon.revoke("test");
    assert_eq!(with(&daemon, &looking, "POST", "/v1/stats", "{}").status, 401);
    assert_eq!(follow(&daemon, &unused, &[]).status, 401);
}

#[test]
fn files_are_kept_by_the_browser_and_come_from_nowhere_else() {
    let daemon = Daemon::start();
    let files: Vec<String> = routes()
        .into_iter()
        .map(|route| route.path)
        .filter(|path| path.starts_with("/web/") && !path.ends_with(".json"))
        .collect();
    assert!(files.len() > 20, "{files:?}");
    for path in files.iter().map(String::as_str).chain(["/"]) {
        let answer = daemon.get(path);
        assert_eq!(answer.status, 200, "{path}");
        let header = |name: &str| answer.headers.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        let policy = header("content-security-policy: ");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(header("cache-control: "), "private, no-cache");
        if !path.contains("/vendor/") {
            assert!(!answer.body.contains("https://") && !answer.body.contains("innerHTML"), "{path}");
        }
        let (bearer, host, tag) =
            (format!("Bearer {}", daemon.token), format!("localhost:{}", daemon.port), header("etag: "));
        let known = [("Host", host.as_str()), ("Authorization", bearer.as_str()), ("If-None-Match", tag.as_str())];
        let again = daemon.send("GET", path, &known, "");
        assert!(again.status == 304 && again.body.is_empty(), "{path}: {again:?}");
    }
}
