//! Failures, as problem documents (RFC 9457).

use std::error::Error;

use axum::http::{HeaderValue, StatusCode, header};
use scrubjay_core::error::ErrorCode;
use scrubjay_engine::EngineError;
use serde_json::json;

use super::reply::{Reply, bytes};

/// A failure on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    causes: Vec<String>,
}

impl Problem {
    /// A failure that the table of errors knows.
    pub(crate) fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(code.mapping().http).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, code: code.name(), detail: detail.into(), causes: Vec::new() }
    }

    /// A failure of the protocol, with a status of its own.
    pub(crate) fn of_protocol(status: StatusCode, code: ErrorCode, detail: impl Into<String>) -> Self {
        Self { status, ..Self::new(code, detail) }
    }

    /// The same, with what led to it; for those who may see paths and the like.
    pub(crate) fn caused_by(mut self, error: &dyn Error) -> Self {
        let mut next = error.source();
        while let Some(cause) = next {
            self.causes.push(cause.to_string());
            next = cause.source();
        }
        self
    }

    /// Its status.
    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    /// The answer.
    pub(crate) fn reply(&self) -> Reply {
        let mut document = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Failed"),
            "status": self.status.as_u16(),
            "detail": self.detail,
            "code": self.code,
        });
        if !self.causes.is_empty() {
            document["causes"] = json!(self.causes);
        }
        let mut reply = bytes(self.status, "application/problem+json", document.to_string());
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            reply.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            reply.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        reply
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}
