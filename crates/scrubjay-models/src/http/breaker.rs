//! Leaving a provider alone that fails.
//!
//! A call that failed, with all its tries, opens the breaker: for a while nobody calls, then one call goes through as a
//! probe, without further tries. If it succeeds everything is as before; if it fails the wait begins anew. So a
//! provider that is down gets one request per wait, however many callers there are.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long a provider is left alone.
pub const REST: Duration = Duration::from_secs(30);

/// However long a provider asks to be left alone, it is not longer than this.
pub const LONGEST_REST: Duration = Duration::from_secs(600);

/// Whether a provider is left alone, and since when it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rest {
    /// No call before this time, in milliseconds since 1970.
    pub until_ms: i64,
    /// When it failed first, without a success since.
    pub since_ms: i64,
}

/// What a caller may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// Call, and try again if need be.
    Normal,
    /// Call once.
    Probe,
}

/// Remembers how a provider does. Shared by everyone who calls it.
#[derive(Debug)]
pub struct Breaker {
    rest_ms: i64,
    state: Mutex<Option<Rest>>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self::new(REST)
    }
}

impl Breaker {
    /// A closed breaker with another wait.
    #[must_use]
    pub fn new(rest: Duration) -> Self {
        Self { rest_ms: millis(rest), state: Mutex::new(None) }
    }

    /// Whether a call may be made now.
    ///
    /// # Errors
    /// How long to wait, if not.
    pub fn permit(&self, now_ms: i64) -> Result<Permit, Duration> {
        let mut state = self.lock();
        let Some(rest) = state.as_mut() else { return Ok(Permit::Normal) };
        // A clock that was set back must not make the wait longer than it ever is.
        let until_ms = rest.until_ms.min(now_ms.saturating_add(millis(LONGEST_REST)));
        if now_ms < until_ms {
            return Err(Duration::from_millis(u64::try_from(until_ms - now_ms).unwrap_or(0)));
        }
        // Whoever comes while the probe is under way waits for the next one.
        rest.until_ms = now_ms.saturating_add(self.rest_ms);
        Ok(Permit::Probe)
    }

    /// The provider answered.
    pub fn succeeded(&self) {
        *self.lock() = None;
    }

    /// The provider failed, and perhaps said how long it wants to be left alone.
    pub fn failed(&self, now_ms: i64, retry_after: Option<Duration>) {
        let mut state = self.lock();
        let since_ms = state.map_or(now_ms, |rest| rest.since_ms);
        let wait_ms = retry_after.map_or(0, |wait| millis(wait.min(LONGEST_REST))).max(self.rest_ms);
        *state = Some(Rest { until_ms: now_ms.saturating_add(wait_ms), since_ms });
    }

    /// How things stand; none if all is well.
    #[must_use]
    pub fn rest(&self) -> Option<Rest> {
        *self.lock()
    }

    /// Takes over what another process found out, if nothing is known here.
    pub fn adopt(&self, rest: Rest) {
        self.lock().get_or_insert(rest);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Rest>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_probe_per_wait() {
        let breaker = Breaker::default();
        assert_eq!(breaker.permit(0), Ok(Permit::Normal));
        breaker.failed(1000, None);
        assert_eq!(breaker.permit(1001), Err(Duration::from_millis(29_999)));
        assert_eq!(breaker.permit(31_000), Ok(Permit::Probe));
        assert_eq!(breaker.permit(31_000), Err(Duration::from_secs(30)));
        breaker.failed(31_500, None);
        assert_eq!(breaker.rest(), Some(Rest { until_ms: 61_500, since_ms: 1000 }));
        assert_eq!(breaker.permit(61_500), Ok(Permit::Probe));
        breaker.succeeded();
        assert_eq!(breaker.permit(61_501), Ok(Permit::Normal));
    }

    #[test]
    fn probes_of_a_day_are_bounded() {
        let breaker = Breaker::default();
        breaker.failed(0, None);
        let day_ms = 86_400_000;
        let mut probes = 0;
        for now_ms in (0..day_ms).step_by(100) {
            if breaker.permit(now_ms).is_ok() {
                probes += 1;
                breaker.failed(now_ms, None);
            }
        }
        assert!(probes <= day_ms / 30_000, "{probes}");
    }

    #[test]
    fn a_provider_may_ask_for_more_but_not_for_ever_and_neither_may_a_clock() {
        let breaker = Breaker::default();
        breaker.failed(0, Some(Duration::from_secs(90)));
        assert_eq!(breaker.permit(60_000), Err(Duration::from_secs(30)));
        breaker.failed(0, Some(Duration::from_secs(1 << 40)));
        assert_eq!(breaker.rest().unwrap().until_ms, 600_000);
        assert_eq!(breaker.permit(-1_000_000_000), Err(Duration::from_secs(600)));
        breaker.succeeded();
        breaker.adopt(Rest { until_ms: 5, since_ms: 1 });
        breaker.adopt(Rest { until_ms: 9, since_ms: 1 });
        assert_eq!(breaker.rest().unwrap().until_ms, 5);
    }
}
