//! One connection to a provider.
//!
//! A connection has no task of its own: it is driven by whoever waits for an answer on it. So a call that is given up
//! ends its connection at once, and nothing is left running.

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::Address;

type Driver = Pin<Box<dyn Future<Output = Result<(), hyper::Error>> + Send>>;

/// An open connection.
pub(super) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    driver: Option<Driver>,
    reusable: bool,
}

/// What came back.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) retry_after: Option<String>,
    pub(super) retry_after_ms: Option<String>,
    pub(super) body: Vec<u8>,
}

/// Why nothing came back.
#[derive(Debug)]
pub(super) enum Broken {
    /// Nothing was sent.
    NotConnected(Box<dyn std::error::Error + Send + Sync>),
    /// The place is none that may be called.
    NotAllowed(&'static str),
    /// It may have been sent.
    Interrupted(Box<dyn std::error::Error + Send + Sync>),
    /// It is too long.
    TooLarge,
}

impl Connection {
    /// Connects to a place that may be called.
    pub(super) async fn open(address: &Address, tls: Option<&TlsConnector>) -> Result<Self, Broken> {
        let stream = connect(address).await?;
        // Requests are written whole; waiting for more would only delay them.
        stream.set_nodelay(true).map_err(not_connected)?;
        match tls {
            Some(connector) => {
                let host = address.host.trim_matches(['[', ']']).to_owned();
                let name = ServerName::try_from(host).map_err(|error| Broken::NotConnected(error.into()))?;
                Self::over(connector.connect(name, stream).await.map_err(not_connected)?).await
            }
            None => Self::over(stream).await,
        }
    }

    async fn over(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Result<Self, Broken> {
        let handshake = http1::handshake(TokioIo::new(stream)).await;
        let (sender, driver) = handshake.map_err(|error| Broken::NotConnected(error.into()))?;
        Ok(Self { sender, driver: Some(Box::pin(driver)), reusable: false })
    }

    /// Whether another request may be sent on it.
    pub(super) fn is_reusable(&self) -> bool {
        self.reusable && self.driver.is_some() && !self.sender.is_closed()
    }

    /// Sends a request and reads the whole answer, up to a limit.
    pub(super) async fn send(&mut self, request: Request<Full<Bytes>>, limit_bytes: usize) -> Result<Reply, Broken> {
        self.reusable = false;
        let Self { sender, driver, .. } = self;
        let exchange = async {
            let response = sender.send_request(request).await.map_err(|error| Broken::Interrupted(error.into()))?;
            read(response, limit_bytes).await
        };
        let reply = driven(driver, exchange).await?;
        self.reusable = true;
        Ok(reply)
    }
}

async fn read(response: Response<Incoming>, limit_bytes: usize) -> Result<Reply, Broken> {
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut reply = Reply {
        status: response.status().as_u16(),
        retry_after: header("retry-after"),
        retry_after_ms: header("retry-after-ms"),
        body: Vec::new(),
    };
    let mut body = response.into_body();
    let announced = hyper::body::Body::size_hint(&body).lower();
    if announced > limit_bytes as u64 {
        return Err(Broken::TooLarge);
    }
    reply.body.reserve(usize::try_from(announced).unwrap_or(0));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Broken::Interrupted(error.into()))?;
        let Ok(data) = frame.into_data() else { continue };
        if reply.body.len() + data.len() > limit_bytes {
            return Err(Broken::TooLarge);
        }
        reply.body.extend_from_slice(&data);
    }
    Ok(reply)
}

/// Waits for work that needs the connection to be driven meanwhile.
async fn driven<Output>(driver: &mut Option<Driver>, work: impl Future<Output = Output>) -> Output {
    let mut work = pin!(work);
    poll_fn(|context| {
        if let Poll::Ready(output) = work.as_mut().poll(context) {
            return Poll::Ready(output);
        }
        if let Some(running) = driver
            && running.as_mut().poll(context).is_ready()
        {
            // The connection is over; the work learns of it when it is asked again.
            *driver = None;
            context.waker().wake_by_ref();
        }
        Poll::Pending
    })
    .await
}

/// Whether something takes connections at an address; why not, if nothing does. Nothing is sent.
///
/// # Errors
/// In words: the name is unknown, nobody listens, or it takes longer than `within`.
pub async fn reach(url: &str, within: Duration) -> Result<(), String> {
    let address = Address::parse(url).map_err(str::to_owned)?;
    match tokio::time::timeout(within, connect(&address)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(Broken::NotAllowed(why))) => Err(why.to_owned()),
        Ok(Err(Broken::NotConnected(error))) => Err(error.to_string()),
        Ok(Err(_)) => Err("the connection broke off".to_owned()),
        Err(_) => Err(format!("no answer within {} ms", within.as_millis())),
    }
}

async fn connect(address: &Address) -> Result<TcpStream, Broken> {
    let candidates: Vec<SocketAddr> = match address.literal() {
        Some(ip) => vec![SocketAddr::new(ip, address.port)],
        None => lookup_host((address.host.as_str(), address.port)).await.map_err(not_connected)?.collect(),
    };
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name stands for no machine");
    for candidate in candidates {
        // The number that is checked is the one that is called.
        address.check(candidate.ip()).map_err(Broken::NotAllowed)?;
        match TcpStream::connect(candidate).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(not_connected(last))
}

fn not_connected(error: io::Error) -> Broken {
    Broken::NotConnected(error.into())
}
