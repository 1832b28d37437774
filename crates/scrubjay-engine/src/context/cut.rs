//! Shortening text to a number of tokens, at the end of a sentence or line.

use std::borrow::Cow;

use scrubjay_ingest::Vocabulary;

/// What a shortened text ends or begins with.
const ELLIPSIS: &str = "…";

/// Less than this is not worth showing, in tokens.
const LEAST: usize = 6;

/// How far back a beginning in the middle is moved to the start of a sentence.
const BACK_BYTES: usize = 240;

/// The text, or as much of its beginning as fits, cut where a sentence or line
/// ends unless that would waste more than `slack` tokens; then between words.
/// None if less would be left than is worth showing.
#[must_use]
pub fn shorten(text: &str, max_tokens: usize, slack: usize, vocabulary: Vocabulary) -> Option<Cow<'_, str>> {
    let text = text.trim_end();
    if vocabulary.count(text) <= max_tokens {
        return Some(Cow::Borrowed(text));
    }
    let mut room = max_tokens.saturating_sub(1);
    while room >= LEAST {
        let end = vocabulary.prefix(text, room);
        let kept = soft_end(&text[..end], slack, vocabulary);
        let short = format!("{}{ELLIPSIS}", text[..kept].trim_end());
        if kept > 0 && vocabulary.count(&short) <= max_tokens {
            return Some(Cow::Owned(short));
        }
        room -= 1;
    }
    None
}

/// The same, but of a part that holds the place `around` (in bytes).
#[must_use]
pub fn excerpt(
    text: &str,
    around: usize,
    max_tokens: usize,
    slack: usize,
    vocabulary: Vocabulary,
) -> Option<Cow<'_, str>> {
    let text = text.trim_end();
    if vocabulary.count(text) <= max_tokens {
        return Some(Cow::Borrowed(text));
    }
    // The beginning says what a text is about, so it is left only if the place
    // would be lost.
    let reach = vocabulary.prefix(text, max_tokens.saturating_sub(2));
    if around < reach.saturating_sub(reach / 4) {
        return shorten(text, max_tokens, slack, vocabulary);
    }
    let start = soft_start(text, around.min(text.len()));
    // If the rest is short there is room for more before it.
    let part = &text[start..];
    let short = shorten(part, max_tokens.saturating_sub(1), slack, vocabulary)?;
    let whole = format!("{ELLIPSIS}{}", short.trim_start());
    (vocabulary.count(&whole) <= max_tokens).then_some(Cow::Owned(whole))
}

// Where to cut: the last end of a sentence or line, else of a word, that loses
// no more than the slack.
fn soft_end(text: &str, slack: usize, vocabulary: Vocabulary) -> usize {
    let affordable = |end: usize| end > 0 && vocabulary.count(&text[end..]) <= slack;
    if let Some(end) = sentence_ends(text).next_back().filter(|end| affordable(*end)) {
        return end;
    }
    let word = text.char_indices().rev().find(|(_, c)| c.is_whitespace()).map(|(at, _)| at);
    word.filter(|end| affordable(*end)).unwrap_or(text.len())
}

fn soft_start(text: &str, around: usize) -> usize {
    let mut around = around;
    while !text.is_char_boundary(around) {
        around -= 1;
    }
    let mut from = around.saturating_sub(BACK_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let window = &text[from..around];
    match sentence_ends(window).next_back() {
        Some(end) => from + end,
        None => window.find(char::is_whitespace).map_or(from, |at| from + at),
    }
}

// The places right after a sentence or line.
fn sentence_ends(text: &str) -> impl DoubleEndedIterator<Item = usize> + '_ {
    text.char_indices().filter_map(move |(at, character)| {
        let after = at + character.len_utf8();
        let ends = match character {
            '\n' | '。' | '！' | '？' | '।' => true,
            '.' | '!' | '?' | '؟' | '…' => text[after..].chars().next().is_none_or(char::is_whitespace),
            _ => false,
        };
        ends.then_some(after)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WORDS: Vocabulary = Vocabulary::Cl100kBase;

    #[test]
    fn sentences_stay_whole() {
        let text = "The first sentence is here. The second one is a little longer. The third never fits at all.";
        assert_eq!(shorten(text, 100, 5, WORDS).as_deref(), Some(text));
        let short = shorten(text, 18, 8, WORDS).unwrap();
        assert_eq!(short, "The first sentence is here. The second one is a little longer.…");
        // A cut within a sentence is better than half an empty budget.
        assert_eq!(shorten(text, 12, 1, WORDS).as_deref(), Some("The first sentence is here. The second one is…"));
        assert_eq!(shorten(text, 3, 5, WORDS), None);
        assert_eq!(
            shorten("これは文です。次の文もあります。最後の文です。", 14, 10, WORDS).as_deref(),
            Some("これは文です。次の文もあります。…")
        );
    }

    #[test]
    fn an_excerpt_holds_its_place() {
        let text =
            format!("{} The needle is here, at last. {}", "Some hay lies here. ".repeat(40), "More. ".repeat(40));
        let place = text.find("needle").unwrap();
        let short = excerpt(&text, place, 40, 10, WORDS).unwrap();
        assert!(short.contains("The needle is here") && short.starts_with('…') && short.ends_with('…'), "{short}");
        assert!(excerpt(&text, 3, 40, 10, WORDS).unwrap().starts_with("Some hay"));
    }

    proptest! {
        #[test]
        fn the_limit_holds_for_any_text(
            text in "(\\PC|[a-z .\n]|🦀|漢){0,300}", around in 0usize..400, max in 0usize..60, slack in 0usize..20,
        ) {
            for vocabulary in Vocabulary::ALL {
                let cut = [shorten(&text, max, slack, vocabulary), excerpt(&text, around, max, slack, vocabulary)];
                for short in cut.into_iter().flatten() {
                    prop_assert!(vocabulary.count(&short) <= max, "{short:?}");
                }
            }
        }
    }
}
