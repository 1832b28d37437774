//! Days, written in numbers or with the name of the month.

use std::sync::LazyLock;

use ::regex::{Captures, Regex};
use scrubjay_core::entity::EntityType;

use super::findings::{Findings, character_after, character_before, is_spaced_letter};
use crate::ner::error::NerError;

const ISO_CONFIDENCE: f32 = 0.95;
const OTHER_CONFIDENCE: f32 = 0.9;
const YEARS: std::ops::RangeInclusive<u32> = 1000..=2999;

/// A pattern that is compiled when the first text is read.
type Pattern = LazyLock<Result<Regex, ::regex::Error>>;

/// `2026-05-01`, `1.5.2026`, `2026年5月1日`: three numbers between equal signs, the year first or last.
static NUMBERS: Pattern = LazyLock::new(|| Regex::new(r"([0-9]{1,4})([-./年])([0-9]{1,2})([-./月])([0-9]{1,4})(日?)"));
/// `1 May 2026`, `1st of May, 2026`, `1. Mai 2026`, `1 de mayo de 2026`.
static DAY_FIRST: Pattern = LazyLock::new(|| {
    Regex::new(
        r"([0-9]{1,2})(?:st|nd|rd|th|er|\.)?[ \u{A0}]+(?:of |de |d')?([A-Za-zÀ-ÿ]{3,10})\.?,?[ \u{A0}]+(?:de |del )?([0-9]{4})",
    )
});
/// `May 1, 2026`, `Sept. 1st 2026`.
static MONTH_FIRST: Pattern =
    LazyLock::new(|| Regex::new(r"([A-Za-zÀ-ÿ]{3,10})\.?[ \u{A0}]+([0-9]{1,2})(?:st|nd|rd|th)?,?[ \u{A0}]+([0-9]{4})"));

pub(super) fn find(text: &str, findings: &mut Findings<'_>) -> Result<(), NerError> {
    findings.make_room();
    // Most texts name no year; they neither wait for the patterns to be compiled nor are searched with them.
    if !has_year(text) {
        return Ok(());
    }
    find_pattern(text, &NUMBERS, read_numbers, findings)?;
    find_pattern(text, &DAY_FIRST, |found| read_named_month(found, 1, 2, 3), findings)?;
    find_pattern(text, &MONTH_FIRST, |found| read_named_month(found, 2, 1, 3), findings)
}

fn find_pattern(
    text: &str,
    pattern: &'static Pattern,
    read: impl Fn(&Captures<'_>) -> Option<(Day, f32)>,
    findings: &mut Findings<'_>,
) -> Result<(), NerError> {
    let pattern = match &**pattern {
        Ok(pattern) => pattern,
        Err(source) => return Err(NerError::Pattern { what: "days", source: source.clone() }),
    };
    for whole in pattern.find_iter(text) {
        if findings.is_full() {
            break;
        }
        if stands_alone(text, whole.start(), whole.end())
            && let Some(parts) = pattern.captures(whole.as_str())
            && let Some((day, confidence)) = read(&parts)
        {
            findings.add(whole.range(), day.to_string(), EntityType::Date, confidence);
        }
    }
    Ok(())
}

/// True if four digits stand in a row, as they do in every day that can be read.
fn has_year(text: &str) -> bool {
    let mut digits = 0;
    text.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits == 4
    })
}

/// A day that exists.
struct Day {
    year: u32,
    month: u32,
    day: u32,
}

impl Day {
    fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
        let last_day = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => return None,
        };
        (YEARS.contains(&year) && (1..=last_day).contains(&day)).then_some(Self { year, month, day })
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn read_numbers(found: &Captures<'_>) -> Option<(Day, f32)> {
    let part = |index: usize| found.get(index).map_or("", |part| part.as_str());
    let number = |index: usize| part(index).parse::<u32>().ok();
    let (first, second, third) = (number(1)?, number(3)?, number(5)?);
    match (part(2), part(4), part(6)) {
        ("年", "月", "日") => Day::new(first, second, third).map(|day| (day, OTHER_CONFIDENCE)),
        (one, other, "") if one == other && part(1).len() == 4 && part(5).len() <= 2 => {
            let confidence = if one == "-" { ISO_CONFIDENCE } else { OTHER_CONFIDENCE };
            Day::new(first, second, third).map(|day| (day, confidence))
        }
        (".", ".", "") if part(1).len() <= 2 && part(5).len() == 4 => {
            Day::new(third, second, first).map(|day| (day, OTHER_CONFIDENCE))
        }
        // Whether the day or the month comes first is a matter of country, so only what can be read in one way counts.
        ("/", "/", "") | ("-", "-", "") if part(1).len() <= 2 && part(5).len() == 4 => {
            match (Day::new(third, second, first), Day::new(third, first, second)) {
                (Some(day), None) | (None, Some(day)) => Some((day, OTHER_CONFIDENCE)),
                (Some(day), Some(_)) if first == second => Some((day, OTHER_CONFIDENCE)),
                _ => None,
            }
        }
        _ => None,
    }
}

fn read_named_month(found: &Captures<'_>, day: usize, month: usize, year: usize) -> Option<(Day, f32)> {
    let part = |index: usize| found.get(index).map_or("", |part| part.as_str());
    let month = month_number(part(month))?;
    Day::new(part(year).parse().ok()?, month, part(day).parse().ok()?).map(|day| (day, OTHER_CONFIDENCE))
}

/// The month by its name or usual abbreviation in English, German, French, Spanish, Italian, Portuguese or Dutch.
fn month_number(name: &str) -> Option<u32> {
    let name = name.to_lowercase();
    let index = MONTHS.iter().position(|names| names.split(' ').any(|known| known == name))?;
    u32::try_from(index + 1).ok()
}

const MONTHS: [&str; 12] = [
    "january jan januar januari janvier enero ene gennaio gen janeiro jänner",
    "february feb februar februari février fevrier fév febrero febbraio fevereiro fev",
    "march mar märz mrz maart mrt mars marzo março marco",
    "april apr avril avr abril abr aprile",
    "may mai mei mayo maggio mag maio",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug augustus août aout agosto ago",
    "september sep sept septembre septiembre setiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro",
];

/// True if the day is not a piece of a longer number, name or path. A time may follow.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let begins = character_before(text, start)
        .is_none_or(|before| !is_spaced_letter(before) && !matches!(before, '_' | '-' | '.' | '/' | '\\' | '#'));
    let next = character_after(text, end);
    let second = next.and_then(|next| character_after(text, end + next.len_utf8()));
    let ends = match next {
        None => true,
        Some('T' | 't') => second.is_some_and(|second| second.is_ascii_digit()),
        Some('_' | '/' | '\\') => false,
        Some('-' | '.' | ':' | ',') => !second.is_some_and(is_spaced_letter),
        Some(next) => !is_spaced_letter(next),
    };
    begins && ends
}
