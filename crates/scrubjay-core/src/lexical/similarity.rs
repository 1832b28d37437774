//! Whether two texts say the same, judged by their words.

use std::collections::BTreeSet;

use super::fold::fold_into;
use super::script::CharacterClass::{Apostrophe, Colon, Dense, Digit, Joint, Lower, Mark, Slash, Underscore, Upper};
use super::script::character_class;

/// From this share of common words on, two texts may be duplicates.
const DUPLICATE_SHARE: f64 = 0.75;

/// True if one of the two texts can stand for both.
///
/// They must share three quarters of their words, and may differ only in words that change no claim: articles and a
/// few others. Everything else has to be there in both and in the same order: content words,
/// numbers, negations, prepositions, tenses, and signs such as `%`, `<` or `?`. Merging loses one of the texts, so a
/// doubt means no.
#[must_use]
pub fn near_duplicate(first: &str, second: &str) -> bool {
    if first.trim() == second.trim() {
        return !first.trim().is_empty();
    }
    let (first, second) = (Claim::of(first), Claim::of(second));
    !first.content.is_empty()
        && first.content == second.content
        && jaccard(&first.words, &second.words) >= DUPLICATE_SHARE
}

/// The share of common words among all words of two sets; 0 where there are none, because no common word is no
/// evidence.
#[must_use]
pub fn jaccard(first: &BTreeSet<String>, second: &BTreeSet<String>) -> f64 {
    let common = first.intersection(second).count();
    let all = first.len() + second.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
}

/// The words of a text, folded and in lower case but neither stemmed nor split: `foo_bar`, `1.5` and `don't` are one
/// word each. Scripts without spaces give pairs of characters.
#[must_use]
pub fn word_set(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for_each_token(text, |token| {
        if let Token::Word { word, .. } = token {
            words.insert(word.to_owned());
        }
    });
    words
}

/// What a text says, as far as words can tell.
struct Claim {
    words: BTreeSet<String>,
    /// The words and signs that are not neutral, in their order.
    content: Vec<String>,
}

impl Claim {
    fn of(text: &str) -> Self {
        let mut claim = Self { words: BTreeSet::new(), content: Vec::new() };
        let mut final_neutral_word = None;
        for_each_token(text, |token| match token {
            Token::Word { word, is_common } => {
                claim.words.insert(word.to_owned());
                let is_neutral = is_common && NEUTRAL_WORDS.contains(&word);
                final_neutral_word = is_neutral.then(|| word.to_owned());
                if !is_neutral {
                    claim.content.push(word.to_owned());
                }
            }
            Token::Sign(sign) => claim.content.push(sign.to_string()),
        });
        // An article does not end a text: what looks like one there is a name, as in `plan a`.
        claim.content.extend(final_neutral_word);
        claim
    }
}

/// Words that may be there or not without a claim becoming another one. Only those qualify that mean nothing else in
/// any of the languages: German `die` and `den` are English words, Portuguese `no` is a negation elsewhere.
const NEUTRAL_WORDS: [&str; 47] = [
    "a", "an", "the", "that", "is", "are", "and", "of", "also", "please", // English
    "der", "das", "dem", "ein", "eine", "einen", "einem", "einer", "eines", "dass", "ist", "sind",
    "und", // German
    "auch", "bitte", // German
    "le", "la", "les", "un", "une", "aussi", "et", // French
    "el", "los", "una", "tambien", // Spanish
    "um", "uma", "tambem", // Portuguese
    "il", "gli", "uno", "anche", // Italian
    "het", "een", "ook", // Dutch
    "и",   // Russian
];

enum Token<'text> {
    Word {
        word: &'text str,
        /// False for a word that capitals mark as a name: `LA`, `The Hague`, `vitamin A`.
        is_common: bool,
    },
    /// A character outside words that bears on the meaning.
    Sign(char),
}

fn for_each_token(text: &str, mut visit: impl FnMut(Token<'_>)) {
    let mut folded = String::new();
    let mut word = String::new();
    let mut begins_sentence = true;
    for piece in text.split_ascii_whitespace() {
        folded.clear();
        fold_into(piece, &mut folded);
        let mut previous = ' ';
        let mut rest = folded.as_str();
        while let Some(character) = rest.chars().next() {
            let after = &rest[character.len_utf8()..];
            if character_class(character) == Dense {
                rest = dense_run(rest, &mut visit);
                begins_sentence = false;
            } else if is_word_character(character) {
                let following = read_word(rest, &mut word);
                let is_common = is_written_small(&rest[..rest.len() - following.len()], begins_sentence);
                visit(Token::Word { word: &word, is_common });
                rest = following;
                begins_sentence = false;
            } else {
                begins_sentence |= matches!(character, '.' | '!' | '?' | ':');
                if is_meaningful_sign(previous, character, after) {
                    visit(Token::Sign(character));
                }
                rest = after;
            }
            previous = character;
        }
    }
}

/// Reads the word that `text` begins with into `word`, in lower case, and returns what follows.
fn read_word<'text>(text: &'text str, word: &mut String) -> &'text str {
    word.clear();
    let mut rest = text;
    let mut previous = ' ';
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        if is_word_character(character) || character_class(character) == Mark {
            word.extend(character.to_lowercase());
        } else if is_inner_joint(previous, character, after) {
            word.push(if character_class(character) == Apostrophe { '\'' } else { character });
        } else {
            break;
        }
        previous = character;
        rest = after;
    }
    rest
}

/// True for a word without capitals, save the one that begins a sentence.
fn is_written_small(word: &str, begins_sentence: bool) -> bool {
    let mut characters = word.chars();
    let begins_large = characters.next().is_some_and(char::is_uppercase);
    (!begins_large || begins_sentence) && !characters.any(char::is_uppercase)
}

/// Visits the character pairs of the run that `text` begins with and returns what follows.
fn dense_run<'text>(text: &'text str, visit: &mut impl FnMut(Token<'_>)) -> &'text str {
    let is_outside = |character| !matches!(character_class(character), Dense | Mark);
    let (run, rest) = text.split_at(text.find(is_outside).unwrap_or(text.len()));
    let starts = || run.char_indices().map(|(index, _)| index).chain([run.len()]);
    let mut pairs = starts().zip(starts().skip(2)).peekable();
    if pairs.peek().is_none() {
        visit(Token::Word { word: run, is_common: false });
    }
    for (start, end) in pairs {
        visit(Token::Word { word: &run[start..end], is_common: false });
    }
    rest
}

fn is_word_character(character: char) -> bool {
    matches!(character_class(character), Lower | Upper | Digit)
}

/// True for a character that binds what stands on both sides to one word. Colons and commas do so between digits.
fn is_inner_joint(previous: char, character: char, after: &str) -> bool {
    let Some(next) = after.chars().next() else {
        return false;
    };
    is_word_character(previous)
        && is_word_character(next)
        && match character_class(character) {
            Underscore | Joint | Apostrophe | Slash => true,
            Colon => previous.is_numeric() && next.is_numeric(),
            _ => character == ',' && previous.is_numeric() && next.is_numeric() || character == '@',
        }
}

/// Marks of a sentence are a matter of taste, but before a digit a dash is a minus and a point a decimal one.
fn is_meaningful_sign(previous: char, sign: char, after: &str) -> bool {
    let before_digit = after.chars().next().is_some_and(char::is_numeric);
    match sign {
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '.' | ',' | ':' | '/' | '*' | '~' => before_digit,
        ';' | '!' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '`' | '_' | '…' | '«' | '»' | '¡' => false,
        '\u{2018}'..='\u{201F}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '・' => false,
        '\u{02BC}' => false,
        // What folding made of an accent that stood alone.
        _ if character_class(sign) == Mark => false,
        _ if sign.is_whitespace() || sign.is_control() => false,
        '#' => is_word_character(previous) || before_digit,
        _ => true,
    }
}
