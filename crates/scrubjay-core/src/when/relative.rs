//! Times counted from today: “yesterday”, “last week”, “two months ago”.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::calendar::month;
use super::named::Phrase;

/// The time at the beginning of some words, in English.
pub(super) fn relative(words: &[&str], today: Date) -> Option<Phrase> {
    match words {
        ["the", "day", "before", "yesterday", ..] => day(4, back(today, 2.days())?),
        ["day-before-yesterday", ..] => day(1, back(today, 2.days())?),
        ["day-before", "yesterday", ..] => day(2, back(today, 2.days())?),
        ["yesterday" | "last-night", ..] => day(1, back(today, 1.day())?),
        ["today" | "tonight", ..] => day(1, today),
        ["this", "morning" | "afternoon" | "evening" | "night", ..] => day(2, today),
        ["last", "night", ..] => day(2, back(today, 1.day())?),
        ["last" | "past" | "previous", unit, ..] => last(2, unit, today),
        ["this", unit, ..] => this(2, unit, today),
        // Where the adjective follows: “la semana pasada”.
        [unit, "last-after" | "last-around", ..] => last(2, unit, today),
        ["last-around", unit, ..] => last(2, unit, today),
        [count, unit, "ago", ..] => ago(3, number(count)?, unit, today),
        ["a", "couple", "of", unit, "ago", ..] => ago(5, 2, unit, today),
        // Where the preposition comes first: “hace dos días”, “vor zwei Tagen”, “il y a deux jours”.
        ["ago-before", count, unit, ..] => ago(3, number(count)?, unit, today),
        ["il", "y", "a", count, unit, ..] => ago(5, number(count)?, unit, today),
        _ => None,
    }
    .or_else(|| match words {
        ["last" | "past" | "last-around", count, unit, ..] => within(3, number(count)?, unit, today),
        [count, "last-around", unit, ..] => within(3, number(count)?, unit, today),
        _ => None,
    })
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

pub(super) fn day(used: usize, date: Date) -> Option<Phrase> {
    Some((used, date, date.tomorrow().ok()?))
}

fn back(date: Date, span: Span) -> Option<Date> {
    date.checked_sub(span).ok()
}

fn past_year(today: Date, ended_by_month: i8) -> i16 {
    if today.month() >= ended_by_month { today.year() } else { today.year() - 1 }
}

/// A count, in digits or as a word.
pub(super) fn number(word: &str) -> Option<i64> {
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

/// The day of this name.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
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
