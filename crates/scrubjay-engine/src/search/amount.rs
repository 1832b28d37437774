//! How well a text answers a question for an amount: “how many …”, “how long …”, “which port …”.
//!
//! Messages wander. What two of them say about a question may be one sentence each, which their vectors hardly show.
//! Where a number is asked for, the sentences that state it can be told, and two of them answer the same question.

use std::collections::BTreeSet;

use scrubjay_core::lexical::{AmountAsked, is_stop_word, question_terms, terms};

use crate::extract::sentences;

/// How much of a text is looked at, in bytes.
const LOOKED_AT: usize = 16 << 10;

/// The most words of a question that are told apart.
const MOST_TERMS: usize = 64;

/// A question for an amount.
pub(super) struct AmountQuestion {
    asked: AmountAsked,
    terms: BTreeSet<String>,
}

/// How a text answers such a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Amount {
    /// How well its best sentence does, 0 to 1: the share of the question's words that it holds, more if the number
    /// stands beside what is counted.
    pub(super) answer: f32,
    /// Which of the question's words the text holds anywhere, a bit each.
    pub(super) held: u64,
}

impl Amount {
    /// Whether it is about all that another is about: production's port does not replace staging's.
    pub(super) fn covers(&self, other: &Self) -> bool {
        other.held & !self.held == 0
    }
}

impl AmountQuestion {
    /// Of a text; none if it asks for something else.
    pub(super) fn of(text: &str) -> Option<Self> {
        let asked = AmountAsked::by(text)?;
        let terms: BTreeSet<String> = question_terms(text).into_iter().filter(|term| !is_stop_word(term)).collect();
        (!terms.is_empty()).then_some(Self { asked, terms })
    }

    /// How a text answers it; none if it states no such amount.
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    pub(super) fn answered_by(&self, text: &str) -> Option<Amount> {
        let text = &text[..text.floor_char_boundary(LOOKED_AT)];
        let answers = sentences(text).into_iter().filter_map(|sentence| {
            let clearness = self.asked.stated_in(sentence)?;
            let said: BTreeSet<String> = terms(sentence).into_iter().collect();
            let held = self.terms.intersection(&said).count() as f32 / self.terms.len() as f32;
            Some(held * (3.0 + clearness) / 4.0)
        });
        let answer = answers.filter(|answer| *answer > 0.0).max_by(f32::total_cmp)?;
        let said: BTreeSet<String> = terms(text).into_iter().collect();
        let held = self.terms.iter().take(MOST_TERMS).enumerate().filter(|(_, term)| said.contains(*term));
        Some(Amount { answer, held: held.fold(0, |bits, (place, _)| bits | (1 << place)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_with_the_number_counts_not_the_message_around_it() {
        let question = AmountQuestion::of("How many species have I seen in the park?").unwrap();
        let text = "I'll bring seeds. By the way, the park has now shown me 32 species. Do woodpeckers like suet?";
        assert!(question.answered_by(text).unwrap().answer > 0.5);
        assert_eq!(question.answered_by("I have seen so many species in the park. 3 cheers!"), None);
        assert!(AmountQuestion::of("Where is the park?").is_none());
    }
    #[test]
    fn an_amount_covers_another_if_it_is_about_all_of_the_same() {
        let question = AmountQuestion::of("Which port does staging use?").unwrap();
        let amount = |text: &str| question.answered_by(text).unwrap();
        let (staging, moved) = (amount("Staging is on port 5433"), amount("We moved staging to port 6000"));
        let production = amount("Production is on port 5432");
        assert!(moved.covers(&staging) && staging.covers(&moved));
        assert!(!production.covers(&staging) && staging.covers(&production));
    }
}
