//! The part of a text that a question is about.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use scrubjay_core::lexical::{self, Language, for_each_term, is_dialogue_word, is_stop_word};

use super::query::Query;

/// How much of a text a reader sees around the place, in bytes: about as much as a snippet shows.
const SPAN_BYTES: usize = 400;

/// How much of a text is looked at.
const TEXT_BYTES: usize = 4 << 20;

/// The words of a question, as they are looked for in a text.
#[derive(Debug, Clone, Default)]
pub(super) struct PassageTerms {
    /// Each term and each alternative, with the place of the term in the question.
    terms: BTreeMap<String, usize>,
    /// The same for the keys of inflections.
    inflections: BTreeMap<String, usize>,
    languages: BTreeSet<Language>,
}

/// The stretch of a text that holds most of the different words of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Passage {
    /// Where it begins, in bytes.
    pub(super) start: usize,
    /// How often it holds each term of the question that is no function word.
    pub(super) counts: BTreeMap<usize, u32>,
    /// How many words stand on its lines.
    pub(super) length: u32,
}

impl PassageTerms {
    /// Of a question.
    pub(super) fn of(query: &Query) -> Self {
        let mut wanted = Self::default();
        let tells = |word: &String| !is_stop_word(word);
        for (place, word) in query.words.iter().enumerate().filter(|(_, word)| tells(word)) {
            wanted.terms.insert(word.clone(), place);
        }
        for other in query.alternatives.iter().filter(|other| query.words.get(other.term).is_some_and(tells)) {
            match other.language {
                Some(language) => {
                    wanted.languages.insert(language);
                    wanted.inflections.insert(other.text.clone(), other.term);
                }
                None => drop(wanted.terms.entry(other.text.clone()).or_insert(other.term)),
            }
        }
        wanted
    }

    /// The passage of a text. A word that the text holds once tells more than one that it repeats, and one that only
    /// steers a conversation tells little.
    pub(super) fn passage(&self, text: &str) -> Passage {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
        let (found, words) = self.find(text);
        let mut counts: BTreeMap<usize, f32> = BTreeMap::new();
        for (_, term) in &found {
            *counts.entry(*term).or_default() += 1.0;
        }
        let steering: BTreeSet<usize> =
            self.terms.iter().filter(|(word, _)| is_dialogue_word(word)).map(|(_, place)| *place).collect();
        let worth = |term: &usize| if steering.contains(term) { 0.1 } else { 1.0 } / counts[term].sqrt();
        // Two ends go through the places where something was found; what lies between them is counted once.
        let mut best = (0.0, 0, 0);
        let mut inside: BTreeMap<usize, u32> = BTreeMap::new();
        let (mut weight, mut end) = (0.0, 0);
        for (place, (start, term)) in found.iter().enumerate() {
            while let Some((at, term)) = found.get(end).filter(|(at, _)| *at < start + SPAN_BYTES) {
                debug_assert!(at >= start);
                let count = inside.entry(*term).or_default();
                weight += if *count == 0 { worth(term) } else { 0.0 };
                *count += 1;
                end += 1;
            }
            if weight > best.0 + 1e-6 {
                best = (weight, place, end);
            }
            let count = inside.entry(*term).or_default();
            *count = count.saturating_sub(1);
            weight -= if *count == 0 { worth(term) } else { 0.0 };
        }
        let (_, first, last) = best;
        let (first, last) = tightened(&found, first, last);
        let mut passage = Passage { start: found.get(first).map_or(0, |(start, _)| *start), ..Passage::default() };
        for (_, term) in &found[first..last] {
            *passage.counts.entry(*term).or_default() += 1;
        }
        let end = found[first..last].last().map_or(passage.start, |(at, _)| *at);
        let lines = line_around(text, passage.start, end);
        let inside = words.iter().filter(|at| lines.contains(*at));
        passage.length = u32::try_from(inside.count()).unwrap_or(u32::MAX);
        passage
    }

    // Where the text holds which term, and where its words begin.
    fn find(&self, text: &str) -> (Vec<(usize, usize)>, Vec<usize>) {
        let (mut found, mut words) = (Vec::new(), Vec::new());
        let mut start = 0;
        for word in text.split(|character: char| !character.is_alphanumeric() && !lexical::is_emoji(character)) {
            if !word.is_empty() {
                words.push(start);
                let before = found.len();
                for_each_term(word, |term, _| {
                    if let Some(place) = self.terms.get(term) {
                        found.push((start, *place));
                    }
                });
                if found.len() == before {
                    let keys = self.languages.iter().filter_map(|language| lexical::inflection(*language, word));
                    let places = keys.filter_map(|key| self.inflections.get(&key).copied());
                    found.extend(places.take(1).map(|place| (start, place)));
                }
            }
            let separator = text[start + word.len()..].chars().next().map_or(0, char::len_utf8);
            start += word.len() + separator;
        }
        (found, words)
    }
}

// Begins a stretch as near as possible to where all of its words have been said for the first time, and takes up what
// then fits in at its end.
fn tightened(found: &[(usize, usize)], mut first: usize, mut last: usize) -> (usize, usize) {
    let different =
        |from: usize, until: usize| found[from..until].iter().map(|(_, term)| term).collect::<BTreeSet<_>>().len();
    let all = different(first, last);
    let covered = (first..=last).find(|until| different(first, *until) == all).unwrap_or(last);
    while first + 1 < covered && different(first + 1, covered) == all {
        first += 1;
    }
    while first < last && last < found.len() && found[last].0 < found[first].0 + SPAN_BYTES {
        last += 1;
    }
    (first, last)
}

// From the beginning of the line with one place to the end of the line with the other, if they are near.
fn line_around(text: &str, start: usize, end: usize) -> Range<usize> {
    let before = text.ceil_char_boundary(start.saturating_sub(SPAN_BYTES / 2));
    let after = text.floor_char_boundary(end + SPAN_BYTES / 2);
    let begins = text[before..start].rfind('\n').map_or(before, |place| before + place);
    let ends = text[end..after].find('\n').map_or(after, |place| end + place);
    begins..ends
}

#[cfg(test)]
mod tests {
    use scrubjay_core::lexical::terms;

    use super::*;

    fn wanted(question: &str) -> PassageTerms {
        let words = terms(question).into_iter().enumerate().filter(|(_, word)| !is_stop_word(word));
        PassageTerms { terms: words.map(|(place, word)| (word, place)).collect(), ..PassageTerms::default() }
    }

    fn place(text: &str, question: &str) -> usize {
        wanted(question).passage(text).start
    }

    #[test]
    fn the_stretch_with_most_of_the_words_is_shown() {
        let filler = "nothing of interest stands in this line of a long paste\n".repeat(2000);
        let text = format!("port of call\n{filler}the staging database listens on port 5433\n{filler}port port port\n");
        let question = "which port does the staging database use";
        let found = place(&text, question);
        assert!(text[found..].starts_with("staging database"), "{}", &text[found..found + 30]);
        assert_eq!(place("nothing in common", "staging database"), 0);
        assert_eq!(place("", "staging"), 0);
    }

    #[test]
    fn the_counts_are_those_of_the_stretch_alone() {
        let filler = "port \n".repeat(400);
        let text = format!("{filler}staging runs on port 5433, and the staging port never changes\n{filler}");
        let passage = wanted("staging port").passage(&text);
        assert_eq!(passage.counts.get(&0), Some(&2));
        assert!(passage.length < 100, "{passage:?}");
    }

    #[test]
    fn an_inflected_word_and_an_emoji_are_found() {
        let language = Language::all().find(|language| language.code() == "es").unwrap();
        let key = lexical::inflection(language, "configuramos").unwrap();
        let wanted = PassageTerms {
            terms: [("🚀".to_owned(), 1)].into(),
            inflections: [(key, 0)].into(),
            languages: [language].into(),
        };
        let text = "hola. la configuración del proxy está en nginx";
        assert!(text[wanted.passage(text).start..].starts_with("configuración"));
        assert_eq!(wanted.passage("shipped it 🚀").start, 11);
    }
}
