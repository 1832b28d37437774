//! Days to come, as people say them in a plan.

use std::sync::OnceLock;

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan};
use regex::{Captures, Regex};
use scrubjay_core::time::Timestamp;

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const NUMBERS: [&str; 11] = ["a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// The day, week or month to come that a sentence names: `2026-05-01`, or `2026-05` for a month. None if it names none,
/// or one that is over.
#[must_use]
pub fn resolve(sentence: &str, said: Timestamp) -> Option<String> {
    let said = jiff::Timestamp::from_millisecond(said.millis()).ok()?.to_zoned(TimeZone::UTC).date();
    let text = sentence.to_lowercase();
    let found = patterns()?.captures(&text)?;
    let day = if let Some(whole) = group(&found, "iso") {
        whole.parse::<Date>().ok()?
    } else if group(&found, "after").is_some() {
        said.checked_add(2.days()).ok()?
    } else if group(&found, "tomorrow").is_some() {
        said.checked_add(1.day()).ok()?
    } else if group(&found, "weekend").is_some() {
        said.nth_weekday(1, Weekday::Saturday).ok()?
    } else if let Some(name) = group(&found, "weekday") {
        let (_, weekday) = WEEKDAYS.iter().find(|(known, _)| name == *known)?;
        said.nth_weekday(1, *weekday).ok()?
    } else if let Some(unit) = group(&found, "unit") {
        let count = number(group(&found, "count")?)?;
        said.checked_add(span(unit, count)?).ok()?
    } else if let Some(unit) = group(&found, "next") {
        match unit {
            "weekend" => said.nth_weekday(1, Weekday::Saturday).ok()?,
            "month" => return month(said.checked_add(1.month()).ok()?),
            "year" => return said.checked_add(1.year()).ok().map(|day| day.year().to_string()),
            _ => said.checked_add(span(unit, 1)?).ok()?,
        }
    } else {
        let name = group(&found, "month").or_else(|| group(&found, "month2")).or_else(|| group(&found, "month3"))?;
        let number = i8::try_from(MONTHS.iter().position(|known| name.starts_with(known))? + 1).ok()?;
        let year = group(&found, "year").and_then(|year| year.parse::<i16>().ok());
        let Some(day) = group(&found, "day").or_else(|| group(&found, "day2")) else {
            let first = upcoming(said, year, number, 1, true)?;
            return month(first);
        };
        upcoming(said, year, number, day.parse().ok()?, false)?
    };
    (day >= said).then(|| day.to_string())
}

fn patterns() -> Option<&'static Regex> {
    static PATTERN: OnceLock<Option<Regex>> = OnceLock::new();
    let months = r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
    PATTERN
        .get_or_init(|| {
            Regex::new(&format!(
                r"(?x)
                \b(?P<iso>\d{{4}}-\d{{2}}-\d{{2}})\b
                | \b(?P<after>day\ after\ tomorrow)\b
                | \b(?P<tomorrow>tomorrow)\b
                | \bthis\ (?:coming\ )?(?P<weekend>weekend)\b
                | \b(?:on|next|this|by|until|coming)\ (?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b
                | \bin\ (?:about\ )?(?P<count>\d{{1,2}}|an?|one|two|three|four|five|six|seven|eight|nine|ten)\ (?P<unit>days?|weeks?|months?|years?)\b
                | \bnext\ (?P<next>week|weekend|month|year)\b
                | \b(?P<month>{months})\.?\ (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\ (?P<year>20\d{{2}}))?
                | \b(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\ (?:of\ )?(?P<month2>{months})\b
                | \b(?:in|next|this|by|early|late)\ (?P<month3>{months})\b"
            ))
            .ok()
        })
        .as_ref()
}

fn group<'a>(found: &Captures<'a>, name: &str) -> Option<&'a str> {
    found.name(name).map(|found| found.as_str())
}

fn number(word: &str) -> Option<i64> {
    let word = if word == "an" { "a" } else { word };
    match NUMBERS.iter().position(|known| *known == word) {
        Some(place) => i64::try_from(place.max(1)).ok(),
        None => word.parse().ok(),
    }
}

fn span(unit: &str, count: i64) -> Option<Span> {
    match unit.trim_end_matches('s') {
        "day" => Some(count.days()),
        "week" => Some(count.weeks()),
        "month" => Some(count.months()),
        "year" => Some(count.years()),
        _ => None,
    }
}

// The next such day on or after a day; the month's first day counts until the month is over.
fn upcoming(said: Date, year: Option<i16>, month: i8, day: i8, whole_month: bool) -> Option<Date> {
    let in_year = |year| Date::new(year, month, day).ok();
    if let Some(year) = year {
        return in_year(year);
    }
    let this = in_year(said.year())?;
    let over = if whole_month { this.last_of_month() < said } else { this < said };
    if over { in_year(said.year() + 1) } else { Some(this) }
}

fn month(day: Date) -> Option<String> {
    Some(format!("{:04}-{:02}", day.year(), day.month()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_to_come() {
        // A Friday.
        let said: Timestamp = "2026-05-01T12:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("we fly tomorrow", Some("2026-05-02")),
            ("the release is on Tuesday", Some("2026-05-05")),
            ("next friday we meet", Some("2026-05-08")),
            ("in two weeks I start", Some("2026-05-15")),
            ("in 3 months", Some("2026-08-01")),
            ("the exam is on June 3rd", Some("2026-06-03")),
            ("on 3 June", Some("2026-06-03")),
            ("on March 3", Some("2027-03-03")),
            ("March 3, 2025", None),
            ("in September we marry", Some("2026-09")),
            ("in May", Some("2026-05")),
            ("by 2026-12-24", Some("2026-12-24")),
            ("on 2020-01-01", None),
            ("next month", Some("2026-06")),
            ("this weekend", Some("2026-05-02")),
            ("this year", None),
            ("today", None),
            ("the day after tomorrow", Some("2026-05-03")),
            ("someday", None),
            ("I may go", None),
            ("on February 31", None),
        ] {
            assert_eq!(resolve(text, said).as_deref(), expected, "{text}");
        }
    }
}
