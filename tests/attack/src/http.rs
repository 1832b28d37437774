//! Plain HTTP, sent as it is told.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// An answer; status 0 if there was none.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// How long an answer may take; a stream that does not end is cut off after it.
const PATIENCE: Duration = Duration::from_secs(30);

/// Sends a request with these headers and gives what came back.
pub(crate) fn send(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    send_within(port, method, path, headers, body, PATIENCE)
}

/// The same, giving up after a while.
pub(crate) fn send_within(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
    patience: Duration,
) -> Answer {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return Answer::default() };
    stream.set_read_timeout(Some(patience)).unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
    let mut bytes = Vec::new();
    // A refused body may end in a reset after the answer, an endless answer in our giving up.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, body: body.to_owned() }
}

/// Sends JSON with a token, standing in a project.
pub(crate) fn post(port: u16, token: &str, project: &str, path: &str, body: &Value) -> Answer {
    let (host, bearer) = (format!("localhost:{port}"), format!("Bearer {token}"));
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &bearer),
        ("Content-Type", "application/json"),
        ("Scrubjay-Project", project),
    ];
    send(port, "POST", path, &headers, &body.to_string())
}
