//! Times of day and week, as cron writes them.
//!
//! Five fields: minute, hour, day of the month, month, day of the week (0 or 7 is Sunday). Each is `*`, a number, a
//! range `a-b`, a list `a,b`, with a step `/n`. As in cron, a day counts if either day field names it, where both are
//! given.

use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use scrubjay_core::time::Timestamp;

use crate::{EngineError, Result};

/// How many days ahead a time is looked for: a 29 February can be eight years away.
const DAYS_AHEAD: usize = 8 * 366;

/// Times that repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cron {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    any_day: bool,
    any_weekday: bool,
}

impl Cron {
    /// Reads an expression.
    ///
    /// # Errors
    /// When it is none, or names no time at all.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = |why: String| {
            EngineError::invalid(format!("`{text}` is not a time: {why}; write `0 3 * * *` for every day at three"))
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(invalid(format!("it has {} fields instead of five", fields.len())));
        };
        let mut cron = Self {
            minutes: field(minute, 0, 59).map_err(invalid)?,
            hours: field(hour, 0, 23).map_err(invalid)?,
            days: field(day, 1, 31).map_err(invalid)?,
            months: field(month, 1, 12).map_err(invalid)?,
            weekdays: field(weekday, 0, 7).map_err(invalid)?,
            any_day: day.starts_with('*'),
            any_weekday: weekday.starts_with('*'),
        };
        if cron.weekdays & (1 << 7) != 0 {
            cron.weekdays |= 1;
        }
        match cron.next_civil(DateTime::constant(2024, 1, 1, 0, 0, 0, 0)) {
            Some(_) => Ok(cron),
            None => Err(invalid("no day is ever like that".to_owned())),
        }
    }

    /// The first such moment after a moment, by the clock of a place. A time that is left out when clocks go forward
    /// comes as much later as was left out; one that comes twice when they go back counts the first time.
    #[must_use]
    pub fn next_after(&self, moment: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let after = jiff::Timestamp::from_millisecond(moment.millis()).ok()?;
        let mut civil = after.to_zoned(zone.clone()).datetime();
        loop {
            civil = self.next_civil(civil)?;
            let found = zone.to_ambiguous_zoned(civil).compatible().ok()?.timestamp();
            if found > after {
                return Some(Timestamp::from_millis(found.as_millisecond()));
            }
        }
    }

    // The first such time after a time, were every day to have 24 hours.
    fn next_civil(&self, after: DateTime) -> Option<DateTime> {
        let from = after.with().second(0).subsec_nanosecond(0).build().ok()?.checked_add(1.minute()).ok()?;
        let mut day = from.date();
        for ahead in 0..=DAYS_AHEAD {
            if self.has_day(day) {
                let (hour, minute) = if ahead == 0 { (from.hour(), from.minute()) } else { (0, 0) };
                if let Some((hour, minute)) = self.time_from(hour, minute) {
                    return Some(day.at(hour, minute, 0, 0));
                }
            }
            day = day.tomorrow().ok()?;
        }
        None
    }

    fn has_day(&self, day: Date) -> bool {
        let weekday = match day.weekday() {
            Weekday::Sunday => 0,
            other => other.to_monday_one_offset(),
        };
        let by_date = has(self.days, day.day());
        let by_weekday = has(self.weekdays, weekday);
        let fits = if self.any_day || self.any_weekday { by_date && by_weekday } else { by_date || by_weekday };
        has(self.months, day.month()) && fits
    }

    fn time_from(&self, hour: i8, minute: i8) -> Option<(i8, i8)> {
        let first = |bits: u64, from: i8, to: i8| (from..=to).find(|value| has(bits, *value));
        if has(self.hours, hour)
            && let Some(minute) = first(self.minutes, minute, 59)
        {
            return Some((hour, minute));
        }
        Some((first(self.hours, hour + 1, 23)?, first(self.minutes, 0, 59)?))
    }
}

fn has(bits: u64, value: i8) -> bool {
    u32::try_from(value).is_ok_and(|value| bits & (1 << value) != 0)
}

fn field(text: &str, least: u32, most: u32) -> std::result::Result<u64, String> {
    let mut bits = 0;
    for part in text.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, number(step, 1, most)?),
            None => (part, 1),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (least, if most == 7 { 6 } else { most }),
            Some((first, last)) => (number(first, least, most)?, number(last, least, most)?),
            // `5/10` means from 5 on, every 10.
            None if part.contains('/') => (number(range, least, most)?, most),
            None => (number(range, least, most)?, number(range, least, most)?),
        };
        if first > last {
            return Err(format!("`{range}` runs backwards"));
        }
        for value in (first..=last).step_by(usize::try_from(step).unwrap_or(1)) {
            bits |= 1 << value;
        }
    }
    Ok(bits)
}

fn number(text: &str, least: u32, most: u32) -> std::result::Result<u32, String> {
    let value = text.parse::<u32>().ok().filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| format!("`{text}` is not between {least} and {most}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn berlin() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap()
    }

    fn check(expression: &str, after: &str, expected: &str) {
        let next = Cron::parse(expression).unwrap().next_after(after.parse().unwrap(), &berlin());
        assert_eq!(next, Some(expected.parse().unwrap()), "{expression} after {after}: {next:?}");
    }

    #[test]
    fn times_are_local() {
        check("0 3 * * *", "2026-01-10T12:00:00Z", "2026-01-11T02:00:00Z");
        check("0 3 * * *", "2026-07-10T12:00:00Z", "2026-07-11T01:00:00Z");
        check("0 3 * * *", "2026-01-11T02:00:00Z", "2026-01-12T02:00:00Z");
        check("0 3 * * *", "2026-01-11T01:59:59Z", "2026-01-11T02:00:00Z");
        check("0 3 * * 0", "2026-01-10T12:00:00Z", "2026-01-11T02:00:00Z");
        check("0 3 * * 7", "2026-01-11T12:00:00Z", "2026-01-18T02:00:00Z");
        check("*/15 9-17 * * 1-5", "2026-01-09T16:50:00Z", "2026-01-12T08:00:00Z");
        check("0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-28T23:00:00Z");
        check("0 12 13 * 5", "2026-01-10T12:00:00Z", "2026-01-13T11:00:00Z");
    }

    #[test]
    fn clocks_that_change_neither_skip_nor_double() {
        // 29 March 2026: 02:00 becomes 03:00.
        check("0 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z");
        check("30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T01:30:00Z");
        check("0 2 * * *", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z");
        // 25 October 2026: 03:00 becomes 02:00.
        check("30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z");
        check("30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "* * * *", "60 * * * *", "0 24 * * *", "a * * * *", "5-1 * * * *", "0 0 31 2 *", "*/0 * * * *"]
        {
            assert!(Cron::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_day_has_its_time_once(hour in 0_u8..24, minute in 0_u8..60, day in 0_i64..400) {
            let cron = Cron::parse(&format!("{minute} {hour} * * *")).unwrap();
            let zone = berlin();
            let start = Timestamp::from_millis(1_767_225_600_000 + day * 86_400_000);
            let mut dates = Vec::new();
            let mut at = start;
            for _ in 0..5 {
                at = cron.next_after(at, &zone).unwrap();
                let local = jiff::Timestamp::from_millisecond(at.millis()).unwrap().to_zoned(zone.clone());
                dates.push(local.date());
            }
            for pair in dates.windows(2) {
                prop_assert_eq!(pair[0].tomorrow().unwrap(), pair[1]);
            }
        }
    }
}
