//! The contract of a batch service.

use async_trait::async_trait;

use crate::http::CallError;

/// What became of one text: its vector, or why there is none.
pub type Outcome = Result<Vec<f32>, String>;

/// How far a batch has come.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Not done yet.
    Working,
    /// Done: an outcome for each text, in the order in which they were submitted.
    Done(Vec<Outcome>),
    /// It failed as a whole, with what the provider says about it.
    Failed(String),
}

/// A provider's batch service.
#[async_trait]
pub trait BatchProtocol: Send + Sync {
    /// The most texts of a batch.
    fn most_texts(&self) -> usize;

    /// Submits texts under a name; gives the provider's id. Sent once: after a failure [`BatchProtocol::find`] tells
    /// whether it arrived.
    ///
    /// # Errors
    /// If the provider fails.
    async fn submit(&self, name: &str, texts: &[String]) -> Result<String, CallError>;

    /// The provider's id of the batch with this name, if it has one.
    ///
    /// # Errors
    /// If the provider fails.
    async fn find(&self, name: &str) -> Result<Option<String>, CallError>;

    /// How far a batch of `count` texts has come.
    ///
    /// # Errors
    /// If the provider fails.
    async fn poll(&self, id: &str, count: usize) -> Result<Progress, CallError>;

    /// Asks the provider to stop; what it did until then may have to be paid.
    ///
    /// # Errors
    /// If the provider fails.
    async fn cancel(&self, id: &str) -> Result<(), CallError>;
}
