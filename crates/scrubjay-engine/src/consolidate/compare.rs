//! Whether two facts agree, judged by their words.

use std::collections::BTreeSet;

use scrubjay_core::lexical;

use super::slot::contradict;

/// How a new fact stands to a known one, as far as words can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// They say the same.
    Same,
    /// They say the same thing about the same, but with another value: a number, a name, a yes for a no.
    OtherValue,
    /// Words do not tell.
    Unclear,
}

/// Words that turn a claim around.
const NEGATIONS: [&str; 26] = [
    "not", "no", "never", "don't", "doesn't", "didn't", "isn't", "aren't", "wasn't", "won't", "can't", "cannot",
    "without", "nicht", "kein", "keine", "keinen", "nie", "niemals", "ne", "pas", "jamais", "nunca", "hate", "dislike",
    "stopped",
];

/// Compares by words. `close` is the share of common words (Jaccard) from which two facts are about the same.
///
/// They are the same only if one says nothing else than the other, at most more of it, in the same order: "tea over
/// coffee" is not "coffee over tea", and another word in the same place may be another value.
#[must_use]
pub fn agreement(known: &str, new: &str, close: f64) -> Agreement {
    if lexical::near_duplicate(known, new) {
        return Agreement::Same;
    }
    if contradict(known, new) {
        return Agreement::OtherValue;
    }
    let (known_words, new_words) = (lexical::word_set(known), lexical::word_set(new));
    if lexical::jaccard(&known_words, &new_words) < close {
        return Agreement::Unclear;
    }
    let (only_known, only_new) = differences(known, new);
    if differ_in_value(known, new) {
        Agreement::OtherValue
    } else if (only_known.is_empty() || only_new.is_empty()) && in_same_order(known, new) {
        Agreement::Same
    } else {
        Agreement::Unclear
    }
}

/// The telling words that each of two facts has alone, in their order.
#[must_use]
pub(super) fn differences(one: &str, other: &str) -> (String, String) {
    let alone = |text: &str, against: &str| {
        let against = lexical::terms(against);
        let new = |word: &&str| {
            let terms = lexical::terms(word);
            !terms.is_empty() && !terms.iter().any(|term| against.contains(term) || lexical::is_stop_word(term))
        };
        text.split_whitespace().filter(new).collect::<Vec<_>>().join(" ")
    };
    (alone(one, other), alone(other, one))
}

/// Whether the words that two facts share come in the same order.
#[must_use]
pub(super) fn in_same_order(one: &str, other: &str) -> bool {
    let shared = |text: &str, against: &str| {
        let against = lexical::terms(against);
        let mut terms = lexical::terms(text);
        terms.retain(|term| against.contains(term) && !lexical::is_stop_word(term));
        terms
    };
    shared(one, other) == shared(other, one)
}

/// Whether two facts differ in what matters: a number, a name, or whether it is so at all.
#[must_use]
pub(super) fn differ_in_value(known: &str, new: &str) -> bool {
    let (known_values, new_values) = (values(known), values(new));
    // One may say more than the other; each must say something else.
    let differs = |of: fn(&Values) -> &BTreeSet<String>| {
        let (one, other) = (of(&known_values), of(&new_values));
        one.difference(other).next().is_some() && other.difference(one).next().is_some()
    };
    known_values.negations != new_values.negations
        || differs(|values| &values.numbers)
        || differs(|values| &values.names)
}

struct Values {
    numbers: BTreeSet<String>,
    names: BTreeSet<String>,
    negations: usize,
}

fn values(text: &str) -> Values {
    let mut values = Values { numbers: BTreeSet::new(), names: BTreeSet::new(), negations: 0 };
    for (place, word) in text.split_whitespace().enumerate() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = word.to_lowercase();
        if NEGATIONS.contains(&lower.as_str()) {
            values.negations += 1;
        } else if word.chars().any(char::is_numeric) {
            values.numbers.insert(lower);
        } else if place > 0 && word.chars().next().is_some_and(char::is_uppercase) && lower != "i" {
            values.names.insert(lower);
        }
    }
    values.negations %= 2;
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_not_a_wording() {
        let check = |known: &str, new: &str, expected| assert_eq!(agreement(known, new, 0.75), expected, "{new}");
        check("The API runs on port 8080.", "the API runs on port 8080", Agreement::Same);
        check(
            "The production API of billing runs on port 8080",
            "The production API of billing runs on port 9090",
            Agreement::OtherValue,
        );
        check(
            "We always deploy the site from the main branch on Friday",
            "We always deploy the site from the main branch on Monday",
            Agreement::OtherValue,
        );
        check(
            "We deploy the site from the main branch by hand",
            "We never deploy the site from the main branch by hand",
            Agreement::OtherValue,
        );
        check(
            "All tests of the project run in CI on every push",
            "All tests of the project run in CI on every single push",
            Agreement::Same,
        );
        check("Standup is at 9:30", "Standup is at 9:45", Agreement::OtherValue);
        check("Ada likes tea", "Bob likes coffee", Agreement::Unclear);
        check("We prefer tea over coffee in this team", "We prefer coffee over tea in this team", Agreement::Unclear);
        check(
            "I drink tea in the morning when I read the news",
            "I drink milk in the morning when I read the news",
            Agreement::Unclear,
        );
    }
}
