//! A span of time.

use crate::time::Timestamp;

const DAY_MS: i64 = 86_400_000;

/// A span of time, its end not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end.
    pub until: Timestamp,
}

impl TimeSpan {
    /// Whether a moment lies in it.
    #[must_use]
    pub fn contains(&self, time: Timestamp) -> bool {
        self.from <= time && time < self.until
    }

    /// How well a moment fits: 1 inside, a half shortly before or after (people are not exact), else 0.
    #[must_use]
    pub fn fit(&self, time: Timestamp) -> f32 {
        let slack_ms = ((self.until.millis() - self.from.millis()) / 2).max(DAY_MS);
        let near = self.from.millis() - slack_ms <= time.millis() && time.millis() < self.until.millis() + slack_ms;
        if self.contains(time) {
            1.0
        } else if near {
            0.5
        } else {
            0.0
        }
    }
}
