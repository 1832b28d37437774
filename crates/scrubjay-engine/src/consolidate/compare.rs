//! Whether two facts agree, judged by their words.

use std::collections::BTreeSet;

use scrubjay_core::lexical;

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
#[must_use]
pub fn agreement(known: &str, new: &str, close: f64) -> Agreement {
    if lexical::near_duplicate(known, new) {
        return Agreement::Same;
    }
    let (known_words, new_words) = (lexical::word_set(known), lexical::word_set(new));
    if lexical::jaccard(&known_words, &new_words) < close {
        return Agreement::Unclear;
    }
    if differ_in_value(known, new) { Agreement::OtherValue } else { Agreement::Same }
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
        check("Ada likes tea", "Bob likes coffee", Agreement::Unclear);
    }
}
