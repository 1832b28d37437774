//! Two pages beside the dashboard: what the API can do, to read and to try, and
//! the form for the token. They load nothing from elsewhere.

use axum::http::{HeaderValue, StatusCode, header};

use super::reply::{Reply, bytes};
use super::routes::{Answering, Call};

const HTML: &str = "text/html; charset=utf-8";

pub(crate) fn page(_: Call) -> Answering {
    Box::pin(async { bytes(StatusCode::OK, HTML, include_str!("pages/docs.html")) })
}

pub(crate) fn script(_: Call) -> Answering {
    Box::pin(async { bytes(StatusCode::OK, "text/javascript; charset=utf-8", include_str!("pages/docs.js")) })
}

pub(crate) fn style(_: Call) -> Answering {
    Box::pin(async { bytes(StatusCode::OK, "text/css; charset=utf-8", include_str!("pages/docs.css")) })
}

/// What a stranger with a browser sees: where to enter the token.
pub(crate) fn way_in(status: StatusCode) -> Reply {
    let mut reply = bytes(status, HTML, include_str!("pages/login.html"));
    // A stranger gets no other file, so the form carries its style, and the policy names it by its hash.
    reply.headers_mut().insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; style-src 'sha256-rr6rFcnn2vlDFOWpD9OiUZ1JHxGMgrKBfQ6CWAqVurg='; \
             img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    );
    reply
}
