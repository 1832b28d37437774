//! Decides, for each kind of rule, whether a captured value is a secret.

use std::ops::Range;

use super::placeholder::{NO_PASSWORDS, is_location, is_masked, is_no_password, is_template, names_a_placeholder};
use super::surroundings::{MatchContext, is_code};
use super::words::{is_made_of_words, is_mixed, mixes_letters_and_digits};
use crate::redact::rule::{Filter, Rule};

/// Whether the secret captured at `secret`, by a match that begins at `match_start`, is to be replaced.
pub(in crate::redact) fn accepts(rule: &Rule, text: &str, match_start: usize, secret: Range<usize>) -> bool {
    let value = &text[secret.clone()];
    if rule.minimum_entropy.is_some_and(|minimum| entropy(value) < minimum) {
        return false;
    }
    match rule.filter {
        Filter::None => true,
        Filter::Token => !is_masked(value) && !names_a_placeholder(value),
        Filter::Mixed => !is_masked(value) && !names_a_placeholder(value) && is_mixed(value),
        Filter::Secret => is_plausible_secret(value, &MatchContext::of(text, match_start, secret)),
        Filter::Password => is_plausible_password(value, &MatchContext::of(text, match_start, secret)),
        Filter::GivenPassword => is_given_password(value),
        Filter::SpokenPassword => is_spoken_password(value),
        Filter::StatedPassword => is_spoken_password(value) && !is_numbered_word(value),
        Filter::Card => is_card_number(value) && !is_part_of_numbers(text, secret),
        Filter::Block => has_encoded_body(value),
        Filter::Phrase => has_distinct_words(value),
        Filter::NumberedPhrase => is_phrase_length(words(value).count()) && has_distinct_words(value),
    }
}

/// Takes off what belongs to the text around a value: the quotation mark that closes it, the next parameter, and the
/// brackets and marks that close a list.
pub(in crate::redact) fn narrow(rule: &Rule, text: &str, secret: Range<usize>) -> Range<usize> {
    if matches!(rule.filter, Filter::SpokenPassword | Filter::StatedPassword) {
        let value = text[secret.clone()].split(CLOSING_MARKS).next().unwrap_or_default();
        return secret.start..secret.start + value.trim_end_matches(['.', ',', ';', ':', ')', '?', '*']).len();
    }
    if rule.filter == Filter::Phrase {
        // A phrase that fits on one line does not go on in the next.
        let value = &text[secret.clone()];
        let line = value.split('\n').flat_map(|line| line.split("\\n")).next().unwrap_or(value);
        let end = if words(line).count() >= 12 { line.trim_end().len() } else { value.len() };
        return secret.start..secret.start + end;
    }
    let is_quoted = text[..secret.start].ends_with(['"', '\'', '`']);
    if is_quoted || !matches!(rule.filter, Filter::Password | Filter::Secret) {
        return secret;
    }
    let value = &text[secret.clone()];
    let end = match rule.filter {
        Filter::Secret => value.find([',', ';', '&', '(', ')', '{', '}', '[', ']']),
        _ => value
            .match_indices([',', ';', '&'])
            .find_map(|(index, mark)| (mark == ";" || begins_parameter(&value[index + 1..])).then_some(index)),
    };
    let value = &value[..end.unwrap_or(value.len())];
    secret.start..secret.start + value.trim_end_matches([',', ';', ')', ']', '}']).len()
}

/// `name=` or `name:`, as after the `&` or `,` of a query or a list.
fn begins_parameter(text: &str) -> bool {
    let name = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || c == '.');
    name.len() < text.len() && name.starts_with(['=', ':'])
}

/// Shannon entropy in bits for each byte.
pub(super) fn entropy(value: &str) -> f32 {
    let mut counts = [0_u16; 256];
    let sampled = &value.as_bytes()[..value.len().min(1024)];
    for byte in sampled {
        counts[usize::from(*byte)] += 1;
    }
    let total = sampled.len() as f32;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f32::from(*count) / total);
    -shares.map(|share| share * share.log2()).sum::<f32>()
}

/// A key of an unknown vendor: long enough and random enough to be nothing else.
fn is_plausible_secret(value: &str, around: &MatchContext) -> bool {
    if value.len() < 12 || value.len() > 4096 || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    if is_masked(value) || names_a_placeholder(value) || is_template(value) || is_location(value) {
        return false;
    }
    if around.is_expression(value) || around.is_unrelated(value) {
        return false;
    }
    let is_compound = value.bytes().any(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':'));
    if around.is_environment_line && looks_chosen(value) && !(is_compound && is_made_of_words(value)) {
        return true;
    }
    let least_entropy = if value.len() < 16 { 3.2 } else { 3.0 };
    mixes_letters_and_digits(value) && !is_made_of_words(value) && entropy(value) >= least_entropy
}

/// A password in an assignment. People choose passwords, so there is little to measure; what counts is that the value
/// is literal, and no word that documentation or code would put there.
fn is_plausible_password(value: &str, around: &MatchContext) -> bool {
    let is_spaced = value.bytes().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
    if value.len() < 6 || value.len() > 128 || is_spaced || is_no_password(value) {
        return false;
    }
    if around.is_environment_line {
        return !matches!(around.next, Some(b'('));
    }
    if around.is_expression(value) || around.is_unrelated(value) {
        return false;
    }
    let is_compound = value.bytes().any(|byte| matches!(byte, b'_' | b'-' | b'.' | b'/' | b':'));
    let is_random = value.len() >= 10 && value.is_ascii() && is_mixed(value) && !is_location(value);
    // Outside of quotation marks, a mark at the end belongs to the sentence: `all tests pass: Perfect!`.
    let literal = if around.is_quoted { value } else { value.trim_end_matches(['!', '?', '*']) };
    (looks_chosen(literal) || is_random) && !((is_compound || around.follows_comma) && is_made_of_words(value))
}

pub(super) fn is_given_password(value: &str) -> bool {
    let is_field = value
        .trim_end_matches([')', ',', ';'])
        .rsplit_once('.')
        .is_some_and(|(_, field)| NO_PASSWORDS.contains(&field));
    value.len() >= 3 && value.len() <= 256 && !is_field && !is_no_password(value)
}

/// A password in a sentence. Here the next word may be any word, so it has to look like no word.
pub(super) fn is_spoken_password(value: &str) -> bool {
    if value.len() < 6 || value.len() > 400 || is_no_password(value) || is_code(value) || is_location(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let first_word = lower.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let names_an_algorithm = ALGORITHMS.contains(&first_word.trim_end_matches(|c: char| c.is_ascii_digit()));
    let starts_with_a_count = value.as_bytes()[0].is_ascii_digit() && is_measure(&lower);
    // A mark at the end belongs to the sentence as often as to the password.
    let is_chosen = looks_chosen(value.trim_end_matches(['!', '?', '*'])) || is_code_number(value);
    is_chosen && !names_an_algorithm && !starts_with_a_count && !value.ends_with("'s")
}

/// The code of a meeting or a door.
fn is_code_number(value: &str) -> bool {
    (6..=10).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// `field2`, `step10`: a word in small letters and its number.
fn is_numbered_word(value: &str) -> bool {
    let word = value.trim_end_matches(|c: char| c.is_ascii_digit());
    value.len() - word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// `8-character`, `12chars`, `2nd`: a number and then one word in small letters.
fn is_measure(lower: &str) -> bool {
    let word = lower.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['-', '+', '.']);
    !word.is_empty() && word.chars().all(|c| c.is_lowercase() || c == '-')
}

/// Letters together with digits or with marks that words do not have.
fn looks_chosen(value: &str) -> bool {
    let has_mark = value
        .bytes()
        .any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'=' | b'?' | b'~'));
    let has_letter = value.chars().any(char::is_alphabetic);
    has_letter && (has_mark || value.bytes().any(|byte| byte.is_ascii_digit()))
}

/// The check digit of payment card numbers.
fn is_card_number(value: &str) -> bool {
    let digits = value.chars().rev().filter_map(|c| c.to_digit(10));
    let sum: u32 = digits.enumerate().map(|(place, digit)| luhn_share(place, digit)).sum();
    sum.is_multiple_of(10)
}

/// A number that goes on after the match, or that stands alone on a line of a list in source code.
fn is_part_of_numbers(text: &str, number: Range<usize>) -> bool {
    let after = text.as_bytes().get(number.end..).unwrap_or_default();
    let goes_on = match after {
        [b'.' | b',' | b'-' | b' ', next, ..] => next.is_ascii_digit(),
        [next, ..] => next.is_ascii_alphanumeric() || matches!(next, b'_' | b'%' | b'/' | b'+' | b'='),
        [] => false,
    };
    let before = text[..number.start].trim_end_matches([' ', '\t']);
    goes_on || before.ends_with('\n') && after.starts_with(b",\n")
}

fn luhn_share(place: usize, digit: u32) -> u32 {
    match (place % 2, digit * 2) {
        (0, _) => digit,
        (_, doubled) if doubled > 9 => doubled - 9,
        (_, doubled) => doubled,
    }
}

/// A sentence that only names the first and last line of a key has no run of encoded text between them.
fn has_encoded_body(value: &str) -> bool {
    let is_encoded = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let longest = value.as_bytes().split(|byte| !is_encoded(*byte)).map(<[u8]>::len).max();
    longest.unwrap_or(0) >= 24
}

fn has_distinct_words(value: &str) -> bool {
    // A sentence may go on after the phrase, so only as many words are judged as the shortest phrase has.
    let mut words: Vec<&str> = words(value).take(12).collect();
    let total = words.len();
    let common = words.iter().filter(|word| COMMON_WORDS.contains(*word)).count();
    words.sort_unstable();
    words.dedup();
    // Those lists hardly have plurals, unlike the list of what somebody means to buy.
    let plural = words.iter().filter(|word| word.ends_with('s')).count();
    words.len() * 4 >= total * 3 && common == 0 && plural * 4 <= total
}

fn words(value: &str) -> impl Iterator<Item = &str> {
    let escapes_aside = value.split("\\n").flat_map(|line| line.split(|c: char| !c.is_ascii_alphabetic()));
    escapes_aside.filter(|word| !word.is_empty())
}

fn is_phrase_length(words: usize) -> bool {
    matches!(words, 12 | 15 | 18 | 21 | 24)
}

/// What ends a value in a sentence of any language.
const CLOSING_MARKS: [char; 16] = [
    '\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}', '\u{ab}', '\u{bb}', '」', '』', '。', '，', '、', '；', '！', '）',
    '】', '—',
];

/// Names to which a number belongs, such as `sha256` or `base64-encoded`.
const ALGORITHMS: &[&str] = &[
    "base", "sha", "md", "bcrypt", "argon", "pbkdf", "aes", "rsa", "rs", "hs", "es", "ps", "ed", "utf", "oauth", "x",
    "http", "ipv", "crc", "blake", "scrypt", "ripemd", "hmac", "pkcs", "win", "web", "mp", "des", "chacha", "iso",
    "ascii", "latin", "rfc", "bit", "byte",
];

/// Words that no recovery phrase has, because the lists they are made of leave them out.
const COMMON_WORDS: &[&str] = &[
    "the", "and", "for", "are", "was", "were", "with", "that", "this", "from", "your", "have", "has", "had", "not",
    "but", "they", "their", "which", "will", "would", "should", "each", "into", "words", "its", "our", "been", "more",
    "than", "when", "you",
];
