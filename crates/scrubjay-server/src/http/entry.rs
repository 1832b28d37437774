//! The only function that a connection can reach.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderValue, Request, StatusCode, header};
use scrubjay_core::error::ErrorCode;

use super::problem::Problem;
use super::reply::{Reply, guard};
use super::routes::{Call, Need, RouteMatch};
use super::shared::Shared;
use super::{docs, routes::Route};
use crate::auth::{Address, Admitted, Denied, Grant, Seat};

/// Answers a request: first the gate, then the route, then what the route
/// needs, then the body, and only then the work.
pub async fn serve(shared: Arc<Shared>, seat: Arc<Seat>, request: Request<Body>) -> Reply {
    let started = shared.clock.elapsed();
    let (parts, body) = request.into_parts();
    let wants_page = accepts_pages(&parts);
    let mut name = "none".to_owned();
    let mut reply = match shared.gate.admit(&parts) {
        Err(denied) => {
            if denied == Denied::WrongToken {
                slow_down(&shared, seat.address()).await;
            }
            let mut reply = turn_away(denied, wants_page && parts.method == axum::http::Method::GET);
            // What else was sent is not read.
            reply.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            reply
        }
        Ok(admitted) => {
            // Strangers have room of their own; those with a token never wait for it.
            let visit = if admitted.grant == Grant::Nobody {
                None
            } else {
                seat.welcome();
                let visit = shared.enter(parts.uri.path());
                if visit.is_none() {
                    let problem = Problem::new(ErrorCode::Busy, "too many requests at once; come back in a moment");
                    return finished(&shared, &name, started, problem.reply());
                }
                visit
            };
            let reply = match find(&shared, &parts, &admitted.grant) {
                Err(reply) => reply,
                Ok(route) => {
                    name.clone_from(&route.path);
                    within_limits(&shared, route.clone(), seat.address(), admitted, parts, body).await
                }
            };
            drop(visit);
            reply
        }
    };
    guard(&mut reply);
    finished(&shared, &name, started, reply)
}

/// Lets the answer to a wrong token wait, the longer the more of them came from
/// this address. The socket is the user's own, and so is what comes over it.
pub(super) async fn slow_down(shared: &Shared, address: Address) {
    let Some(address) = address.network() else { return };
    let wait = shared.failures.count(address, shared.clock.elapsed());
    if !wait.is_zero() {
        tokio::time::sleep(wait).await;
    }
}

fn finished(shared: &Shared, name: &str, started: Duration, reply: Reply) -> Reply {
    let took = shared.clock.elapsed().saturating_sub(started);
    shared.metrics.count(name, reply.status().as_u16(), took);
    reply
}

fn accepts_pages(parts: &axum::http::request::Parts) -> bool {
    let accept = parts.headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

fn turn_away(denied: Denied, page: bool) -> Reply {
    let (status, message) = match denied {
        Denied::Host => (StatusCode::FORBIDDEN, "this daemon answers to localhost only"),
        Denied::Origin => (StatusCode::FORBIDDEN, "pages of other sites may not ask here"),
        Denied::NoToken => {
            (StatusCode::UNAUTHORIZED, "this needs a token: Authorization: Bearer …, as in the file `token`")
        }
        Denied::WrongToken => (StatusCode::UNAUTHORIZED, "this token is not good here; it may have been revoked"),
    };
    if page && status == StatusCode::UNAUTHORIZED {
        return docs::way_in(status);
    }
    Problem::of_protocol(status, ErrorCode::Refused, message).reply()
}

#[expect(clippy::result_large_err, reason = "a reply is made once for each request that is turned away")]
fn find<'a>(shared: &'a Shared, parts: &axum::http::request::Parts, grant: &Grant) -> Result<&'a Route, Reply> {
    let route = match shared.table.find(&parts.method, parts.uri.path()) {
        RouteMatch::Route(route) => route,
        RouteMatch::Nothing => {
            return Err(Problem::new(ErrorCode::NotFound, "there is nothing here; /openapi.json lists all").reply());
        }
        RouteMatch::OtherMethods(methods) => {
            let methods = methods.join(", ");
            let message = format!("this takes {methods}");
            let problem = Problem::of_protocol(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::InvalidInput, message);
            let mut reply = problem.reply();
            if let Ok(value) = HeaderValue::from_str(&methods) {
                reply.headers_mut().insert(header::ALLOW, value);
            }
            return Err(reply);
        }
    };
    let refused = |message: &str| Err(Problem::new(ErrorCode::Refused, message).reply());
    match (route.need, grant) {
        (Need::Nothing, _) | (_, Grant::Owner) => Ok(route),
        (_, Grant::Nobody) => refused("this needs a token"),
        (Need::Owner, Grant::Part { .. }) => refused("this concerns the whole store; it needs its owner's token"),
        (Need::Write, Grant::Part { read_only: true, .. }) => refused("this token may look only"),
        (Need::Token | Need::Write, Grant::Part { .. }) => Ok(route),
    }
}

async fn within_limits(
    shared: &Arc<Shared>,
    route: Route,
    address: Address,
    admitted: Admitted,
    request: axum::http::request::Parts,
    body: Body,
) -> Reply {
    let time = Duration::from_millis(shared.limits.request_timeout_ms);
    let body = match read(shared, &admitted.grant, &request, body).await {
        Ok(body) => body,
        Err(reply) => return reply,
    };
    let Admitted { grant, token } = admitted;
    let call = Call { shared: Arc::clone(shared), grant, token, address, request, body };
    // What was begun is finished, even when whoever asked has left; and a defect
    // ends one request, not the daemon.
    let working = tokio::spawn(route.does.run(call));
    match tokio::time::timeout(time, working).await {
        Ok(Ok(reply)) => reply,
        Ok(Err(error)) => {
            let fields = [("route", serde_json::json!(route.path)), ("panic", serde_json::json!(error.is_panic()))];
            shared.log.fail("a request failed unexpectedly", &fields);
            Problem::new(ErrorCode::Internal, "this is a bug in scrubjay; the log says more").reply()
        }
        Err(_) => late(),
    }
}

fn late() -> Reply {
    Problem::new(ErrorCode::Unavailable, "this took too long and was given up").reply()
}

// A body within the limits of whoever sends it. One that says itself that it is
// too large is not read at all.
async fn read(
    shared: &Shared,
    grant: &Grant,
    request: &axum::http::request::Parts,
    body: Body,
) -> Result<Bytes, Reply> {
    let (limit, name, time) = if *grant == Grant::Nobody {
        (shared.patience.stranger_body_bytes, "the limit without a token", shared.patience.stranger_body)
    } else {
        let limit = usize::try_from(shared.limits.max_body_bytes).unwrap_or(usize::MAX);
        (limit, "daemon.max_body_bytes", shared.patience.body)
    };
    let too_large = || {
        let message = format!("the request is larger than {name} = {limit}, or broke off");
        Problem::of_protocol(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::InvalidInput, message).reply()
    };
    let length = request.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > limit) {
        return Err(too_large());
    }
    match tokio::time::timeout(time, to_bytes(body, limit)).await {
        Err(_) => Err(late()),
        Ok(Err(_)) => Err(too_large()),
        Ok(Ok(body)) => Ok(body),
    }
}
