//! A mark, however it is written.
//!
//! Clients that put text between tags of their own write ours with entities,
//! those that keep JSON with backslashes; a model that repeats a mark changes its
//! case, its quotes or its spaces. All of these are ours.

use super::letter::letter;
use crate::visible::is_unseen;

/// What a mark begins with.
const NAME: &str = "scrubjay-memory";

/// What stands before the nonce.
const NONCE: &str = "nonce";

/// The fewest and the most digits of a nonce.
const NONCE_DIGITS: std::ops::RangeInclusive<usize> = 8..=64;

/// The most spaces in one place.
const SPACES: usize = 64;

/// A mark in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it begins, in bytes.
    pub(super) start: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// Its nonce, in small letters.
    pub(super) nonce: String,
    /// Whether it ends a block.
    pub(super) closes: bool,
}

/// Every mark in a text, in order. Takes time in proportion to its length.
pub(super) fn marks(text: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    if !names_us(text) {
        return found;
    }
    let mut at = 0;
    while let Some(next) = text[at..].find(['<', '&', '\\']) {
        at += next;
        match Mark::at(text, at) {
            Some(mark) => {
                at = mark.end;
                found.push(mark);
            }
            None => at += 1,
        }
    }
    found
}

impl Mark {
    fn at(text: &str, start: usize) -> Option<Self> {
        let rest = skip_spaces(expect(&text[start..], '<')?);
        let (closes, rest) = match expect(rest, '/') {
            Some(rest) => (true, skip_spaces(rest)),
            None => (false, rest),
        };
        let rest = expect_word(rest, NAME)?;
        let (_, rest) = letter(rest).filter(|(first, _)| is_space(*first))?;
        let rest = skip_spaces(expect_word(skip_spaces(rest), NONCE)?);
        let rest = skip_quote(skip_spaces(expect(rest, '=')?));
        let most = NONCE_DIGITS.end() + 1;
        let length = rest.bytes().take(most).take_while(u8::is_ascii_hexdigit).count();
        let (nonce, rest) = rest.split_at(length);
        if !NONCE_DIGITS.contains(&length) {
            return None;
        }
        let rest = skip_spaces(skip_quote(rest));
        let rest = expect(expect(rest, '/').unwrap_or(rest), '>')?;
        Some(Self { start, end: text.len() - rest.len(), nonce: nonce.to_ascii_lowercase(), closes })
    }
}

// Whether the name is anywhere in the text. Its rarest letter is looked for.
fn names_us(text: &str) -> bool {
    let (bytes, name) = (text.as_bytes(), NAME.as_bytes());
    let before = name.iter().position(|byte| *byte == b'j').unwrap_or(0);
    let mut at = before;
    while let Some(next) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| byte | 0x20 == b'j')) {
        at += next;
        let start = at - before;
        if bytes.get(start..start + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return true;
        }
        at += 1;
    }
    false
}

fn expect(text: &str, wanted: char) -> Option<&str> {
    letter(text).filter(|(found, _)| found.eq_ignore_ascii_case(&wanted)).map(|(_, rest)| rest)
}

fn expect_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    word.chars().try_fold(text, expect)
}

fn skip_spaces(mut text: &str) -> &str {
    for _ in 0..SPACES {
        match letter(text) {
            Some((found, rest)) if is_space(found) => text = rest,
            _ => break,
        }
    }
    text
}

fn skip_quote(text: &str) -> &str {
    match letter(text) {
        Some(('"' | '\'' | '`' | '“' | '”' | '‘' | '’', rest)) => rest,
        _ => text,
    }
}

fn is_space(character: char) -> bool {
    character.is_whitespace() || is_unseen(character)
}
