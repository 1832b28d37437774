//! Wrong tokens, counted by address, so that guessing gets slow.
//!
//! Only the answer to a wrong token waits. A right one is never slowed down,
//! wherever it comes from, so nobody can lock the owner out by guessing beside
//! them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A person who mistypes is not slowed down.
const FREE: u32 = 5;

/// The longest wait is so many steps.
const STEPS: u32 = 10;

/// After so long without a wrong token an address begins anew.
const FORGIVEN: Duration = Duration::from_secs(600);

/// More addresses than this are not kept in mind.
const AT_MOST: usize = 4096;

/// Who tried wrong tokens, how often, and when last.
pub struct Failures {
    step: Duration,
    counted: Mutex<HashMap<IpAddr, (u32, Duration)>>,
}

impl Failures {
    /// Nobody yet; each further wrong token of an address waits a step longer.
    #[must_use]
    pub fn new(step: Duration) -> Self {
        Self { step, counted: Mutex::default() }
    }

    /// Counts a wrong token; gives how long its answer should wait.
    pub fn count(&self, address: IpAddr, now: Duration) -> Duration {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |last: Duration| now.saturating_sub(last) < FORGIVEN;
        if counted.len() >= AT_MOST && !counted.contains_key(&address) {
            counted.retain(|_, (_, last)| is_recent(*last));
            // So many addresses at once are one attacker's; what they did before does not matter then.
            if counted.len() >= AT_MOST {
                counted.clear();
            }
        }
        let entry = counted.entry(address).or_insert((0, now));
        let before = if is_recent(entry.1) { entry.0 } else { 0 };
        *entry = (before.saturating_add(1), now);
        self.step * before.saturating_sub(FREE - 1).min(STEPS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_few_are_free_then_each_waits_longer() {
        let failures = Failures::new(Duration::from_secs(1));
        let one: IpAddr = "127.0.0.1".parse().unwrap();
        let mut now = Duration::from_secs(5);
        let waits: Vec<u64> = (0..8).map(|_| failures.count(one, now).as_secs()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, 1, 2, 3]);
        for _ in 0..100 {
            failures.count(one, now);
        }
        assert_eq!(failures.count(one, now), Duration::from_secs(u64::from(STEPS)), "there is a longest");
        assert_eq!(failures.count("10.0.0.1".parse().unwrap(), now), Duration::ZERO, "others are not slowed down");
        now += FORGIVEN;
        assert_eq!(failures.count(one, now), Duration::ZERO);
    }

    #[test]
    fn memory_is_bounded() {
        let failures = Failures::new(Duration::from_secs(1));
        for number in 0..2 * u32::try_from(AT_MOST).unwrap() {
            failures.count(IpAddr::from(number.to_be_bytes()), Duration::ZERO);
        }
        assert!(failures.counted.lock().unwrap().len() <= AT_MOST);
    }
}
