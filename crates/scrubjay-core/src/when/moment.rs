//! A time that someone gives in words: “yesterday”, “3d”, “2h ago”, “last week”, “monday 14:30”.

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan, Zoned};

use super::named::{phrase, said_words};
use super::relative::{number, weekday};
use super::span::TimeSpan;
use super::translation::in_english;
use crate::lexical::LanguageGuess;
use crate::time::Timestamp;

/// The time that the whole of a text gives, as someone in a time zone means it who says it at `now`: a day, a week and
/// the like as a span, anything exact as a span without length. None if any word of it says something else.
#[must_use]
pub fn given_time(text: &str, now: Timestamp, zone: &TimeZone) -> Option<TimeSpan> {
    let here = jiff::Timestamp::from_millisecond(now.millis()).ok()?.to_zoned(zone.clone());
    let (day, clock) = without_clock(text.trim())?;
    let said = said_words(day);
    let guess = LanguageGuess::of(day);
    let words: Vec<&str> = said.iter().map(|word| in_english(word, &guess)).collect();
    let words = match words.as_slice() {
        ["since" | "on" | "from" | "until", rest @ ..] if !rest.is_empty() => rest,
        all => all,
    };
    match (words, clock) {
        ([], None) => return None,
        (["now"], None) => return Some(TimeSpan { from: now, until: now }),
        (words, None) => {
            if let Some(span) = before_now(words) {
                let moment = stamp(&here.checked_sub(span).ok()?);
                return Some(TimeSpan { from: moment, until: moment });
            }
        }
        _ => {}
    }
    let (first, end) = days(words, here.date())?;
    match clock {
        Some(_) if first.tomorrow().ok() != Some(end) => None,
        Some(clock) => {
            let moment = stamp(&first.to_datetime(clock).to_zoned(zone.clone()).ok()?);
            Some(TimeSpan { from: moment, until: moment })
        }
        None => {
            let start_of = |date: Date| Some(stamp(&date.to_zoned(zone.clone()).ok()?));
            Some(TimeSpan { from: start_of(first)?, until: start_of(end)? })
        }
    }
}

// “3d”, “3 d”, “3 days”, “3 days ago”, “an hour ago”.
fn before_now(words: &[&str]) -> Option<Span> {
    let words = words.strip_suffix(&["ago"]).unwrap_or(words);
    let (count, unit) = match words {
        [word] => {
            let unit_at = word.find(|c: char| !c.is_ascii_digit())?;
            (word[..unit_at].parse().ok()?, &word[unit_at..])
        }
        ["ago-before", count, unit] | [count, unit] => (number(count)?, *unit),
        _ => return None,
    };
    let count: i64 = Some(count).filter(|count| (0..=100_000).contains(count))?;
    match unit {
        "s" | "sec" | "second" | "seconds" => Span::new().try_seconds(count),
        "m" | "min" | "mins" | "minute" | "minutes" => Span::new().try_minutes(count),
        "h" | "hr" | "hrs" | "hour" | "hours" => Span::new().try_hours(count),
        "d" | "day" | "days" => Span::new().try_days(count),
        "w" | "week" | "weeks" => Span::new().try_weeks(count),
        "mo" | "month" | "months" => Span::new().try_months(count),
        "y" | "yr" | "year" | "years" => Span::new().try_years(count),
        _ => return None,
    }
    .ok()
}

// The first day that is meant and the day after the last.
fn days(words: &[&str], today: Date) -> Option<(Date, Date)> {
    match words {
        [] => Some((today, today.tomorrow().ok()?)),
        [word] if weekday(word).is_some() => {
            let date = latest(weekday(word)?, today)?;
            Some((date, date.tomorrow().ok()?))
        }
        _ => {
            let (used, first, end) = phrase(words, today)?;
            (used == words.len()).then_some((first, end))
        }
    }
}

// Today, or the last day of that name.
fn latest(weekday: Weekday, today: Date) -> Option<Date> {
    (0..7i64).filter_map(|back| today.checked_sub(back.days()).ok()).find(|date| date.weekday() == weekday)
}

// The text without a time of day such as 9:30 at its end. None if that is no time.
fn without_clock(text: &str) -> Option<(&str, Option<Time>)> {
    let (day, last) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
    let Some((hour, minute)) = last.split_once(':') else { return Some((text, None)) };
    let clock = Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()?;
    let day = day.trim_end();
    Some((day.strip_suffix(" at").unwrap_or(day), Some(clock)))
}

fn stamp(zoned: &Zoned) -> Timestamp {
    Timestamp::from_millis(zoned.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    // A Wednesday, 00:30 in Berlin and still Tuesday in UTC.
    const NOW: &str = "2026-05-12T22:30:00Z";

    fn given(text: &str) -> Option<(String, String)> {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let span = given_time(text, NOW.parse().unwrap(), &zone)?;
        Some((span.from.minute(), span.until.minute()))
    }

    #[test]
    fn words_give_times_in_the_time_zone() {
        for (text, from, until) in [
            ("now", "2026-05-12 22:30", "2026-05-12 22:30"),
            ("today", "2026-05-12 22:00", "2026-05-13 22:00"),
            ("yesterday", "2026-05-11 22:00", "2026-05-12 22:00"),
            ("since yesterday", "2026-05-11 22:00", "2026-05-12 22:00"),
            ("Gestern", "2026-05-11 22:00", "2026-05-12 22:00"),
            ("last week", "2026-05-03 22:00", "2026-05-12 22:00"),
            ("this month", "2026-04-30 22:00", "2026-05-13 22:00"),
            ("monday", "2026-05-10 22:00", "2026-05-11 22:00"),
            ("last wednesday", "2026-05-05 22:00", "2026-05-06 22:00"),
            ("march 2026", "2026-02-28 23:00", "2026-03-31 22:00"),
            ("3d", "2026-05-09 22:30", "2026-05-09 22:30"),
            ("2h ago", "2026-05-12 20:30", "2026-05-12 20:30"),
            ("90 minutes ago", "2026-05-12 21:00", "2026-05-12 21:00"),
            ("an hour ago", "2026-05-12 21:30", "2026-05-12 21:30"),
            ("two weeks ago", "2026-04-28 22:30", "2026-04-28 22:30"),
            ("6mo", "2025-11-12 23:30", "2025-11-12 23:30"),
            ("yesterday 14:30", "2026-05-12 12:30", "2026-05-12 12:30"),
            ("yesterday at 9:05", "2026-05-12 07:05", "2026-05-12 07:05"),
            ("0:15", "2026-05-12 22:15", "2026-05-12 22:15"),
        ] {
            assert_eq!(given(text), Some((from.to_owned(), until.to_owned())), "{text}");
        }
    }

    #[test]
    fn anything_else_gives_none() {
        for text in [
            "",
            "soon",
            "3",
            "3x",
            "yesterday or so",
            "last",
            "99999999d",
            "last week 14:30",
            "25:00",
            "yesterday 9:75",
            "3 4 days",
            "-3d",
        ] {
            assert_eq!(given(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_a_time_or_none(text in "\\PC*") {
            let _ = given(&text);
        }
    }
}
