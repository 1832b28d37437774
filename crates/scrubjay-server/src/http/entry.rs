//! The only function that a connection can reach.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderValue, Request, StatusCode, header};
use scrubjay_core::error::ErrorCode;

use super::problem::Problem;
use super::reply::{Reply, guard};
use super::routes::{Call, Found, Need};
use super::shared::Shared;
use super::{docs, routes::Route};
use crate::auth::{Denied, Grant};

/// Answers a request: first the gate, then the route, then what the route
/// needs, then the body, and only then the work.
pub async fn serve(shared: Arc<Shared>, request: Request<Body>) -> Reply {
    let started = shared.clock.elapsed();
    let (parts, body) = request.into_parts();
    let wants_page = accepts_pages(&parts);
    let mut name = "none".to_owned();
    let mut reply = match shared.gate.admit(&parts) {
        Err(denied) => turn_away(denied, wants_page && parts.method == axum::http::Method::GET),
        Ok(grant) => {
            let Some(visit) = shared.enter(parts.uri.path()) else {
                let problem = Problem::new(ErrorCode::Busy, "too many requests at once; come back in a moment");
                return finished(&shared, &name, started, problem.reply());
            };
            let reply = match find(&shared, &parts, &grant) {
                Err(reply) => reply,
                Ok(route) => {
                    name.clone_from(&route.path);
                    within_limits(&shared, route.clone(), grant, parts, body).await
                }
            };
            drop(visit);
            reply
        }
    };
    guard(&mut reply);
    finished(&shared, &name, started, reply)
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
        Found::Route(route) => route,
        Found::Nothing => {
            return Err(Problem::new(ErrorCode::NotFound, "there is nothing here; /openapi.json lists all").reply());
        }
        Found::OtherMethods(methods) => {
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
    grant: Grant,
    request: axum::http::request::Parts,
    body: Body,
) -> Reply {
    let limit = usize::try_from(shared.limits.max_body_bytes).unwrap_or(usize::MAX);
    let time = Duration::from_millis(shared.limits.request_timeout_ms);
    let late = || Problem::new(ErrorCode::Unavailable, "this took too long and was given up").reply();
    let body = match tokio::time::timeout(time, to_bytes(body, limit)).await {
        Err(_) => return late(),
        Ok(Err(_)) => {
            let message = format!("the request is larger than daemon.max_body_bytes = {limit}, or broke off");
            return Problem::of_protocol(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::InvalidInput, message).reply();
        }
        Ok(Ok(body)) => body,
    };
    let call = Call { shared: Arc::clone(shared), grant, request, body };
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
