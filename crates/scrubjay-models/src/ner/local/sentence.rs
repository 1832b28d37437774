//! Cutting a text into sentences, because the model learned from single ones.

use std::ops::Range;

/// After these a full stop ends no sentence.
const SHORTENED: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "st", "sr", "jr", "vs", "etc", "gen", "col", "sgt", "capt", "lt", "gov", "sen",
    "rep", "rev", "hon", "mt", "ft", "no", "inc", "ltd", "co", "corp", "dept", "e.g", "i.e",
];

/// The sentences of a text: what ends with a line, or with a full stop, exclamation or question mark before a space.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((place, character)) = characters.next() {
        let end = place + character.len_utf8();
        let is_closed = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        let is_end = match character {
            '\n' | '\r' | '。' | '！' | '？' => true,
            '.' => is_closed && !is_shortened(&text[start..place]),
            '!' | '?' | '…' => is_closed,
            // The mark stands inside of a bracket or quote.
            ')' | '"' | '”' | '*' | '\'' | '’' => is_closed && text[start..place].ends_with(['.', '!', '?']),
            _ => false,
        };
        if is_end {
            add(text, start..end, &mut found);
            start = end;
        }
    }
    add(text, start..text.len(), &mut found);
    found
}

fn add(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    if start < end {
        found.push(start..end);
    }
}

fn is_shortened(before: &str) -> bool {
    let word = before.rsplit(|one: char| one.is_whitespace() || one == '(').next().unwrap_or_default();
    let is_initial = word.chars().next().is_some_and(char::is_uppercase) && word.chars().nth(1).is_none();
    is_initial || SHORTENED.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_after_sentences_and_lines() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("", &[]);
        check(" \n\n ", &[]);
        check("Hi Ann! How are you?  Fine.", &["Hi Ann!", "How are you?", "Fine."]);
        check("one line\nand another\r\n", &["one line", "and another"]);
        check("Dr. Lee met J. Smith at 3.15 p.m", &["Dr. Lee met J. Smith at 3.15 p.m"]);
        check("He said \"Go.\" Then he went... so far.", &["He said \"Go.\"", "Then he went...", "so far."]);
        check("see main.rs and v1.2.", &["see main.rs and v1.2."]);
        check("我喜欢茶。你呢？", &["我喜欢茶。", "你呢？"]);
    }
}
