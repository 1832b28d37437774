//! How a vendor wants to be asked for vectors.

use crate::http::Call;

/// What a vector is for; some models make different ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be found.
    Document,
    /// To find.
    Query,
}

/// An answer: vectors in the order of the texts, not checked yet.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// The vectors.
    pub vectors: Vec<Vec<f32>>,
    /// What it took, if the vendor says so.
    pub tokens: Option<u64>,
}

/// A vendor's way of asking.
pub trait Protocol: Send + Sync {
    /// The most texts of one request.
    fn most_texts(&self) -> usize;

    /// The request for some texts. None of them is empty.
    fn call(&self, texts: &[String], purpose: Purpose) -> Call;

    /// Reads the answer.
    ///
    /// # Errors
    /// What is wrong with it, in our own words.
    fn read(&self, body: &[u8]) -> Result<Vectors, String>;
}

/// Reads JSON of a given form.
pub(super) fn understood<'body, Form: serde::Deserialize<'body>>(body: &'body [u8]) -> Result<Form, String> {
    // The text of serde's error may quote the answer; where it stands is enough.
    serde_json::from_slice(body).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => format!("not the expected JSON, near column {}", error.column()),
        _ => format!("no JSON, near column {}", error.column()),
    })
}
