//! Times that a question names: “yesterday”, “last week”, “in May 2023”, “on 7 March”, “two months ago”.
//!
//! Each is a span of time, seen from the moment of asking. Only what is said in so many words counts; a phrase
//! that could mean anything gives nothing. Never fails.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};

use crate::time::Timestamp;

const DAY_MS: i64 = 86_400_000;

/// A time that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTime {
    /// The words that name it.
    pub words: Vec<String>,
    /// What they mean.
    pub span: TimeSpan,
}

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

/// The spans of time that a text names, as someone means them who says it at `now`. Days begin at midnight UTC.
#[must_use]
pub fn named_times(text: &str, now: Timestamp) -> Vec<NamedTime> {
    let Some(today) = date_of(now) else { return Vec::new() };
    let words: Vec<String> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '/' || c == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut spans = Vec::new();
    let mut place = 0;
    while place < words.len() {
        match phrase(&words[place..], today) {
            Some((used, first, days_end)) => {
                let named = words[place..place + used].iter().map(|word| (*word).to_owned()).collect();
                spans.extend(span(first, days_end).map(|span| NamedTime { words: named, span }));
                place += used;
            }
            None => place += 1,
        }
    }
    spans
}

// How many words were used, the first day and the day after the last.
type Phrase = (usize, Date, Date);

fn phrase(words: &[&str], today: Date) -> Option<Phrase> {
    relative(words, today).or_else(|| calendar(words, today))
}

fn relative(words: &[&str], today: Date) -> Option<Phrase> {
    match words {
        ["the", "day", "before", "yesterday", ..] => day(4, back(today, 2.days())?),
        ["yesterday", ..] => day(1, back(today, 1.day())?),
        ["today" | "tonight", ..] => day(1, today),
        ["this", "morning" | "afternoon" | "evening", ..] => day(2, today),
        ["last", "night", ..] => day(2, back(today, 1.day())?),
        ["last" | "past" | "previous", unit, ..] => last(2, unit, today),
        ["this", unit, ..] => this(2, unit, today),
        [count, unit, "ago", ..] => ago(3, number(count)?, unit, today),
        ["a", "couple", "of", unit, "ago", ..] => ago(5, 2, unit, today),
        _ => None,
    }
    .or_else(|| match words {
        ["last" | "past", count, unit, ..] => within(3, number(count)?, unit, today),
        _ => None,
    })
}

fn calendar(words: &[&str], today: Date) -> Option<Phrase> {
    if let Some(date) = iso_date(words[0]) {
        return day(1, date);
    }
    // “7 May 2023”, “May 7th, 2023”, “May 2023”, “in May”, “in 2023”.
    let day_number = |word: &str| {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let suffix = &word[digits.len()..];
        let number: i8 = digits.parse().ok()?;
        ((1..=31).contains(&number) && matches!(suffix, "" | "st" | "nd" | "rd" | "th")).then_some(number)
    };
    let (month_place, day_before) = match words {
        [first, "of", second, ..] if day_number(first).is_some() && month(second).is_some() => (2, day_number(first)),
        [first, second, ..] if day_number(first).is_some() && month(second).is_some() => (1, day_number(first)),
        [first, ..] if month(first).is_some() => (0, None),
        [preposition, year_word, ..] if matches!(*preposition, "in" | "during" | "since") => {
            let year = year(year_word)?;
            return Some((2, Date::new(year, 1, 1).ok()?, Date::new(year + 1, 1, 1).ok()?));
        }
        _ => return None,
    };
    let month_number = month(words[month_place])?;
    let mut used = month_place + 1;
    let mut day_number_found = day_before;
    if day_number_found.is_none()
        && let Some(number) = words.get(used).and_then(|word| day_number(word))
    {
        day_number_found = Some(number);
        used += 1;
    }
    let given_year = words.get(used).and_then(|word| year(word));
    used += usize::from(given_year.is_some());
    // “may” and “march” are verbs too: alone they need something that makes them a month.
    let ambiguous = matches!(words[month_place], "may" | "march" | "mar" | "sun" | "sat");
    if ambiguous && day_number_found.is_none() && given_year.is_none() {
        return None;
    }
    // Without a year the last one that has come is meant.
    let year = given_year.unwrap_or_else(|| {
        let this_year = (month_number, day_number_found.unwrap_or(1)) <= (today.month(), today.day());
        if this_year { today.year() } else { today.year() - 1 }
    });
    match day_number_found {
        Some(number) => day(used, Date::new(year, month_number, number).ok()?),
        None => {
            let first = Date::new(year, month_number, 1).ok()?;
            Some((used, first, first.checked_add(1.month()).ok()?))
        }
    }
}

fn last(used: usize, unit: &str, today: Date) -> Option<Phrase> {
    if let Some(weekday) = weekday(unit) {
        let mut date = back(today, 1.day())?;
        while date.weekday() != weekday {
            date = back(date, 1.day())?;
        }
        return day(used, date);
    }
    let monday = back(today, i64::from(today.weekday().to_monday_zero_offset()).days())?;
    match unit {
        // People say it on a Monday and on a Sunday; both the calendar's week and the last seven days are meant.
        "week" => Some((used, back(monday, 7.days())?, today)),
        "weekend" => Some((used, back(monday, 2.days())?, monday)),
        "month" => {
            let first = today.first_of_month();
            Some((used, back(first, 1.month())?, first))
        }
        "year" => Some((used, Date::new(today.year() - 1, 1, 1).ok()?, Date::new(today.year(), 1, 1).ok()?)),
        "summer" => {
            Some((used, Date::new(past_year(today, 9), 6, 1).ok()?, Date::new(past_year(today, 9), 9, 1).ok()?))
        }
        "spring" => {
            Some((used, Date::new(past_year(today, 6), 3, 1).ok()?, Date::new(past_year(today, 6), 6, 1).ok()?))
        }
        _ => {
            let number = month(unit)?;
            let year = if number < today.month() { today.year() } else { today.year() - 1 };
            let first = Date::new(year, number, 1).ok()?;
            Some((used, first, first.checked_add(1.month()).ok()?))
        }
    }
}

fn this(used: usize, unit: &str, today: Date) -> Option<Phrase> {
    let monday = back(today, i64::from(today.weekday().to_monday_zero_offset()).days())?;
    let first = match unit {
        "week" => monday,
        "month" => today.first_of_month(),
        "year" => Date::new(today.year(), 1, 1).ok()?,
        _ => return None,
    };
    Some((used, first, today.tomorrow().ok()?))
}

// “Two weeks ago” is about two weeks ago: half a unit to each side.
fn ago(used: usize, count: i64, unit: &str, today: Date) -> Option<Phrase> {
    let (middle, slack) = match unit.trim_end_matches('s') {
        "day" => (back(today, count.days())?, 0),
        "week" => (back(today, count.checked_mul(7)?.days())?, 3),
        "month" => (back(today, count.months())?, 15),
        "year" => (back(today, count.years())?, 182),
        _ => return None,
    };
    Some((used, back(middle, i64::from(slack).days())?, middle.checked_add(i64::from(slack + 1).days()).ok()?))
}

fn within(used: usize, count: i64, unit: &str, today: Date) -> Option<Phrase> {
    let first = match unit.trim_end_matches('s') {
        "day" => back(today, count.days())?,
        "week" => back(today, count.checked_mul(7)?.days())?,
        "month" => back(today, count.months())?,
        "year" => back(today, count.years())?,
        _ => return None,
    };
    Some((used, first, today.tomorrow().ok()?))
}

fn day(used: usize, date: Date) -> Option<Phrase> {
    Some((used, date, date.tomorrow().ok()?))
}

fn back(date: Date, span: Span) -> Option<Date> {
    date.checked_sub(span).ok()
}

fn past_year(today: Date, ended_by_month: i8) -> i16 {
    if today.month() >= ended_by_month { today.year() } else { today.year() - 1 }
}

fn number(word: &str) -> Option<i64> {
    const WORDS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match word {
        "a" | "an" => Some(1),
        _ => match WORDS.iter().position(|known| *known == word) {
            Some(place) => i64::try_from(place).ok(),
            None => word.parse().ok().filter(|number| (0..=1000).contains(number)),
        },
    }
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [(&str, &str); 12] = [
        ("january", "jan"),
        ("february", "feb"),
        ("march", "mar"),
        ("april", "apr"),
        ("may", "may"),
        ("june", "jun"),
        ("july", "jul"),
        ("august", "aug"),
        ("september", "sep"),
        ("october", "oct"),
        ("november", "nov"),
        ("december", "dec"),
    ];
    let word = word.trim_end_matches("'s");
    let place = MONTHS.iter().position(|(long, short)| word == *long || word == *short)?;
    i8::try_from(place + 1).ok()
}

fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" => Weekday::Monday,
        "tuesday" => Weekday::Tuesday,
        "wednesday" => Weekday::Wednesday,
        "thursday" => Weekday::Thursday,
        "friday" => Weekday::Friday,
        "saturday" => Weekday::Saturday,
        "sunday" => Weekday::Sunday,
        _ => return None,
    })
}

fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| is_year && (1900..=2200).contains(year))
}

fn iso_date(word: &str) -> Option<Date> {
    let mut parts = word.split(['-', '/']);
    let (year_part, month_part, day_part) = (parts.next()?, parts.next()?, parts.next()?);
    let date = Date::new(year(year_part)?, month_part.parse().ok()?, day_part.parse().ok()?).ok()?;
    parts.next().is_none().then_some(date)
}

fn date_of(time: Timestamp) -> Option<Date> {
    let timestamp = jiff::Timestamp::from_millisecond(time.millis()).ok()?;
    Some(timestamp.to_zoned(TimeZone::UTC).date())
}

fn span(first: Date, end: Date) -> Option<TimeSpan> {
    let start_of = |date: Date| {
        let zoned = date.to_zoned(TimeZone::UTC).ok()?;
        Some(Timestamp::from_millis(zoned.timestamp().as_millisecond()))
    };
    Some(TimeSpan { from: start_of(first)?, until: start_of(end)? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // A Wednesday.
    const NOW: &str = "2026-05-13T15:30:00Z";

    fn check(text: &str, wanted: &[(&str, &str)]) {
        let found: Vec<(String, String)> = named_times(text, NOW.parse().unwrap())
            .iter()
            .map(|named| named.span)
            .map(|span| (span.from.to_string()[..10].to_owned(), span.until.to_string()[..10].to_owned()))
            .collect();
        let wanted: Vec<(String, String)> =
            wanted.iter().map(|(from, until)| ((*from).to_owned(), (*until).to_owned())).collect();
        assert_eq!(found, wanted, "{text}");
    }

    #[test]
    fn times_relative_to_now() {
        check("what did we decide yesterday?", &[("2026-05-12", "2026-05-13")]);
        check("the plan of the day before yesterday", &[("2026-05-11", "2026-05-12")]);
        check("last week's deployment, last week", &[("2026-05-04", "2026-05-13")]);
        check("last month", &[("2026-04-01", "2026-05-01")]);
        check("what happened two weeks ago", &[("2026-04-26", "2026-05-03")]);
        check("3 days ago", &[("2026-05-10", "2026-05-11")]);
        check("in the past 10 days", &[("2026-05-03", "2026-05-14")]);
        check("last Friday", &[("2026-05-08", "2026-05-09")]);
        check("last year", &[("2025-01-01", "2026-01-01")]);
        check("this month", &[("2026-05-01", "2026-05-14")]);
    }

    #[test]
    fn dates_of_the_calendar() {
        check("on 2024-03-05", &[("2024-03-05", "2024-03-06")]);
        check("on 7 March 2023 and May 8th, 2023", &[("2023-03-07", "2023-03-08"), ("2023-05-08", "2023-05-09")]);
        check("the 1st of August", &[("2025-08-01", "2025-08-02")]);
        check("in June 2025", &[("2025-06-01", "2025-07-01")]);
        check("in April", &[("2026-04-01", "2026-05-01")]);
        check("in December", &[("2025-12-01", "2026-01-01")]);
        check("in 2023", &[("2023-01-01", "2024-01-01")]);
    }

    #[test]
    fn what_could_mean_anything_means_nothing() {
        for text in ["I may march on", "the last resort", "room 2023", "", "version 3.2.1", "last", "this"] {
            check(text, &[]);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_fine(text in ".{0,60}", words in "((last|this|in|a|2|week|may|march|ago|days|of|31|2023) ){0,8}") {
            let now = NOW.parse().unwrap();
            let _ = named_times(&text, now);
            for named in named_times(&words, now) {
                prop_assert!(named.span.from < named.span.until && !named.words.is_empty());
            }
        }
    }
}
