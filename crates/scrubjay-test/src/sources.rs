//! A clock that moves only when told, and randomness that repeats.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use scrubjay_core::time::Timestamp;
use scrubjay_engine::Result;
use scrubjay_engine::sources::{Clock, Entropy};

/// A clock that moves only when told.
#[derive(Debug)]
pub struct TestClock {
    now_ms: AtomicI64,
    start_ms: i64,
}

impl TestClock {
    /// Starts at a time.
    #[must_use]
    pub fn at(text: &str) -> Self {
        let start_ms = text.parse::<Timestamp>().unwrap().millis();
        Self { now_ms: AtomicI64::new(start_ms), start_ms }
    }

    /// Moves it on.
    pub fn advance(&self, by: Duration) {
        self.now_ms.fetch_add(i64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }

    /// Sets it back, as someone does whose clock was ahead.
    pub fn set_back(&self, by: Duration) {
        self.now_ms.fetch_sub(i64::try_from(by.as_millis()).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now_ms.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> Duration {
        let passed = self.now_ms.load(Ordering::SeqCst) - self.start_ms;
        Duration::from_millis(u64::try_from(passed).unwrap_or(0))
    }
}

/// Randomness that is the same for the same seed.
#[derive(Debug)]
pub struct SeededEntropy {
    state: Mutex<u64>,
}

impl SeededEntropy {
    /// Starts from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { state: Mutex::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1) }
    }

    /// The next number.
    pub fn next(&self) -> u64 {
        let mut state = self.state.lock().unwrap();
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    /// A number below `limit`.
    pub fn below(&self, limit: usize) -> usize {
        usize::try_from(self.next() % limit.max(1) as u64).unwrap()
    }
}

impl Entropy for SeededEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<()> {
        for chunk in bytes.chunks_mut(8) {
            let random = self.next().to_le_bytes();
            chunk.copy_from_slice(&random[..chunk.len()]);
        }
        Ok(())
    }
}
