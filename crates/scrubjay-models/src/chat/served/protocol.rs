//! How a vendor wants to be asked.

use super::super::request::{ChatRequest, Stop, Usage};
use crate::http::Call;

/// An answer as a vendor gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The words, or the JSON that was asked for.
    pub text: String,
    /// What it took.
    pub usage: Usage,
    /// Why it ended.
    pub stop: Stop,
    /// Whether the model refused.
    pub refused: bool,
}

/// A vendor's way of asking.
pub trait ChatProtocol: Send + Sync {
    /// The request.
    fn call(&self, request: &ChatRequest) -> Call;

    /// Reads the answer.
    ///
    /// # Errors
    /// What is wrong with it, in our own words.
    fn read(&self, body: &[u8]) -> Result<Said, String>;
}

/// Reads JSON of a given form; the error says where it is wrong and nothing of what it says.
pub(super) fn understood<'body, Form: serde::Deserialize<'body>>(body: &'body [u8]) -> Result<Form, String> {
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => format!("not the expected JSON, near column {}", error.column()),
        _ => format!("no JSON, near column {}", error.column()),
    })
}
