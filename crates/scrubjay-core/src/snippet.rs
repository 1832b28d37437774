//! Short extracts for hits and tables.

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// What it says, with an ellipsis where something is left out.
    pub text: String,
    /// The byte of the whole text with which it begins.
    pub start: usize,
}

/// The part of `text` around byte offset `around`, at most `max_chars`
/// characters, cut at line or sentence ends where one is near. The first line
/// keeps its indentation.
#[must_use]
pub fn snippet(text: &str, around: usize, max_chars: usize) -> Snippet {
    let blank = text.len() - text.trim_start().len();
    let skipped = text[..blank].rfind('\n').map_or(0, |at| at + 1);
    let (text, around) = (text[skipped..].trim_end(), around.saturating_sub(skipped));
    if text.chars().count() <= max_chars {
        return Snippet { text: text.to_owned(), start: skipped };
    }
    // Room for an ellipsis on both sides, the first of them on a line of its own.
    let room = max_chars.saturating_sub(3).max(1);
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let middle = starts.partition_point(|&at| at < around.min(text.len()));
    let first = middle.saturating_sub(room / 4).min(starts.len() - room.min(starts.len()));
    let from = soft_start(text, starts[first], starts[middle.min(starts.len() - 1)]);
    let first = starts.partition_point(|&at| at < from);
    let last = (first + room).min(starts.len());
    let hard_end = starts.get(last).copied().unwrap_or(text.len());
    let to = if last == starts.len() { text.len() } else { soft_end(text, from, hard_end) };
    let mut out = String::with_capacity(to - from + 7);
    if from > 0 {
        out.push_str(if text[..from].ends_with('\n') && max_chars > 3 { "…\n" } else { "…" });
    }
    out.push_str(text[from..to].trim_end());
    if to < text.len() {
        out.push('…');
    }
    Snippet { text: out, start: skipped + from }
}

/// One line of at most `max_chars` characters, for tables.
#[must_use]
pub fn one_line(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count() + usize::from(count > 0);
        if count + length > max_chars {
            if count == 0 {
                out.extend(word.chars().take(max_chars.saturating_sub(1)));
            }
            out.push('…');
            return out;
        }
        if count > 0 {
            out.push(' ');
        }
        out.push_str(word);
        count += length;
    }
    out.retain(|c| !c.is_control());
    out
}

// The start moves forward to the beginning of a line or sentence, but never
// past the place the snippet is about.
fn soft_start(text: &str, from: usize, limit: usize) -> usize {
    if from == 0 {
        return 0;
    }
    let window = &text[from..limit.max(from)];
    let after = |at: usize, width: usize| from + at + width;
    window
        .find('\n')
        .map(|at| after(at, 1))
        .or_else(|| window.find(". ").map(|at| after(at, 2)))
        .or_else(|| window.find(' ').map(|at| after(at, 1)))
        .unwrap_or(from)
}

// The end moves back to the end of a line, sentence or word, if that keeps at
// least half.
fn soft_end(text: &str, from: usize, to: usize) -> usize {
    let window = &text[from..to];
    let enough = window.len() / 2;
    [window.rfind('\n'), window.rfind(". ").map(|at| at + 1), window.rfind(' ')]
        .into_iter()
        .flatten()
        .find(|&at| at >= enough)
        .map_or(to, |at| from + at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cuts_at_sentence_ends() {
        let text = "First sentence here. Second sentence is the one. Third one follows after it. Fourth ends.";
        let second = text.find("Second").unwrap();
        let found = snippet(text, second, 61);
        assert_eq!(found.text, "…Second sentence is the one. Third one follows after it.…");
        assert_eq!(found.start, second);
        assert_eq!(snippet("short", 0, 60).text, "short");
    }

    #[test]
    fn code_keeps_its_indentation() {
        let whole = snippet("\n\n    fn add() {\n        1\n    }\n\n", 5, 100);
        assert_eq!((whole.text.as_str(), whole.start), ("    fn add() {\n        1\n    }", 2));
        let lines: Vec<String> = (0..40).map(|number| format!("    let value_{number} = {number};")).collect();
        let text = lines.join("\n");
        let part = snippet(&text, text.find("value_20").unwrap(), 100);
        assert!(part.text.starts_with("…\n    let value_"), "{}", part.text);
        assert!(text[part.start..].starts_with(part.text[4..].trim_end_matches('…')), "{}", part.text);
    }

    proptest! {
        #[test]
        fn never_too_long_and_never_panics(text in "(.|\n){0,300}", around in 0usize..400, max in 3usize..80) {
            let found = snippet(&text, around, max);
            prop_assert!(found.text.chars().count() <= max);
            prop_assert!(text.is_char_boundary(found.start));
            prop_assert!(one_line(&text, max).chars().count() <= max + 1);
        }
    }
}
