//! Work on threads that may wait, and what it means when a task ends before its time.

use tokio::task::JoinError;

use crate::{EngineError, Result};

/// Does work on a thread that may wait, so that other tasks go on meanwhile.
///
/// # Errors
/// When the work panics, which is a defect.
pub(crate) async fn blocking<T: Send + 'static>(doing: &str, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    joined(doing, tokio::task::spawn_blocking(work).await)
}

/// What a task came to. One that was cut short has panicked, and that is nothing a caller could mend.
///
/// # Errors
/// When the task panicked or was aborted.
pub(crate) fn joined<T>(doing: &str, done: std::result::Result<T, JoinError>) -> Result<T> {
    done.map_err(|error| EngineError::defect(format!("{doing} was cut short ({error})")))
}

#[cfg(test)]
mod tests {
    use scrubjay_core::error::ErrorCode;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_a_defect_and_not_the_callers_fault() {
        let answer = blocking("counting", || 6 * 7).await;
        assert_eq!(answer.unwrap(), 42);
        let failed = blocking("counting", || std::panic::panic_any("out of fingers")).await.unwrap_err();
        assert_eq!(failed.code(), ErrorCode::Internal);
        assert!(failed.to_string().starts_with("counting was cut short"), "{failed}");
    }
}
