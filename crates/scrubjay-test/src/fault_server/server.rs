//! Listening, answering, failing.

use std::io::{self, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::batch::Fate;
use super::dialect::DIALECTS;
use super::fault::Fault;
use super::openai;
use super::state::{State, lock};
use super::wire::{Reader, Response, Seen};

/// How often a connection that waits looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// However huge a body is, it ends somewhere.
const HUGE_BYTES: usize = 400 << 20;

/// A server that speaks the providers' protocols. Ends when it is dropped.
pub struct FaultServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

struct Shared {
    state: State,
    stopped: AtomicBool,
    /// Whether the door is to be shut, and whether it is.
    door: Mutex<(bool, bool)>,
    moved: Condvar,
}

impl FaultServer {
    /// Listens on a free port.
    ///
    /// # Errors
    /// When there is none.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            state: State::default(),
            stopped: AtomicBool::new(false),
            door: Mutex::new((false, false)),
            moved: Condvar::new(),
        });
        let listening = {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || listen(listener, address, &shared))
        };
        Ok(Self { address, shared, listening: Some(listening) })
    }

    /// Where it listens, for instance `http://127.0.0.1:40123`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Fails from now on.
    pub fn always(&self, fault: Fault) {
        self.shut(fault == Fault::Refuse);
        self.shared.state.set_always(Some(fault));
    }

    /// Behaves from now on.
    pub fn well(&self) {
        self.shared.state.set_always(None);
        self.shut(false);
    }

    /// Fails at the next requests, one fault each; none for an answer as it should be.
    pub fn next(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.shared.state.plan(faults);
    }

    /// What the chat models answer to a question; where it gives none, they answer as they do by themselves.
    pub fn reply_with(&self, reply: impl Fn(&str) -> Option<String> + Send + Sync + 'static) {
        *lock(&self.shared.state.reply) = Some(Box::new(reply));
    }

    /// What becomes of batches.
    pub fn batches_are(&self, fate: Fate) {
        lock(&self.shared.state.batches).fate = fate;
    }

    /// How many batches were submitted.
    #[must_use]
    pub fn batches(&self) -> usize {
        lock(&self.shared.state.batches).batches.len()
    }

    /// Everything it was asked, in order.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.state.seen).clone()
    }

    /// Forgets what it was asked, and says how much that was.
    #[must_use]
    pub fn forget(&self) -> usize {
        std::mem::take(&mut *lock(&self.shared.state.seen)).len()
    }

    /// How much of a huge body was taken.
    #[must_use]
    pub fn sent_bytes(&self) -> u64 {
        *lock(&self.shared.state.sent_bytes)
    }

    // Shuts the door or opens it, and waits until it is.
    fn shut(&self, wanted: bool) {
        let mut door = lock(&self.shared.door);
        if door.0 == wanted {
            return;
        }
        door.0 = wanted;
        self.shared.moved.notify_all();
        // Whoever waits for a guest does not see the door.
        drop(TcpStream::connect(self.address));
        while door.1 != wanted {
            let waited = self.shared.moved.wait_timeout(door, LOOK);
            door = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        self.shared.moved.notify_all();
        drop(TcpStream::connect(self.address));
        if let Some(listening) = self.listening.take() {
            drop(listening.join());
        }
    }
}

fn listen(listener: TcpListener, address: SocketAddr, shared: &Arc<Shared>) {
    let mut listener = Some(listener);
    while !shared.stopped.load(Ordering::SeqCst) {
        let mut door = lock(&shared.door);
        if door.0 {
            listener = None;
        } else if listener.is_none() {
            // Someone else may have the port for a moment.
            listener = TcpListener::bind(address).ok();
        }
        let is_shut = listener.is_none();
        if door.1 != is_shut {
            door.1 = is_shut;
            shared.moved.notify_all();
        }
        let Some(open) = &listener else {
            let waited = shared.moved.wait_timeout(door, LOOK);
            drop(waited);
            continue;
        };
        drop(door);
        let Ok((stream, _)) = open.accept() else { continue };
        let shared = Arc::clone(shared);
        std::thread::spawn(move || drop(converse(stream, &shared)));
    }
}

fn converse(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(LOOK))?;
    stream.set_nodelay(true)?;
    let stopped = || shared.stopped.load(Ordering::SeqCst) || lock(&shared.door).0;
    let mut reader = Reader::new();
    while let Some(seen) = reader.next(&mut stream, &stopped)? {
        if stopped() {
            return Ok(());
        }
        lock(&shared.state.seen).push(seen.clone());
        let fault = shared.state.fault();
        if !respond(&mut stream, shared, &seen, fault)? {
            return stream.shutdown(Shutdown::Both);
        }
    }
    Ok(())
}

// False if the connection is over.
fn respond(stream: &mut TcpStream, shared: &Shared, seen: &Seen, fault: Option<Fault>) -> io::Result<bool> {
    let stopped = || shared.stopped.load(Ordering::SeqCst);
    match fault {
        Some(Fault::Refuse) => return Ok(false),
        Some(Fault::Hang) => {
            // Until the other side goes, or everything does.
            let mut rest = Reader::new();
            while rest.next(stream, &stopped)?.is_some() {}
            return Ok(false);
        }
        Some(Fault::Slow(wait)) => pause(wait),
        Some(Fault::RateLimited(seconds)) => {
            let mut response = failure(seen, 429, "Rate limit reached. Please try again later.");
            response.headers.push(("retry-after", seconds.to_string()));
            response.write(stream)?;
            return Ok(true);
        }
        Some(Fault::ServerError) => {
            failure(seen, 500, "The server had an error while processing your request.").write(stream)?;
            return Ok(true);
        }
        Some(Fault::Unauthorized) => {
            // Some vendors say the key again, if there was one.
            let keyed = seen.headers.iter().find(|(_, value)| value.ends_with(super::state::KEY));
            let key = keyed.map_or("none", |(_, value)| value.as_str());
            failure(seen, 401, &format!("Incorrect API key provided: {key}.")).write(stream)?;
            return Ok(true);
        }
        Some(Fault::BadRequest) => {
            failure(seen, 400, "This text cannot be processed.").write(stream)?;
            return Ok(true);
        }
        Some(Fault::Redirect) => {
            let to = format!("http://{}/elsewhere", seen.header("host").unwrap_or_default());
            Response { status: 307, headers: vec![("location", to)], body: Vec::new() }.write(stream)?;
            return Ok(true);
        }
        Some(Fault::Garbage) => {
            Response::bytes(b"\x00\xff<html>not what was asked for".to_vec()).write(stream)?;
            return Ok(true);
        }
        Some(Fault::HugeBody) => return huge(stream, shared),
        _ => {}
    }
    let state = &shared.state;
    let answer = DIALECTS
        .iter()
        .find_map(|dialect| (dialect.answer)(state, seen, fault))
        .unwrap_or_else(|| openai::error(404, "invalid_request_error", "Unknown request URL."));
    match fault {
        Some(Fault::ResetMidBody | Fault::Truncated) => {
            stream.write_all(&answer.head(Some(answer.body.len())))?;
            stream.write_all(&answer.body[..answer.body.len() / 2])?;
            stream.flush()?;
            if fault == Some(Fault::ResetMidBody) {
                rustix::net::sockopt::set_socket_linger(&*stream, Some(Duration::ZERO))?;
            }
            Ok(false)
        }
        _ => {
            answer.write(stream)?;
            Ok(true)
        }
    }
}

// As the vendor whose protocol it is would put it.
fn failure(seen: &Seen, status: u16, message: &str) -> Response {
    let spoken = DIALECTS.iter().find(|dialect| (dialect.is_spoken)(&seen.path)).unwrap_or(&openai::DIALECT);
    (spoken.failure)(status, message)
}

fn huge(stream: &mut TcpStream, shared: &Shared) -> io::Result<bool> {
    let response = Response::bytes(Vec::new());
    stream.write_all(&response.head(None))?;
    let part = vec![b'['; 64 << 10];
    for _ in 0..HUGE_BYTES / part.len() {
        stream.write_all(&part)?;
        *lock(&shared.state.sent_bytes) += part.len() as u64;
    }
    Ok(false)
}

#[expect(clippy::disallowed_methods, reason = "the server is slow on purpose, on a thread of its own")]
fn pause(wait: Duration) {
    std::thread::sleep(wait);
}
