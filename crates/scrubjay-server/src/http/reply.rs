//! Answers.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use serde_json::Value;

/// What every handler returns.
pub(crate) type Reply = Response<Body>;

/// JSON.
pub(crate) fn json(status: StatusCode, value: &Value) -> Reply {
    bytes(status, "application/json", value.to_string())
}

/// Any text.
pub(crate) fn bytes(status: StatusCode, kind: &'static str, body: impl Into<Body>) -> Reply {
    let mut reply = Response::new(body.into());
    *reply.status_mut() = status;
    reply.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}

/// What every answer carries: nothing is cached, nothing is guessed, nothing is
/// framed, and a page loads its own files only.
pub(crate) fn guard(reply: &mut Reply) {
    const HEADERS: [(&str, &str); 5] = [
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        // Without any referrer a browser sends `Origin: null` with our own sign-in form, which the gate refuses.
        ("referrer-policy", "same-origin"),
        ("x-frame-options", "DENY"),
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    ];
    for (name, value) in HEADERS {
        reply.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
}
