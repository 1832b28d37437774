//! What of a text a person wants to read in a list: its prose, without code, logs or markup.

use std::sync::LazyLock;

use regex::Regex;
use scrubjay_core::snippet::one_line;

use crate::extract::{prose, sentences};

/// A line that a program printed: it begins with a time, a level or a place in a stack.
static LOG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b[\]: ]|at [\w.$<>]+\(|Traceback |File \x22|\s*\$ |error\[E\d+\]|-->|\+\+\+ |--- |@@ )",
    )
});

/// A line of code: it ends like a statement, or holds what prose does not.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[{};]\s*$|^\s*(fn|def|class|import|const|let|var|return|#include)\b.*[=({:]|=>|::\w+\(|\)\s*->")
});

/// Tags, links and emphasis; what they are around stays.
static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"!?\[([^\]\[]*)\]\([^)\s]*\)"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?[A-Za-z][^<>]*>"));
static EMPHASIS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\*\*|__|`+"));

#[expect(clippy::expect_used, reason = "the patterns are constants, and a test uses each")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

/// One line of at most so many characters; none if the text holds nothing that a person said. Whole sentences, as many
/// as fit.
#[must_use]
pub fn readable(text: &str, max_chars: usize) -> Option<String> {
    let text = prose(text);
    let lines = text.lines().filter(|line| !LOG.is_match(line.trim()) && !CODE.is_match(line));
    let plain = lines.collect::<Vec<_>>().join("\n");
    let plain = LINK.replace_all(&plain, "$1");
    let plain = TAG.replace_all(&plain, "");
    let plain = EMPHASIS.replace_all(&plain, "");
    let mut shown = String::new();
    for sentence in sentences(&plain) {
        let sentence = one_line(sentence, usize::MAX);
        if !shown.is_empty() && shown.chars().count() + sentence.chars().count() + 1 > max_chars {
            break;
        }
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.push_str(&sentence);
    }
    let letters = shown.chars().filter(|c| c.is_alphabetic()).count();
    let others = shown.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    (letters >= 3 && letters > others).then(|| one_line(&shown, max_chars))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&str>) {
        assert_eq!(readable(text, 60).as_deref(), expect, "{text}");
    }

    #[test]
    fn prose_stays_and_the_rest_goes() {
        check("We use pnpm here, never npm.", Some("We use pnpm here, never npm."));
        check(
            "**Decision:** use `redis`, see [the page](https://x.org/a).",
            Some("Decision: use redis, see the page."),
        );
        check("The fix held.\n```rust\nfn main() {}\n```", Some("The fix held."));
        check(
            "It fails:\n2026-05-01T10:00:00Z ERROR pool exhausted\nat com.acme.Pool(Pool.java:12)",
            Some("It fails:"),
        );
        check("ERROR: connection refused", None);
        check("let pool = Pool::new(5);", None);
        check("{\"a\": 1}", None);
        check("<b>Redis</b> is down", Some("Redis is down"));
        check("", None);
        check("Wir nehmen Kafka für die Prüfspur.", Some("Wir nehmen Kafka für die Prüfspur."));
        check("One thing is this. Another thing is that it goes on for long here.", Some("One thing is this."));
        check(
            "A single sentence that is much longer than what fits into the line is cut",
            Some("A single sentence that is much longer than what fits into…"),
        );
    }
}
