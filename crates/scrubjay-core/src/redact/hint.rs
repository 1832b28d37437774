//! A cheap look at the text after a keyword, before the pattern of its rule is compiled and run.
//!
//! Most keywords stand in ordinary sentences: somebody *mentions* a token, Discord, or Postgres. Compiling a pattern
//! takes a hundred times longer than this look, and a process that lives for one command would compile it for nothing.
//! A hint may let through what the pattern then refuses; it never refuses what the pattern would accept.

use super::rule::Hint;

/// Whether a secret can follow, judged by the text from the keyword on.
pub(super) fn promises(hint: Hint, after: &[u8]) -> bool {
    let window = |bytes: usize| &after[..after.len().min(bytes)];
    match hint {
        Hint::None => true,
        Hint::Body(minimum) => after.len() >= minimum && window(minimum).iter().all(|byte| is_token(*byte)),
        Hint::Run(minimum) => has_run(window(400), minimum),
        Hint::Operator => has_operator(window(128)),
        Hint::Chosen => has_chosen(window(160)),
        Hint::NextLine => line_end(window(128)).is_some_and(|end| has_chosen(&after[end..after.len().min(end + 160)])),
        Hint::Numbered => is_first_of_list(window(32)),
        Hint::At => window(600).iter().take_while(|byte| !byte.is_ascii_whitespace()).any(|byte| *byte == b'@'),
        Hint::Digits(minimum) => window(24).iter().filter(|byte| byte.is_ascii_digit()).count() >= minimum,
    }
}

fn has_chosen(window: &[u8]) -> bool {
    window.split(u8::is_ascii_whitespace).any(could_be_chosen)
}

/// Where the first line ends, be it by a line feed or by its escape.
fn line_end(window: &[u8]) -> Option<usize> {
    window.windows(2).position(|pair| pair[0] == b'\n' || pair == b"\\n")
}

/// `1. word 2`: only a list of single words has its second number this near.
fn is_first_of_list(window: &[u8]) -> bool {
    let word = skip(window.get(2..).unwrap_or_default(), |byte| byte == b' ' || byte == b'\t');
    let rest = skip(word, |byte| byte.is_ascii_lowercase());
    (3..=9).contains(&(word.len() - rest.len())) && rest.iter().take(8).any(|byte| *byte == b'2')
}

/// A run of characters that tokens are made of.
fn has_run(window: &[u8], minimum: usize) -> bool {
    window.split(|byte| !is_token(*byte)).any(|run| run.len() >= minimum)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/.=~:%|!$".contains(&byte)
}

/// A word that is not only letters.
fn could_be_chosen(word: &[u8]) -> bool {
    word.len() >= 6 && word.iter().any(|byte| byte.is_ascii_digit() || b"!@#$%^&*+=?~".contains(byte))
}

/// After the rest of the name, and what may close it, something that gives it a value.
fn has_operator(window: &[u8]) -> bool {
    let mut rest = skip(window, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    // A name of two words, such as `api key`.
    if let [b' ', tail @ ..] = rest
        && tail.first().is_some_and(u8::is_ascii_alphabetic)
        && !starts_with_value(tail)
    {
        rest = skip(tail, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    }
    loop {
        rest = skip(rest, |byte| b"\"'`]*".contains(&byte) || byte.is_ascii_whitespace());
        // What closes the name can be escaped, and so can the white space after it.
        let [b'\\', tail @ ..] = rest else { break };
        rest = if let [b'n' | b'r' | b't', tail @ ..] = tail { tail } else { tail };
    }
    rest.first().is_some_and(|byte| b"=:(,".contains(byte)) || starts_with_value(rest)
}

fn starts_with_value(text: &[u8]) -> bool {
    text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"value"))
}

fn skip(text: &[u8], is_skipped: impl Fn(u8) -> bool) -> &[u8] {
    let kept = text.iter().position(|byte| !is_skipped(*byte)).unwrap_or(text.len());
    &text[kept..]
}
