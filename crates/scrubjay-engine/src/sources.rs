//! The only clock, the only randomness: where the outside world's accidents
//! come in, so that a test can fix them.

use std::fs;
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

impl SystemClock {
    /// A clock that runs since the process began, as far as the system tells: on a busy machine, loading a program takes a
    /// good part of what a hook may take.
    #[must_use]
    pub fn of_process() -> Self {
        let clock = Self::default();
        let age = if cfg!(target_os = "linux") { age_of_process() } else { None };
        let started = age.and_then(|age| clock.started.checked_sub(age));
        Self { started: started.unwrap_or(clock.started) }
    }
}

/// An age above this is more likely a system that tells nonsense than a process that took so long to start.
const OLDEST: Duration = Duration::from_secs(2);

// How long ago this process was made, to a hundredth of a second.
fn age_of_process() -> Option<Duration> {
    let (stat, uptime) = (fs::read_to_string("/proc/self/stat").ok()?, fs::read_to_string("/proc/uptime").ok()?);
    age(&stat, &uptime)
}

// Both count from the start of the system: the 22nd field of the one in hundredths of a second, the other in seconds.
fn age(stat: &str, uptime: &str) -> Option<Duration> {
    // The name of the program is in brackets and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let began: u64 = fields.split_whitespace().nth(19)?.parse().ok()?;
    let (seconds, hundredths) = uptime.split_whitespace().next()?.split_once('.')?;
    let now = seconds.parse::<u64>().ok()?.checked_mul(100)? + hundredths.get(..2)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(now.checked_sub(began)?.checked_mul(10)?)).filter(|age| *age <= OLDEST)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_age_of_a_process_is_read_from_what_the_system_tells() {
        let stat = |began: &str| {
            let between = " 0".repeat(18);
            format!("123 (a ) name (x) S{between} {began} 4096 12")
        };
        let (recent, exact) = (Duration::from_millis(70), Duration::ZERO);
        for (began, uptime, expected) in [
            ("123450", "1234.57 400.00\n", Some(recent)),
            ("123457", "1234.57 400.00\n", Some(exact)),
            ("123458", "1234.57 400.00\n", None),
            ("0", "1234.57 400.00\n", None),
            ("nonsense", "1234.57 400.00\n", None),
            ("123450", "1234", None),
            ("123450", "", None),
        ] {
            assert_eq!(age(&stat(began), uptime), expected, "{began} {uptime}");
        }
        assert_eq!(age("123", "1234.57 400.00\n"), None);
    }

    #[test]
    fn a_clock_of_the_process_never_runs_behind_one_of_now() {
        let (process, now) = (SystemClock::of_process(), SystemClock::default());
        let elapsed = now.elapsed();
        assert!(process.elapsed() >= elapsed);
    }
}
