//! The only clock, the only randomness: where the outside world's accidents
//! come in, so that a test can fix them.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant, SystemTime};

use scrubjay_core::id::IdSource;
use scrubjay_core::time::Timestamp;
use uuid::Uuid;

use crate::{EngineError, Result};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The time of day.
    fn now(&self) -> Timestamp;

    /// Time that only runs forward, for budgets; its zero means nothing.
    fn elapsed(&self) -> Duration;
}

/// Gives random bytes.
pub trait Entropy: Send + Sync {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// When the system has none to give.
    fn fill(&self, bytes: &mut [u8]) -> Result<()>;
}

/// The machine's own clock.
#[derive(Debug)]
pub struct SystemClock {
    started: Instant,
}

impl Default for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn default() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The machine's own randomness.
#[derive(Debug, Default)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        getrandom::fill(bytes).map_err(|_| EngineError::Entropy)
    }
}

/// Makes ids from a clock and randomness.
#[derive(Debug, Default)]
pub struct Ids {
    source: Mutex<IdSource>,
}

impl Ids {
    /// The next id.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn next(&self, clock: &dyn Clock, entropy: &dyn Entropy) -> Result<Uuid> {
        let mut random = [0; 10];
        entropy.fill(&mut random)?;
        Ok(self.source.lock().unwrap_or_else(PoisonError::into_inner).next(clock.now(), random))
    }
}
