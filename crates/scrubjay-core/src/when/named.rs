//! Finding the times in a text.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::calendar::calendar;
use super::relative::relative;
use super::span::TimeSpan;
use super::translation::in_english;
use crate::lexical::LanguageGuess;
use crate::time::Timestamp;

/// A time that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTime {
    /// The words that name it.
    pub words: Vec<String>,
    /// What they mean.
    pub span: TimeSpan,
}

/// How many words were used, the first day and the day after the last.
pub(super) type Phrase = (usize, Date, Date);

/// The spans of time that a text names, as someone means them who says it at `now`. Days begin at midnight UTC.
#[must_use]
pub fn named_times(text: &str, now: Timestamp) -> Vec<NamedTime> {
    let Some(today) = date_of(now) else { return Vec::new() };
    let said = said_words(text);
    let guess = LanguageGuess::of(text);
    let words: Vec<&str> = said.iter().map(|word| in_english(word, &guess)).collect();
    let mut spans = Vec::new();
    let mut place = 0;
    while place < words.len() {
        match phrase(&words[place..], today) {
            Some((used, first, days_end)) => {
                let named = said[place..place + used].to_vec();
                spans.extend(span(first, days_end).map(|span| NamedTime { words: named, span }));
                place += used;
            }
            None => place += 1,
        }
    }
    spans
}

/// The words of a text, in lower case.
pub(super) fn said_words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '/' | '\'' | '’')))
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect()
}

/// The time at the beginning of some words.
pub(super) fn phrase(words: &[&str], today: Date) -> Option<Phrase> {
    relative(words, today).or_else(|| calendar(words, today))
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
