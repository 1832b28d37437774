//! Takes connections and hands their requests over.
//!
//! A connection that sends half of a request's head, or nothing, ends when the
//! time for it is over, or sooner if the room of strangers is needed. When the
//! daemon ends, what is under way is finished and nothing new is begun.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::auth::{Address, Seat};
use crate::http::{Shared, Stop, serve};

/// The largest head of a request, in bytes.
const HEAD_BYTES: usize = 64 << 10;

/// How long nothing is taken after the system refused to give a connection:
/// usually all file descriptors are in use.
const BREATHER: Duration = Duration::from_millis(100);

/// Where connections come from.
pub(super) trait Door: Send + 'static {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// The next connection, and where it comes from.
    fn next(&self) -> impl Future<Output = std::io::Result<(Self::Stream, Address)>> + Send;
}

impl Door for TcpListener {
    type Stream = TcpStream;

    async fn next(&self) -> std::io::Result<(TcpStream, Address)> {
        let (stream, address) = self.accept().await?;
        Ok((stream, Address::Network(address.ip())))
    }
}

impl Door for UnixListener {
    type Stream = UnixStream;

    async fn next(&self) -> std::io::Result<(UnixStream, Address)> {
        let (stream, _) = self.accept().await?;
        Ok((stream, Address::Socket))
    }
}

/// Serves connections until the daemon ends and the last of them is done.
pub(super) async fn serve_all(door: impl Door, shared: Arc<Shared>) {
    let mut stop = shared.stop.subscribe();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            accepted = door.next() => match accepted {
                Ok((stream, address)) => {
                    let seat = Arc::new(shared.strangers.take_seat(address));
                    connections.spawn(serve_one(Arc::clone(&shared), stream, seat));
                }
                Err(error) => {
                    shared.log.fail("a connection could not be taken", &[("error", json!(error.to_string()))]);
                    tokio::time::sleep(BREATHER).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
    while connections.join_next().await.is_some() {}
}

async fn serve_one<Stream>(shared: Arc<Shared>, stream: Stream, seat: Arc<Seat>)
where
    Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = {
        let (shared, seat) = (Arc::clone(&shared), Arc::clone(&seat));
        service_fn(move |request: Request<Incoming>| {
            let (shared, seat) = (Arc::clone(&shared), Arc::clone(&seat));
            async move { Ok::<_, Infallible>(serve(shared, seat, request.map(Body::new)).await) }
        })
    };
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(shared.patience.head).max_buf_size(HEAD_BYTES);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    let mut stop = shared.stop.subscribe();
    let mut ending = false;
    loop {
        tokio::select! {
            // How a connection ends concerns whoever is at its other end.
            _ = connection.as_mut() => return,
            () = seat.lost() => return,
            () = stopped(&mut stop), if !ending => {
                ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

async fn stopped(stop: &mut watch::Receiver<Stop>) {
    // An error means that nobody is left to ask, which is an end as well.
    let _ = stop.wait_for(|stop| *stop != Stop::No).await;
}
