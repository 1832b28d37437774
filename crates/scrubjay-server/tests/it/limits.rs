//! Those who take too much room or time: half a request, a slow one, a large one,
//! many of them, wrong tokens without end.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::Duration;

use scrubjay_server::http::Patience;
use serde_json::json;

use crate::harness::{Daemon, Wanted};

const NEVER: Duration = Duration::from_secs(86_400);
const SOON: Duration = Duration::from_millis(50);

fn patient(patience: Patience) -> Daemon {
    Daemon::with(Wanted { patience, ..Wanted::default() })
}

// What came back until the daemon closed the connection.
fn rest(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("the connection is still open: {error}"),
        _ => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

fn login(daemon: &Daemon, token: &str) -> u16 {
    let host = format!("localhost:{}", daemon.port);
    daemon.send("POST", "/login", &[("Host", &host)], &format!("token={token}")).status
}

#[test]
fn half_a_head_is_given_up_on_every_door() {
    let daemon = patient(Patience { head: SOON, ..Patience::default() });
    for sent in ["", "GET /healthz HTT", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"] {
        rest(daemon.begin(sent));
    }
    let mut socket = std::os::unix::net::UnixStream::connect(daemon.home.join("daemon.sock")).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(daemon.get("/healthz").status, 200);
}

#[test]
fn half_a_body_is_given_up() {
    let daemon = patient(Patience { stranger_body: SOON, body: SOON, ..Patience::default() });
    let head = format!("Host: localhost:{}\r\nContent-Length: 100\r\n", daemon.port);
    let stranger = rest(daemon.begin(&format!("POST /login HTTP/1.1\r\n{head}\r\nto")));
    assert!(stranger.starts_with("HTTP/1.1 503"), "{stranger}");
    let known = format!("{head}Authorization: Bearer {}\r\nContent-Type: application/json\r\n", daemon.token);
    let known = rest(daemon.begin(&format!("POST /v1/remember HTTP/1.1\r\n{known}\r\n{{")));
    assert!(known.starts_with("HTTP/1.1 503"), "{known}");
}

#[test]
fn a_strangers_body_is_small_and_a_large_one_is_not_read() {
    let daemon = patient(Patience { stranger_body: NEVER, ..Patience::default() });
    let host = format!("Host: localhost:{}\r\n", daemon.port);
    // It says itself how large it is, and nothing of it was sent.
    let announced = rest(daemon.begin(&format!("POST /login HTTP/1.1\r\n{host}Content-Length: 16777216\r\n\r\n")));
    assert!(announced.starts_with("HTTP/1.1 413"), "{announced}");
    assert!(announced.contains("4096"), "{announced}");
    let chunk = format!("1001\r\n{}\r\n", "x".repeat(0x1001));
    let head = format!("POST /login HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n");
    let chunked = rest(daemon.begin(&format!("{head}{chunk}")));
    assert!(chunked.starts_with("HTTP/1.1 413"), "{chunked}");
    // Whoever is turned away is not listened to either.
    for path in ["/v1/remember", "/mcp", "/nothing"] {
        let away = rest(daemon.begin(&format!("POST {path} HTTP/1.1\r\n{host}Content-Length: 16777216\r\n\r\n")));
        assert!(away.starts_with("HTTP/1.1 401"), "{away}");
    }
    assert_eq!(login(&daemon, &daemon.token), 303);
}

#[test]
fn a_crowd_of_strangers_keeps_nobody_out() {
    let patience = Patience { head: NEVER, stranger_body: NEVER, ..Patience::default() };
    let daemon =
        Daemon::with(Wanted { settings: vec![("daemon.max_requests", "4".to_owned())], patience, ..Wanted::default() });
    let slow = format!("POST /login HTTP/1.1\r\nHost: localhost:{}\r\nContent-Length: 100\r\n\r\nto", daemon.port);
    let half = "GET /healthz HTTP/1.1\r\nHost: loc";
    let crowd: Vec<TcpStream> = (0..300).map(|number| daemon.begin([slow.as_str(), half][number % 2])).collect();
    assert_eq!(login(&daemon, &daemon.token), 303, "the page lets its owner in");
    assert_eq!(daemon.post("/v1/remember", &json!({"content": "Ada owns billing"})).status, 200);
    // Those who waited longest had to go.
    let mut gone = crowd.into_iter();
    for _ in 0..200 {
        assert_eq!(rest(gone.next().unwrap()), "");
    }
}

#[test]
fn wrong_tokens_wait_and_right_ones_do_not() {
    let daemon = patient(Patience { slow_down: NEVER, ..Patience::default() });
    let host = format!("Host: localhost:{}\r\n", daemon.port);
    for _ in 0..5 {
        assert_eq!(login(&daemon, "mistyped"), 401, "a person who mistypes is told at once");
    }
    let guess = format!("POST /login HTTP/1.1\r\n{host}Content-Length: 11\r\n\r\ntoken=guess");
    let bearer = format!("GET /v1/status HTTP/1.1\r\n{host}Authorization: Bearer guess\r\n\r\n");
    let mut guesses: Vec<TcpStream> = [&guess, &bearer].map(|sent| daemon.begin(sent)).into();
    for _ in 0..3 {
        assert_eq!(login(&daemon, &daemon.token), 303, "the owner is never slowed down");
        assert_eq!(daemon.get("/v1/status").status, 200);
    }
    for guess in &mut guesses {
        guess.set_nonblocking(true).unwrap();
        let waiting = guess.read(&mut [0; 1]).unwrap_err();
        assert_eq!(waiting.kind(), ErrorKind::WouldBlock, "no answer yet");
    }
    // The socket is the user's own.
    let connection = scrubjay_server::client::Connection::to(&daemon.home).unwrap();
    assert!(connection.lives(Duration::from_secs(60)));
}

#[test]
fn a_question_of_megabytes_is_refused_with_its_limit() {
    let daemon = Daemon::start();
    daemon.remember("app", "Ada owns billing");
    let answer = daemon.post("/v1/recall", &json!({"query": "billing ".repeat(1 << 20)}));
    assert_eq!(answer.status, 400, "{}", answer.headers);
    assert!(answer.body.contains("65536") && answer.body.len() < 1000, "{}", answer.body.len());
}
