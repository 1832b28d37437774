//! Requests and answers on the wire, HTTP/1.1.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// No request of ours is larger.
const LARGEST_BYTES: usize = 64 << 20;

/// A request as it came in.
#[derive(Debug, Clone)]
pub struct Seen {
    /// `GET`, `POST`, …
    pub method: String,
    /// The path without parameters.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Seen {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

impl Response {
    pub(super) fn json(status: u16, value: &Value) -> Self {
        // A vector may hold a mark for what JSON has no word for.
        let body = value.to_string().replace("\"NaN\"", "NaN").into_bytes();
        Self { status, headers: vec![("content-type", "application/json".to_owned())], body }
    }

    pub(super) fn bytes(body: Vec<u8>) -> Self {
        Self { status: 200, headers: vec![("content-type", "application/octet-stream".to_owned())], body }
    }

    /// The first line and the headers, with a given length.
    pub(super) fn head(&self, length: Option<usize>) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} x\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        match length {
            Some(length) => head.push_str(&format!("content-length: {length}\r\n\r\n")),
            None => head.push_str("connection: close\r\n\r\n"),
        }
        head.into_bytes()
    }

    pub(super) fn write(&self, stream: &mut TcpStream) -> io::Result<()> {
        let mut bytes = self.head(Some(self.body.len()));
        bytes.extend_from_slice(&self.body);
        stream.write_all(&bytes)
    }
}

/// Reads requests off a connection.
pub(super) struct Reader {
    buffer: Vec<u8>,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self { buffer: Vec::new() }
    }

    /// The next request; none at the end of the connection, or when `stopped` says so while nothing comes.
    pub(super) fn next(&mut self, stream: &mut TcpStream, stopped: &dyn Fn() -> bool) -> io::Result<Option<Seen>> {
        let end = loop {
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end;
            }
            if !self.fill(stream, stopped)? {
                return Ok(None);
            }
        };
        let head = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
        self.buffer.drain(..end + 4);
        let mut lines = head.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let method = first.next().unwrap_or_default().to_owned();
        let target = first.next().unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default().to_owned();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let header = |name: &str| headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str());
        if header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let body = if header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
            self.chunked(stream, stopped)?
        } else {
            let length = header("content-length").and_then(|value| value.parse().ok()).unwrap_or(0);
            self.take(length, stream, stopped)?
        };
        Ok(Some(Seen { method, path, headers, body }))
    }

    fn chunked(&mut self, stream: &mut TcpStream, stopped: &dyn Fn() -> bool) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let end = loop {
                if let Some(end) = find(&self.buffer, b"\r\n") {
                    break end;
                }
                if !self.fill(stream, stopped)? {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            };
            let size = String::from_utf8_lossy(&self.buffer[..end]).into_owned();
            self.buffer.drain(..end + 2);
            let size = size.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            let part = self.take(size + 2, stream, stopped)?;
            if size == 0 {
                return Ok(body);
            }
            body.extend_from_slice(&part[..size]);
        }
    }

    fn take(&mut self, length: usize, stream: &mut TcpStream, stopped: &dyn Fn() -> bool) -> io::Result<Vec<u8>> {
        if length > LARGEST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        while self.buffer.len() < length {
            if !self.fill(stream, stopped)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(self.buffer.drain(..length).collect())
    }

    // False at the end.
    fn fill(&mut self, stream: &mut TcpStream, stopped: &dyn Fn() -> bool) -> io::Result<bool> {
        let mut part = [0; 16 << 10];
        loop {
            match stream.read(&mut part) {
                Ok(0) => return Ok(false),
                Ok(count) => {
                    self.buffer.extend_from_slice(&part[..count]);
                    return Ok(true);
                }
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if stopped() {
                        return Ok(false);
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}
