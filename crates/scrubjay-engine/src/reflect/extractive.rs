//! The sentences of a conversation that say what was done.

use std::collections::BTreeMap;

use scrubjay_core::lexical;

use super::task::TaskTurn;
use crate::extract::{prose, sentences};

/// How many sentences.
const SENTENCES: usize = 3;

/// The shortest and longest sentence that is told, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 15..=300;

/// Words that tell of a result, a decision or a lesson.
const TELLING: [&str; 30] = [
    "fixed",
    "done",
    "implemented",
    "added",
    "removed",
    "completed",
    "finished",
    "works",
    "passes",
    "passed",
    "decided",
    "because",
    "instead",
    "failed",
    "error",
    "cause",
    "caused",
    "now",
    "resolved",
    "created",
    "changed",
    "deployed",
    "released",
    "merged",
    "switched",
    "solved",
    "updated",
    "replaced",
    "tests",
    "fertig",
];

/// Two or three sentences of a conversation, in their order: those that share most with the task and with the rest of
/// the conversation and tell of a result. Empty if there is none.
#[must_use]
pub fn extractive(task: &str, turns: &[TaskTurn]) -> String {
    let wanted = terms(task);
    let mut all: Vec<(String, usize)> = Vec::new();
    for (place, turn) in turns.iter().enumerate() {
        let text = prose(&turn.content);
        for sentence in sentences(&text) {
            let repeated = all.iter().any(|(known, _)| lexical::near_duplicate(known, sentence));
            if LENGTH.contains(&sentence.chars().count()) && !sentence.ends_with(['?', ':']) && !repeated {
                all.push((sentence.to_owned(), place));
            }
        }
    }
    let mut common: BTreeMap<String, f64> = BTreeMap::new();
    for (sentence, _) in &all {
        for term in terms(sentence) {
            *common.entry(term).or_default() += 1.0;
        }
    }
    let score = |sentence: &str, place: usize| {
        let own = terms(sentence);
        if own.is_empty() {
            return 0.0;
        }
        let shared: f64 = own.iter().map(|term| (common.get(term).copied().unwrap_or(0.0)).ln_1p()).sum();
        let asked = own.iter().filter(|term| wanted.contains(term)).count() as f64;
        let words: Vec<String> = sentence.split_whitespace().map(bare).collect();
        let telling = words.iter().filter(|word| TELLING.contains(&word.as_str())).count() as f64;
        // What is said last is what came out.
        let late = (place + 1) as f64 / turns.len().max(1) as f64;
        (shared + asked) / (own.len() as f64).sqrt() + 1.5 * telling.min(3.0) + 2.0 * late
    };
    let mut ranked: Vec<(f64, usize)> =
        all.iter().enumerate().map(|(at, (sentence, place))| (score(sentence, *place), at)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<usize> = ranked.into_iter().take(SENTENCES).map(|(_, at)| at).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|at| finished(&all[at].0)).collect::<Vec<_>>().join(" ")
}

fn terms(text: &str) -> Vec<String> {
    let mut terms = lexical::terms(text);
    terms.retain(|term| !lexical::is_stop_word(term));
    terms.sort();
    terms.dedup();
    terms
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

fn finished(sentence: &str) -> String {
    if sentence.ends_with(['.', '!', '。', '！']) { sentence.to_owned() } else { format!("{sentence}.") }
}

#[cfg(test)]
mod tests {
    use scrubjay_core::memory::OriginKind;

    use super::*;

    #[test]
    fn the_result_is_told_and_not_the_question() {
        let turn = |role: &str, content: &str| TaskTurn {
            role: role.to_owned(),
            content: content.to_owned(),
            origin: OriginKind::of_role(role),
            episode: None,
        };
        let turns = [
            turn("user", "The login test fails on CI. Can you look at it?"),
            turn("assistant", "Let me look at the log of the login test.\n```\nerror: clock\n```"),
            turn("assistant", "The login test failed because the token expired after the clock was moved."),
            turn("user", "Thanks, great work!"),
            turn("assistant", "Fixed: the login test now uses a fixed clock, and all 212 tests pass."),
        ];
        let summary = extractive("fix the login test", &turns);
        assert!(summary.contains("because the token expired"), "{summary}");
        assert!(summary.contains("fixed clock"), "{summary}");
        assert!(!summary.contains('?') && !summary.contains("error: clock"), "{summary}");
        assert!(sentences(&summary).len() <= 3, "{summary}");
        assert_eq!(extractive("anything", &[turn("user", "Hi?")]), "");
    }
}
