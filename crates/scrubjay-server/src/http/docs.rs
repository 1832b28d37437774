//! The pages: what the API can do, to read and to try. They load nothing from
//! elsewhere.

use axum::http::{HeaderValue, StatusCode, header};

use super::reply::{Reply, bytes};
use super::routes::{Answering, Call};

const HTML: &str = "text/html; charset=utf-8";

pub(crate) fn home(_: Call) -> Answering {
    Box::pin(async {
        let mut reply = bytes(StatusCode::SEE_OTHER, HTML, "");
        reply.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/docs"));
        reply
    })
}

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
    bytes(status, HTML, include_str!("pages/login.html"))
}
