//! `GET /v1/events`: what changes, as it changes (server-sent events).
//!
//! Each listener follows the store's own log of changes from where it stands, so
//! it sees what any process writes, and sees nothing that its view does not. An
//! event names a memory and says whether it is new, changed or gone; it carries
//! no text. Another kind of event names a session from which facts were drawn
//! to its end. The stream ends when the token it was opened with does.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use futures_util::stream;
use scrubjay_engine::Result;
use scrubjay_engine::changes::{Event, Follower};
use serde_json::json;
use tokio::sync::watch;

use super::reply::bytes;
use super::routes::{Answering, Call};
use super::shared::{Shared, Stop};
use crate::auth::Admitted;

/// How often other processes' writes are looked for.
const LOOK: Duration = Duration::from_secs(1);

/// A line is sent at least this often, so that a dead connection is noticed.
const SIGN_OF_LIFE: u32 = 15;

struct Listener {
    shared: Arc<Shared>,
    admitted: Admitted,
    follower: Follower,
    waiting: VecDeque<String>,
    writes: watch::Receiver<u64>,
    stop: watch::Receiver<Stop>,
    quiet: u32,
}

pub(crate) fn stream(call: Call) -> Answering {
    Box::pin(async move {
        let ctx = match call.shared.stand(&call.grant, &call.request).await {
            Ok(ctx) => ctx,
            Err(problem) => return problem.reply(),
        };
        let follower = match Follower::begin(ctx).await {
            Ok(follower) => follower,
            Err(error) => return super::problem::Problem::from(error).reply(),
        };
        let mut listener = Listener {
            follower,
            waiting: VecDeque::new(),
            writes: call.shared.writes.subscribe(),
            stop: call.shared.stop.subscribe(),
            quiet: 0,
            admitted: Admitted { grant: call.grant.clone(), token: call.token },
            shared: Arc::clone(&call.shared),
        };
        listener.waiting.push_back(": listening\n\n".to_owned());
        let lines = stream::unfold(listener, |mut listener| async move {
            let line = listener.next().await?;
            Some((Ok::<_, Infallible>(Bytes::from(line)), listener))
        });
        let mut reply = bytes(StatusCode::OK, "text/event-stream", Body::from_stream(lines));
        reply.headers_mut().insert("x-accel-buffering", axum::http::HeaderValue::from_static("no"));
        reply
    })
}

impl Listener {
    // The next lines to send; none when the daemon ends, or the token does.
    async fn next(&mut self) -> Option<String> {
        loop {
            if !self.shared.gate.still_admits(&self.admitted) {
                return None;
            }
            if let Some(line) = self.waiting.pop_front() {
                return Some(line);
            }
            if *self.stop.borrow() != Stop::No {
                return None;
            }
            // Someone listens, so someone needs the daemon.
            self.shared.touch();
            if self.look().await.is_err() {
                self.waiting.push_back("event: failed\ndata: {}\n\n".to_owned());
            }
            if !self.waiting.is_empty() {
                self.quiet = 0;
                continue;
            }
            self.quiet += 1;
            if self.quiet >= SIGN_OF_LIFE {
                self.quiet = 0;
                return Some(": still here\n\n".to_owned());
            }
            let _ = tokio::time::timeout(LOOK, async {
                tokio::select! {
                    _ = self.writes.changed() => {}
                    _ = self.stop.changed() => {}
                }
            })
            .await;
        }
    }

    async fn look(&mut self) -> Result<()> {
        for event in self.follower.look().await? {
            let data = match &event {
                Event::Changed(changed) => json!(changed),
                Event::SessionCompleted(session) => json!(session),
            };
            self.waiting.push_back(format!("event: {}\ndata: {data}\n\n", event.name()));
        }
        Ok(())
    }
}
