//! The words of a sentence as they are written, and which of them are written like a name.

use std::ops::Range;

use super::everyday::{is_everyday, is_never_a_name};
use crate::ner::regex::CodeBlocks;

/// A word without the punctuation around it and without the ending of a genitive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) span: Range<usize>,
    /// Written with a capital, of letters only, not in code, and no word that is never a name.
    pub(super) is_like_name: bool,
    /// Begins a sentence, quote or item, where a capital says nothing.
    pub(super) is_first: bool,
    /// An everyday word if it were written without a capital.
    pub(super) is_everyday: bool,
    /// Only spaces, or `&`, stand between it and the word before.
    pub(super) follows: bool,
}

/// Marks that words cannot have inside.
const BETWEEN: &[char] = &[
    ',', ';', '!', '?', '(', ')', '[', ']', '{', '}', '"', '“', '”', '„', '«', '»', '…', '—', '–', '|', '*', '•', '·',
];
/// Around a word they say that it is code, an address or a handle.
const TECHNICAL: &[char] = &['@', '#', '/', '\\', '_', '`', '$', '<', '>', '=', '~', '%', '^', '+'];
/// Before a word they say that it begins something.
const OPENING: &[char] =
    &[':', '"', '“', '„', '«', '(', '[', '*', '-', '•', '·', '—', '–', '…', '|', '>', '.', '!', '?'];

/// The words of a sentence.
pub(super) fn words(text: &str, sentence: Range<usize>, code: &CodeBlocks<'_>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut start = None;
    let places = text[sentence.clone()].char_indices().map(|(place, one)| (sentence.start + place, Some(one)));
    for (place, one) in places.chain([(sentence.end, None)]) {
        let is_inside = one.is_some_and(|one| !one.is_whitespace() && !BETWEEN.contains(&one));
        match (start, is_inside) {
            (None, true) => start = Some(place),
            (Some(begin), false) => {
                start = None;
                words.extend(word(text, &sentence, begin..place, words.last(), code));
            }
            _ => {}
        }
    }
    words
}

fn word(
    text: &str,
    sentence: &Range<usize>,
    run: Range<usize>,
    before: Option<&Word>,
    code: &CodeBlocks<'_>,
) -> Option<Word> {
    let written = &text[run.clone()];
    let bare = written.trim_matches(|one: char| !one.is_alphanumeric());
    let lead = written.find(bare).filter(|_| !bare.is_empty())?;
    let start = run.start + lead;
    let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
    let span = start..start + bare.len();
    let (left, right) = (&written[..lead], &text[span.end..run.end]);
    let lower = bare.to_lowercase();
    let gap = &text[before.map_or(sentence.start, |before| before.span.end)..span.start];
    let is_first = before.is_none() || gap.trim_end().ends_with(OPENING);
    let is_technical = left.contains(TECHNICAL)
        || right.contains(TECHNICAL)
        || left.ends_with(['.', ':', '-'])
        || right.starts_with("::")
        || text[run.end..].starts_with(['(', '[', '{'])
        || is_argument(&text[..run.start]);
    Some(Word {
        is_like_name: !is_technical
            && (is_written_like_name(bare) || (is_initial(bare) && right.starts_with('.')))
            && !is_never_a_name(&lower)
            && !code.contains(start),
        is_everyday: is_everyday(&lower),
        follows: before.is_some_and(|before| {
            let gap = if is_initial(&text[before.span.clone()]) { gap.strip_prefix('.').unwrap_or(gap) } else { gap };
            gap == " & " || (!gap.is_empty() && gap.chars().all(|one| one == ' '))
        }),
        is_first,
        span,
    })
}

/// True after `call(`: a bracket that belongs to the word before it.
fn is_argument(before: &str) -> bool {
    let called = before.strip_suffix(['(', '[', '{']);
    called.is_some_and(|called| called.ends_with(|one: char| one.is_alphanumeric() || one == '_'))
}

/// The `T` of `John T. Dorsey`, the `J.K` of `J.K. Rowling`.
fn is_initial(word: &str) -> bool {
    word.split('.').all(|part| part.chars().next().is_some_and(char::is_uppercase) && part.chars().nth(1).is_none())
}

/// A capital at the beginning of each part, and nothing but letters: `Ann`, `O'Brien`, `Jean-Michel`, `J.K`, `AT&T`.
fn is_written_like_name(word: &str) -> bool {
    let is_dotted = word.contains('.');
    let mut letters = 0;
    for part in word.split(['-', '.', '&']) {
        let mut characters = part.chars();
        if !characters.next().is_some_and(char::is_uppercase) {
            return false;
        }
        letters += 1;
        for one in characters {
            if !one.is_alphabetic() && one != '\'' && one != '’' {
                return false;
            }
            letters += 1;
        }
        if is_dotted && part.chars().nth(2).is_some() {
            return false;
        }
    }
    letters >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let words = words(text, 0..text.len(), &CodeBlocks::of(text));
        let found: Vec<&str> =
            words.iter().filter(|word| word.is_like_name).map(|word| &text[word.span.clone()]).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn what_is_written_like_a_name() {
        check("yesterday Ann's brother met Jean-Michel O'Brien.", &["Ann", "Jean-Michel", "O'Brien"]);
        check("the U.S. and AT&T, J.K. Rowling (Édouard)", &["U.S", "AT&T", "J.K", "Rowling", "Édouard"]);
        check("**Mary**: \"Bob\", she said", &["Mary", "Bob"]);
    }

    #[test]
    fn code_addresses_and_words_that_are_never_names_are_not() {
        check("`Vec` and Vec::new() or std::Vec, Foo(1), Foo_Bar, Self.Name", &[]);
        check("```\nAnn\n```", &[]);
        check("see Docs/Readme, C:\\Users, @Ann #Ann $HOME https://Example.org/Ann", &[]);
        check("Follow-up in Q4 on Monday in May: Im here, I've, Lol", &[]);
    }

    #[test]
    fn a_word_knows_what_stands_before_it() {
        let text = "Well: Ann Lee, Bob";
        let words = words(text, 0..text.len(), &CodeBlocks::of(text));
        let marks: Vec<_> = words.iter().map(|word| (word.is_first, word.follows)).collect();
        assert_eq!(marks, [(true, false), (true, false), (false, true), (false, false)]);
        let text = "by J.K. Rowling and John T. Dorsey.";
        let words = super::words(text, 0..text.len(), &CodeBlocks::of(text));
        let names: Vec<_> = words.iter().map(|word| word.is_like_name && word.follows).collect();
        assert_eq!(names, [false, true, true, false, true, true, true]);
    }
}
