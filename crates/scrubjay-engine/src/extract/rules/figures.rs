//! Figures that people give of themselves and their work, mostly in passing.
//!
//! “By the way, I've had Luna for six months now - do you know a good vet?” asks for something else, and yet states a
//! figure. The fact is the part of the sentence that states it.

use std::sync::OnceLock;

use regex::Regex;
use scrubjay_core::lexical::Figure;

use super::rule::languages;
use crate::{EngineError, Result};

/// How many words such a part has.
const WORDS: std::ops::RangeInclusive<usize> = 4..=32;

/// Where one part of a sentence ends and another begins.
const BETWEEN: &str = r"(?i)\s[-–—]+\s|;\s|…\s?|\.\.\.\s?|,\s(?:and|but|so|which|since|because|although|though|while|considering|und|aber|weil|mais|donc|pero|así que|porque)\s(?:then\s|also\s)?|,\s(?:speaking of which|do you|can you|could you|would you|are there|is there|what|how|any)\b";

/// What leads up to a figure and is no part of it.
const LEADING: &str = r"(?i)^(?:(?:speaking of [^,]{2,40}|i(?:'ve)? (?:just )?(?:realized|realised|noticed|checked and|figured out)(?: that)?|i'm (?:happy|proud|glad) to (?:say|report)(?: that)?|it turns out(?: that)?|as of (?:now|today)|fun fact|having|by the way|oh|also|and|anyway|actually)[,:]?\s+)+";

/// Words that refer to what stands before.
const REFERRING: &str =
    r"(?i)^(?:it|it's|its|this|that|that's|they|they've|they're|these|those|he|she|he's|she's|there|with|including)\b";

/// Someone or something that another sentence names.
const LOST: &str = r"(?i)\b(?:have|had|with|for|using|use|doing|of) (?:them|him|her|it)\b.*\d|\bhave (?:them|him|her|it)\b|\b(?:i|we) (?:believe|think|guess|assume)\b";

/// What is over soon or was never more than an intention: a figure in it is worth nothing in a month.
const STALE: &str = r"(?i)\b(?:in|over|within|during) the (?:past|last)\b|\b(?:meaning|trying|planning|hoping|going|need|want) to\b|\bnarrowed\b|\b(?:like|as if) i'm\b|\bobsessed\b|% off\b|\b(?:days?|weeks?) ago\b|\b(?:been|was|were) there\b|\buse(?:d)? their\b|\btotally into\b|\beyeing\b|\bbudget (?:is|of) (?:around|about)\b|\bfor (?:the|this|my|our) trip\b";

/// The part of a sentence that states a figure, if one does and can be understood alone.
///
/// # Errors
/// When a pattern is wrong.
pub(super) fn stated_figure(sentence: &str) -> Result<Option<&str>> {
    static PATTERNS: OnceLock<std::result::Result<[Regex; 5], regex::Error>> = OnceLock::new();
    let patterns = PATTERNS.get_or_init(|| {
        Ok([Regex::new(BETWEEN)?, Regex::new(LEADING)?, Regex::new(REFERRING)?, Regex::new(LOST)?, Regex::new(STALE)?])
    });
    let [between, leading, referring, lost, stale] =
        patterns.as_ref().map_err(|error| EngineError::invalid(format!("a pattern of figures is wrong: {error}")))?;
    let mut parts = Vec::new();
    let mut start = 0;
    for found in between.find_iter(sentence) {
        parts.push((start, found.start()));
        start = found.end();
    }
    parts.push((start, sentence.len()));
    let Some(english) = languages()?.first() else { return Ok(None) };
    for (place, (start, end)) in parts.iter().enumerate() {
        // A part that refers to another one, or says too little, is told with the one before it.
        let starts = [Some(*start), place.checked_sub(1).map(|before| parts[before].0)];
        for start in starts.into_iter().flatten() {
            let mut part = sentence[start..*end].trim();
            if let Some(found) = english.lead_in.find(part).filter(|found| found.start() == 0) {
                part = part[found.end()..].trim_start();
            }
            part = &part[leading.find(part).map_or(0, |found| found.end())..];
            let is_whole = WORDS.contains(&part.split_whitespace().count())
                && !referring.is_match(part)
                && !lost.is_match(part)
                && !stale.is_match(part)
                && !part.ends_with(['?', '？', ':'])
                && !part.contains(['"', '“'])
                && !english.unreal.is_match(part);
            if is_whole && Figure::of(part).is_some_and(|figure| figure.is_clear_alone()) {
                return Ok(Some(part));
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_states_a_figure_is_the_fact() {
        for (sentence, expected) in [
            (
                "By the way, I've had my Garmin watch for 6 months now, and it's been great - any tips?",
                Some("I've had my Garmin watch for 6 months now"),
            ),
            ("Do you know a trail, since I've hiked 14 trails in the Vosges so far?", None),
            (
                "Speaking of soups, I've tried five of Rosa's soups so far, so what is next?",
                Some("I've tried five of Rosa's soups so far"),
            ),
            ("We now have 5 replicas in production.", Some("We now have 5 replicas in production.")),
            ("I just got my best score in Azul - 104 points!", Some("I just got my best score in Azul - 104 points!")),
            (
                "I'm so proud of the daily stretching - it's been 3 weeks already!",
                Some("I'm so proud of the daily stretching - it's been 3 weeks already!"),
            ),
            ("It's been 3 weeks already!", None),
            ("I might have 3 replicas by now", None),
            ("We fixed 12 bugs on Friday", None),
            ("I've taken three flights in the past two months", None),
            ("I've been meaning to dust the shelves every two weeks", None),
            ("Have you tried all 12 of them by now?", None),
        ] {
            assert_eq!(stated_figure(sentence).unwrap(), expected, "{sentence}");
        }
    }
}
