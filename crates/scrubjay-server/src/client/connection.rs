//! One request over the socket, within a deadline.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use scrubjay_engine::home::Home;
use scrubjay_engine::sources::{Clock, SystemClock};

use crate::auth::read_token;
use crate::daemon_files::DaemonFiles;

/// An answer larger than this is none that we asked for.
const MAX_ANSWER: usize = 256 << 20;

/// Why there was no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Away {
    /// Nobody listens.
    Absent,
    /// Somebody listens and does not answer in time.
    Hung,
    /// What came back is no answer.
    Broken(String),
}

/// What to ask.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The method.
    pub method: &'a str,
    /// The path.
    pub path: &'a str,
    /// Further headers.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; JSON.
    pub body: &'a [u8],
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonReply {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// The way to a home's daemon. Making one asks nobody.
#[derive(Clone)]
pub struct Connection {
    socket: PathBuf,
    token: String,
    clock: Arc<dyn Clock>,
}

impl Connection {
    /// The way to this home's daemon; none if there is no socket or no token, or
    /// if someone else could have put the socket there.
    #[must_use]
    pub fn to(home: &Path) -> Option<Self> {
        let place = DaemonFiles::of(home);
        let is_ours = place.socket.exists() && place.socket_is_ours() && Home::check_ownership(home).is_ok();
        if !is_ours {
            return None;
        }
        let token = read_token(&place.token).ok().filter(|token| !token.is_empty())?;
        Some(Self { socket: place.socket, token, clock: Arc::new(SystemClock::default()) })
    }

    /// Whether the daemon answers within this time.
    #[must_use]
    pub fn lives(&self, within: Duration) -> bool {
        let request = Request { method: "GET", path: "/healthz", headers: &[], body: b"" };
        // A daemon whose store is in trouble says so with 500, and lives.
        self.ask(request, within).is_ok_and(|answer| matches!(answer.status, 200 | 500))
    }

    /// Asks, and gives up when the time is over.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn ask(&self, request: Request<'_>, within: Duration) -> Result<DaemonReply, Away> {
        let until = self.clock.elapsed() + within;
        let mut stream = self.connect()?;
        let mut head = format!(
            "{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {}\r\n",
            request.method, request.path, self.token
        );
        if !request.body.is_empty() {
            head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n", request.body.len()));
        } else if request.method == "POST" {
            head.push_str("Content-Length: 0\r\n");
        }
        for (name, value) in request.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(request.body);
        self.send(&mut stream, &bytes, until)?;
        self.receive(&mut stream, until)
    }

    // A socket whose queue is full would keep us waiting, so we do not wait.
    fn connect(&self) -> Result<UnixStream, Away> {
        let broken = |error: rustix::io::Errno| Away::Broken(error.to_string());
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(broken)?;
        let address = SocketAddrUnix::new(&self.socket).map_err(broken)?;
        match connect(&socket, &address) {
            Ok(()) => {}
            Err(rustix::io::Errno::CONNREFUSED | rustix::io::Errno::NOENT) => return Err(Away::Absent),
            Err(rustix::io::Errno::AGAIN) => return Err(Away::Hung),
            Err(error) => return Err(broken(error)),
        }
        let stream = UnixStream::from(socket);
        stream.set_nonblocking(false).map_err(|error| Away::Broken(error.to_string()))?;
        Ok(stream)
    }

    fn left(&self, until: Duration) -> Result<Duration, Away> {
        let left = until.saturating_sub(self.clock.elapsed());
        if left.is_zero() { Err(Away::Hung) } else { Ok(left) }
    }

    fn send(&self, stream: &mut UnixStream, mut bytes: &[u8], until: Duration) -> Result<(), Away> {
        while !bytes.is_empty() {
            stream.set_write_timeout(Some(self.left(until)?)).map_err(failed)?;
            match stream.write(bytes) {
                Ok(0) => return Err(Away::Broken("the daemon closed the connection".to_owned())),
                Ok(sent) => bytes = &bytes[sent..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(())
    }

    fn receive(&self, stream: &mut UnixStream, until: Duration) -> Result<DaemonReply, Away> {
        let mut received = Vec::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            if let Some(answer) = parse(&received)? {
                return Ok(answer);
            }
            stream.set_read_timeout(Some(self.left(until)?)).map_err(failed)?;
            match stream.read(&mut buffer) {
                Ok(0) => return Err(Away::Broken("the daemon broke off its answer".to_owned())),
                Ok(count) => received.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
            if received.len() > MAX_ANSWER {
                return Err(Away::Broken("the answer is too large".to_owned()));
            }
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "so that it can stand in a map_err")]
fn failed(error: std::io::Error) -> Away {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Away::Hung,
        _ => Away::Broken(error.to_string()),
    }
}

// A whole answer; none if some of it is still to come. Ours always say how long
// they are.
fn parse(received: &[u8]) -> Result<Option<DaemonReply>, Away> {
    let broken = |what: &str| Away::Broken(format!("what answers is no daemon of ours: {what}"));
    let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else {
        let is_http = received.iter().zip(b"HTTP/1.1 ").all(|(a, b)| a == b);
        let fits = is_http && received.len() < 64 << 10;
        return if fits { Ok(None) } else { Err(broken("no HTTP")) };
    };
    let head = std::str::from_utf8(&received[..end]).map_err(|_| broken("no text"))?;
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")).and_then(|rest| rest.get(..3));
    let status: u16 = status.and_then(|text| text.parse().ok()).ok_or_else(|| broken("no status"))?;
    let length = lines
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse::<usize>().ok())
        .ok_or_else(|| broken("no length"))?;
    let body = &received[end + 4..];
    match body.len().cmp(&length) {
        std::cmp::Ordering::Less => Ok(None),
        std::cmp::Ordering::Equal => Ok(Some(DaemonReply { status, body: body.to_vec() })),
        std::cmp::Ordering::Greater => Err(broken("too much")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_whole_or_not_at_all() {
        let whole = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        for cut in 0..whole.len() {
            assert_eq!(parse(&whole[..cut]), Ok(None), "{cut}");
        }
        assert_eq!(parse(whole), Ok(Some(DaemonReply { status: 200, body: b"ok".to_vec() })));
        for bad in [
            "nonsense",
            "HTTP/1.1 2x0 OK\r\ncontent-length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nok",
        ] {
            assert!(matches!(parse(bad.as_bytes()), Err(Away::Broken(_))), "{bad}");
        }
    }
}
