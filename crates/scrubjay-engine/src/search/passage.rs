//! The part of a text that a question is about.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::lexical::{for_each_term, is_stop_word};

/// How much of a text a reader sees around the place, in bytes: about as much as a snippet shows.
const SPAN_BYTES: usize = 400;

/// How much of a text is looked at.
const TEXT_BYTES: usize = 256 * 1024;

/// Where the stretch of a text begins that holds most of the different words of a question, in bytes. A word that the
/// text holds once tells more than one that it repeats.
pub(super) fn best_place(text: &str, words: &[String]) -> usize {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES)];
    let wanted: BTreeSet<&str> = words.iter().map(String::as_str).filter(|word| !is_stop_word(word)).collect();
    let mut found: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        for_each_term(word, |term, _| {
            if let Some(term) = wanted.get(term) {
                found.push((start, term));
            }
        });
        let separator = text[start + word.len()..].chars().next().map_or(0, char::len_utf8);
        start += word.len() + separator;
    }
    let mut counts: BTreeMap<&str, f32> = BTreeMap::new();
    for (_, term) in &found {
        *counts.entry(term).or_default() += 1.0;
    }
    let mut best = (0.0, 0);
    for (place, (start, _)) in found.iter().enumerate() {
        let stretch = found[place..].iter().take_while(|(at, _)| *at < start + SPAN_BYTES);
        let terms: BTreeSet<&str> = stretch.map(|(_, term)| *term).collect();
        let weight: f32 = terms.iter().map(|term| 1.0 / counts[term].sqrt()).sum();
        if weight > best.0 {
            best = (weight, *start);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use scrubjay_core::lexical::terms;

    use super::*;

    #[test]
    fn the_stretch_with_most_of_the_words_is_shown() {
        let filler = "nothing of interest stands in this line of a long paste\n".repeat(2000);
        let text = format!("port of call\n{filler}the staging database listens on port 5433\n{filler}port port port\n");
        let place = best_place(&text, &terms("which port does the staging database use"));
        assert!(text[place..].starts_with("staging database"), "{}", &text[place..place + 30]);
        assert_eq!(best_place("nothing in common", &terms("staging database")), 0);
        assert_eq!(best_place("", &terms("staging")), 0);
    }
}
