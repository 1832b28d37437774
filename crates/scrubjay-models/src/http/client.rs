//! Calls to one provider.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request};
use tokio::sync::Semaphore;
use tokio_rustls::TlsConnector;

use super::address::Address;
use super::breaker::{Breaker, Permit};
use super::connection::{Broken, Connection, Reply};
use super::error::{Blame, CallError};
use super::failure::{retry_after, said};
use super::outside::Outside;
use super::secret::Secret;
use super::tls::connector;

/// Idle connections that are kept.
const IDLE: usize = 4;

/// How patient a client is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// How long one try may take, connection and answer included.
    pub timeout: Duration,
    /// How often a call is tried.
    pub tries: u32,
    /// The wait before the second try; it doubles, and a random part of it is left out.
    pub backoff: Duration,
    /// A provider that wants a longer wait than this fails the call.
    pub longest_wait: Duration,
    /// The largest answer.
    pub limit_bytes: usize,
    /// Calls at the same time; others wait.
    pub at_once: usize,
}

impl Policy {
    /// For a provider elsewhere: 60 seconds.
    pub const REMOTE: Self = Self {
        timeout: Duration::from_secs(60),
        tries: 3,
        backoff: Duration::from_millis(500),
        longest_wait: Duration::from_secs(20),
        limit_bytes: 64 << 20,
        at_once: 4,
    };

    /// For a provider on this machine, which may have to load a model first: 5 minutes, one call at a time.
    pub const LOCAL: Self = Self { timeout: Duration::from_secs(300), at_once: 2, ..Self::REMOTE };
}

/// Where a client calls, and as whom.
pub struct Endpoint {
    /// The provider's name, for errors.
    pub provider: String,
    /// The beginning of its addresses.
    pub address: Address,
    /// The header that carries the key, what stands before the key in it, and the key.
    pub key: Option<(&'static str, &'static str, Secret)>,
    /// Other headers.
    pub headers: Vec<(&'static str, String)>,
}

/// A request, apart from where it goes. Its body is nobody's business, so that it cannot be shown.
#[derive(Clone)]
pub struct Call {
    method: Method,
    path: String,
    content_type: Option<String>,
    body: Bytes,
    once: bool,
}

impl Call {
    /// A question without a body.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Self {
        Self { method: Method::GET, path: path.into(), content_type: None, body: Bytes::new(), once: false }
    }

    /// A request with a JSON body.
    #[must_use]
    pub fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        Self::with_body(path, "application/json".to_owned(), body.to_string().into_bytes())
    }

    /// A request with any body.
    #[must_use]
    pub fn with_body(path: impl Into<String>, content_type: String, body: Vec<u8>) -> Self {
        let content_type = Some(content_type);
        Self { method: Method::POST, path: path.into(), content_type, body: body.into(), once: false }
    }

    /// The same, never sent twice: what happened is not known if it fails.
    #[must_use]
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }
}

/// Calls one provider. Shared by everyone who does.
pub struct HttpClient {
    place: Endpoint,
    policy: Policy,
    breaker: Arc<Breaker>,
    outside: Arc<dyn Outside>,
    tls: Option<TlsConnector>,
    idle: Mutex<Vec<Connection>>,
    slots: Semaphore,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "HttpClient({} at {})", self.place.provider, self.place.address)
    }
}

impl HttpClient {
    /// A client for a place. `authorities` names a file of certificates that are trusted besides the usual ones.
    ///
    /// # Errors
    /// When that file cannot be used.
    pub fn new(
        place: Endpoint,
        policy: Policy,
        breaker: Arc<Breaker>,
        outside: Arc<dyn Outside>,
        authorities: Option<&Path>,
    ) -> Result<Self, CallError> {
        let tls = if place.address.tls { Some(connector(authorities)) } else { None };
        let tls = tls.transpose().map_err(|what| CallError::Setup { provider: place.provider.clone(), what })?;
        let slots = Semaphore::new(policy.at_once.max(1));
        Ok(Self { place, policy, breaker, outside, tls, idle: Mutex::default(), slots })
    }

    /// The provider's name.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.place.provider
    }

    /// How it does.
    #[must_use]
    pub fn breaker(&self) -> &Arc<Breaker> {
        &self.breaker
    }

    /// How patient it is.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Makes a call and reads its answer. An answer that `read` refuses is a failure of the provider like any other.
    ///
    /// # Errors
    /// When the provider cannot be reached, fails, says no, or answers with something that cannot be read.
    pub async fn call<Output>(
        &self,
        call: &Call,
        read: impl Fn(&[u8]) -> Result<Output, String>,
    ) -> Result<Output, CallError> {
        // Waiting for a slot never fails: the semaphore is not closed as long as the client lives.
        let _slot = self.slots.acquire().await;
        let permit = self.breaker.permit(self.outside.now_ms());
        let permit =
            permit.map_err(|retry_in| CallError::Resting { provider: self.provider().to_owned(), retry_in })?;
        let tries = if call.once || permit == Permit::Probe { 1 } else { self.policy.tries.max(1) };
        let result = self.tried(call, tries).await.and_then(|body| {
            read(&body).map_err(|what| CallError::Garbled { provider: self.provider().to_owned(), what })
        });
        match &result {
            // What it says about one request says nothing about the next.
            Err(error) if error.blame() != Blame::Request => {
                self.breaker.failed(self.outside.now_ms(), error.retry_after());
            }
            _ => self.breaker.succeeded(),
        }
        result
    }

    async fn tried(&self, call: &Call, tries: u32) -> Result<Vec<u8>, CallError> {
        let mut attempt = 1;
        loop {
            let error = match self.attempt(call).await {
                Ok(body) => return Ok(body),
                Err(error) => error,
            };
            if attempt >= tries || !error.is_worth_another_try() {
                return Err(error);
            }
            let wait = self.wait(attempt, error.retry_after());
            if wait > self.policy.longest_wait {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            attempt += 1;
        }
    }

    // Twice as long each time, and a random half of it, so that many callers do not come back at the same moment.
    fn wait(&self, attempt: u32, wanted: Option<Duration>) -> Duration {
        let longest = self.policy.backoff.saturating_mul(1 << attempt.min(16).saturating_sub(1));
        let share = (self.outside.random() >> 11) as f64 / (1_u64 << 53) as f64;
        let own = longest.mul_f64(0.5 + share / 2.0);
        wanted.map_or(own, |wanted| wanted.saturating_add(own / 4))
    }

    async fn attempt(&self, call: &Call) -> Result<Vec<u8>, CallError> {
        let timeout = self.policy.timeout;
        let timed_out = || CallError::TimedOut { provider: self.provider().to_owned(), after: timeout };
        let exchanged = tokio::time::timeout(timeout, self.exchange(call)).await.map_err(|_| timed_out())?;
        let reply = exchanged.map_err(|broken| self.described(broken))?;
        if (200..300).contains(&reply.status) {
            return Ok(reply.body);
        }
        let key = self.place.key.as_ref().map(|(_, _, key)| key);
        Err(CallError::Status {
            provider: self.provider().to_owned(),
            status: reply.status,
            message: said(&reply.body, key),
            retry_after: retry_after(&reply, self.outside.now_ms()),
        })
    }

    async fn exchange(&self, call: &Call) -> Result<Reply, Broken> {
        // A connection that was kept may have been closed by the other side meanwhile. What must not be sent twice
        // is not sent on one.
        if !call.once
            && let Some(mut kept) = self.take_idle()
        {
            match kept.send(self.request(call)?, self.policy.limit_bytes).await {
                Ok(reply) => {
                    self.keep(kept);
                    return Ok(reply);
                }
                Err(Broken::TooLarge) => return Err(Broken::TooLarge),
                Err(_) => {}
            }
        }
        let mut connection = Connection::open(&self.place.address, self.tls.as_ref()).await?;
        let reply = connection.send(self.request(call)?, self.policy.limit_bytes).await?;
        self.keep(connection);
        Ok(reply)
    }

    fn request(&self, call: &Call) -> Result<Request<Full<Bytes>>, Broken> {
        let unsendable = |error: hyper::http::Error| Broken::NotConnected(error.into());
        let address = &self.place.address;
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(format!("{}{}", address.path, call.path))
            .header("host", address.authority())
            .header("user-agent", concat!("scrubjay/", env!("CARGO_PKG_VERSION")))
            .header("accept", "application/json");
        if let Some(content_type) = &call.content_type {
            request = request.header("content-type", content_type);
        }
        for (name, value) in &self.place.headers {
            request = request.header(*name, value);
        }
        if let Some((name, before, key)) = &self.place.key {
            let value = HeaderValue::from_str(&format!("{before}{}", key.expose()));
            let mut value = value.map_err(|error| unsendable(error.into()))?;
            value.set_sensitive(true);
            request = request.header(HeaderName::from_static(name), value);
        }
        request.body(Full::new(call.body.clone())).map_err(unsendable)
    }

    fn described(&self, broken: Broken) -> CallError {
        let provider = self.provider().to_owned();
        match broken {
            Broken::NotConnected(source) => {
                CallError::Connect { provider, address: self.place.address.authority(), source }
            }
            Broken::NotAllowed(why) => CallError::Address { provider, address: self.place.address.to_string(), why },
            Broken::Interrupted(source) => CallError::BrokenOff { provider, source },
            Broken::TooLarge => CallError::TooLarge { provider, limit_bytes: self.policy.limit_bytes },
        }
    }

    fn take_idle(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(connection) = idle.pop() {
            if connection.is_reusable() {
                return Some(connection);
            }
        }
        None
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE && connection.is_reusable() {
            idle.push(connection);
        }
    }
}
