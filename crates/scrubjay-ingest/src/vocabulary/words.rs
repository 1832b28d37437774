//! How the vocabularies cut a text into words, within which byte pairs are merged.
//!
//! The published rules are regular expressions with look-ahead. They are written out here, because they would have to
//! be compiled in every process. Both take, in this order: letters, with one sign or space before them; up to three
//! digits; other signs, with one space before them and the line ends after them; white space up to its last line end;
//! white space but for its last character, which stays with what follows. They differ in what a run of letters is.

use scrubjay_core::character::{is_capital_letter, is_letter, is_mark, is_number, is_small_letter};

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// A run of letters is a word; English contractions (`'s`, `'ll`) are words of their own.
    Letters,
    /// A word ends where small letters are followed by a capital one. A contraction stays with its word.
    Capitals,
}

impl Rule {
    /// The words of a text, which make it up without a gap.
    pub(super) fn words(self, text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            // A word is never empty; the guard keeps a mistake there from hanging.
            let length = if rest.is_empty() { return None } else { self.first_word(rest).max(1) };
            let (word, after) = rest.split_at(rest.ceil_char_boundary(length));
            rest = after;
            Some(word)
        })
    }

    fn first_word(self, text: &str) -> usize {
        self.letters(text).or_else(|| digits(text)).or_else(|| self.signs(text)).unwrap_or_else(|| spaces(text))
    }

    fn letters(self, text: &str) -> Option<usize> {
        let first = text.chars().next()?;
        // What may stand before the letters.
        let lead = if is_letter(first) || is_number(first) || is_line_end(first) { 0 } else { first.len_utf8() };
        match self {
            Self::Letters => contraction(text).or_else(|| {
                let letters = run(&text[lead..], is_letter);
                (letters > 0).then_some(lead + letters)
            }),
            Self::Capitals => {
                let tries = [lead, 0];
                let tries = if lead == 0 { &tries[1..] } else { &tries[..] };
                let try_each =
                    |word: fn(&str) -> Option<usize>| tries.iter().find_map(|lead| Some(lead + word(&text[*lead..])?));
                let end = try_each(with_small_letters).or_else(|| try_each(without_small_letters))?;
                Some(end + contraction(&text[end..]).unwrap_or(0))
            }
        }
    }

    fn signs(self, text: &str) -> Option<usize> {
        let is_sign = |c: char| !c.is_whitespace() && !is_letter(c) && !is_number(c);
        let space = usize::from(text.starts_with(' '));
        let signs = run(&text[space..], is_sign);
        if signs == 0 {
            return None;
        }
        let end = space + signs;
        let after = run(&text[end..], |c| is_line_end(c) || (c == '/' && self == Self::Capitals));
        Some(end + after)
    }
}

/// Capital letters and then at least one small one. Letters that know no case, and marks, may be either.
fn with_small_letters(text: &str) -> Option<usize> {
    let is_letter_or_mark = |c: char| is_letter(c) || is_mark(c);
    let first = run(text, |c| is_letter_or_mark(c) && !is_small_letter(c));
    let then = run(&text[first..], |c| is_letter_or_mark(c) && !is_capital_letter(c));
    if then > 0 {
        return Some(first + then);
    }
    // The last of the first that may be either is taken for a small one.
    let (at, last) = text[..first].char_indices().rfind(|(_, c)| !is_capital_letter(*c))?;
    Some(at + last.len_utf8())
}

fn without_small_letters(text: &str) -> Option<usize> {
    let letters = run(text, |c| (is_letter(c) || is_mark(c)) && !is_small_letter(c));
    (letters > 0).then_some(letters)
}

fn digits(text: &str) -> Option<usize> {
    let digits: usize = text.chars().take(3).take_while(|c| is_number(*c)).map(char::len_utf8).sum();
    (digits > 0).then_some(digits)
}

fn spaces(text: &str) -> usize {
    let spaces = run(text, char::is_whitespace);
    if let Some(last) = text[..spaces].rfind(is_line_end) {
        return last + 1;
    }
    let last = text[..spaces].chars().next_back().map_or(0, char::len_utf8);
    if spaces == text.len() || spaces == last { spaces } else { spaces - last }
}

fn contraction(text: &str) -> Option<usize> {
    let mut after = text.strip_prefix('\'')?.chars();
    let (one, other) = (after.next()?, after.next().map(|c| c.to_ascii_lowercase()));
    match (one.to_ascii_lowercase(), other) {
        ('s' | 't' | 'm' | 'd', _) => Some(2),
        // An old form of the s, which counts as one where case does not matter.
        ('ſ', _) => Some(1 + one.len_utf8()),
        ('r' | 'v', Some('e')) | ('l', Some('l')) => Some(3),
        _ => None,
    }
}

fn is_line_end(character: char) -> bool {
    matches!(character, '\r' | '\n')
}

fn run(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|character| !belongs(character)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: Rule, text: &str, expected: &[&str]) {
        assert_eq!(rule.words(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn words_by_either_rule() {
        for rule in [Rule::Letters, Rule::Capitals] {
            check(rule, "", &[]);
            check(rule, "Hello  world\n\n  x", &["Hello", " ", " world", "\n\n", " ", " x"]);
            check(rule, "x=1234;\n\ty ", &["x", "=", "123", "4", ";\n", "\ty", " "]);
            check(rule, " !?\u{1F600} .x", &[" !?\u{1F600}", " .", "x"]);
        }
    }

    #[test]
    fn the_rules_differ() {
        check(Rule::Letters, "WiFiName isn't", &["WiFiName", " isn", "'t"]);
        check(Rule::Capitals, "WiFiName isn't", &["Wi", "Fi", "Name", " isn't"]);
        check(Rule::Letters, "a//\n/b", &["a", "//\n", "/b"]);
        check(Rule::Capitals, "a//\n/b", &["a", "//\n/", "b"]);
        check(Rule::Capitals, "HTTPServer", &["HTTPServer"]);
    }
}
