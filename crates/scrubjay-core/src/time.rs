//! Points in time, as whole milliseconds since 1970 in UTC.
//!
//! Milliseconds are what UUIDv7 carries and what a conversation needs; a plain
//! integer sorts, stores and compares the same way in every backend.

use std::fmt;
use std::str::FromStr;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

/// The text was not a time that [`Timestamp`] understands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a time; write yesterday, 3d, last week, 2026-05-01, 2026-05-01 12:30, 2026-05-01T12:30:00Z or Unix seconds"
)]
pub struct InvalidTime {
    /// What was given.
    pub text: String,
}

/// Milliseconds in a day, for ages.
pub const DAY_MS: i64 = 86_400_000;

// The years 0001 and 9999 (in every time zone); anything outside is a typing error, and jiff could
// not format it.
const MIN_MS: i64 = -62_135_596_800_000;
const MAX_MS: i64 = 253_402_207_200_000;

impl Timestamp {
    /// From milliseconds since 1970, clamped to the years 1 to 9999.
    #[must_use]
    pub fn from_millis(millis: i64) -> Self {
        Self(millis.clamp(MIN_MS, MAX_MS))
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn millis(self) -> i64 {
        self.0
    }

    /// This time moved by some milliseconds; never overflows.
    #[must_use]
    pub fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// Days from `earlier` to this time; negative when `earlier` is later.
    #[must_use]
    pub fn days_since(self, earlier: Self) -> f64 {
        // Both are within ±2^48, so the conversion is exact.
        (self.0 - earlier.0) as f64 / DAY_MS as f64
    }

    /// The date in UTC, `2026-05-01`.
    #[must_use]
    pub fn date(self) -> String {
        self.to_string().chars().take(10).collect()
    }

    /// Minutes precision in UTC for people, `2026-05-01 12:30`.
    #[must_use]
    pub fn minute(self) -> String {
        self.to_string().chars().take(16).collect::<String>().replace('T', " ")
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let invalid = || InvalidTime { text: text.chars().take(80).collect() };
        let trimmed = text.trim();
        if let Ok(time) = trimmed.parse::<jiff::Timestamp>() {
            return Ok(Self::from_millis(time.as_millisecond()));
        }
        // A time without an offset is taken as UTC, so that the same input means
        // the same moment on every machine.
        if let Ok(time) = trimmed.parse::<jiff::civil::DateTime>() {
            return time
                .to_zoned(TimeZone::UTC)
                .map(|zoned| Self::from_millis(zoned.timestamp().as_millisecond()))
                .map_err(|_| invalid());
        }
        let number: f64 = trimmed.parse().map_err(|_| invalid())?;
        if !number.is_finite() || trimmed.len() < 5 {
            return Err(invalid());
        }
        // Seconds until the year 5138, milliseconds above: what clients send.
        let millis = if number.abs() < 1e11 { number * 1000.0 } else { number };
        if millis < MIN_MS as f64 || millis > MAX_MS as f64 {
            return Err(invalid());
        }
        Ok(Self::from_millis(millis.round() as i64))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let text = match value {
            serde_json::Value::String(text) => text,
            serde_json::Value::Number(number) => number.to_string(),
            other => return Err(serde::de::Error::custom(InvalidTime { text: other.to_string() })),
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str) {
        let shown = match input.parse::<Timestamp>() {
            Ok(time) => time.to_string(),
            Err(_) => "error".to_owned(),
        };
        assert_eq!(shown, expect, "{input}");
    }

    #[test]
    fn reads_what_clients_send() {
        check("2026-05-01T12:30:00Z", "2026-05-01T12:30:00.000Z");
        check("2026-05-01T12:30:00.1239+02:00", "2026-05-01T10:30:00.123Z");
        check("2026-05-01 12:30", "2026-05-01T12:30:00.000Z");
        check("2026-05-01", "2026-05-01T00:00:00.000Z");
        check("1777638600", "2026-05-01T12:30:00.000Z");
        check("1777638600123", "2026-05-01T12:30:00.123Z");
        check("1777638600.5", "2026-05-01T12:30:00.500Z");
        check("", "error");
        check("soon", "error");
        check("12", "error");
        check("1e300", "error");
        check("2026-13-01", "error");
    }

    #[test]
    fn arithmetic_never_leaves_the_range() {
        let last = Timestamp::from_millis(i64::MAX);
        assert_eq!(last.plus_millis(i64::MAX), last);
        assert!(last.to_string().starts_with("9999-"));
        assert_eq!(Timestamp::from_millis(DAY_MS * 3).days_since(Timestamp::from_millis(0)), 3.0);
    }
}
