//! `/healthz`: whether it lives. It says nothing else, because anyone may ask.

use axum::http::StatusCode;

use super::reply::bytes;
use super::routes::{Answering, Call};

pub(crate) fn answer(_: Call) -> Answering {
    Box::pin(async { bytes(StatusCode::OK, "text/plain; charset=utf-8", "ok\n") })
}
