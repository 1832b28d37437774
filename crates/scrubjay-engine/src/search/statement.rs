//! Whether a text states anything: an earlier question, an echo of the prompt and an “I don't know” do not.

use std::collections::BTreeSet;

use scrubjay_core::lexical::{is_dialogue_word, is_stop_word, question_terms, terms};
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_store::item::Item;

/// A text longer than this states something, whatever it begins with. In bytes.
const SHORT_BYTES: usize = 400;

/// The share of its words that a question may have beside those of the prompt and still be an echo of it.
const NEW_SHARE: f32 = 0.25;

/// What people and assistants say when they do not know, without capitals and apostrophes.
const IGNORANCE: [&str; 22] = [
    "i dont know",
    "i do not know",
    "i dont have any information",
    "i dont have information",
    "i do not have information",
    "i dont have access to",
    "i have no information",
    "i have no record",
    "i dont recall",
    "i dont remember",
    "im not sure",
    "i am not sure",
    "not sure",
    "no idea",
    "ich weiß nicht",
    "ich weiß es nicht",
    "keine ahnung",
    "je ne sais pas",
    "aucune idée",
    "no lo sé",
    "no sé",
    "no tengo información",
];

/// A prompt, as texts are compared with it.
pub(crate) struct Prompt {
    words: BTreeSet<String>,
    asks: bool,
}

impl Prompt {
    /// Of its text.
    pub(crate) fn new(text: &str) -> Self {
        Self { words: question_terms(text).into_iter().collect(), asks: text.contains(['?', '？', '؟']) }
    }

    /// Whether it asks for nothing that a memory could answer: it has no word beyond function words and mere dialogue.
    /// “Who owns it?” is a question all the same if something was said before it.
    pub(crate) fn asks_for_nothing(&self, follows: bool) -> bool {
        let is_about = |word: &String| !is_stop_word(word) && !is_dialogue_word(word);
        let steers = |word: &String| is_dialogue_word(word) && !is_stop_word(word);
        let is_follow_up = follows && self.asks && !self.words.is_empty() && !self.words.iter().any(steers);
        !self.words.iter().any(is_about) && !is_follow_up
    }

    /// Whether an item states nothing about what is asked: it asks the same again, or says that nobody knows.
    pub(crate) fn is_left_open_by(&self, item: &Item) -> bool {
        let Item::Memory(memory) = item else { return false };
        memory.kind() == Kind::Episode && (self.is_asked_by(memory) || admits_ignorance(&memory.content))
    }

    /// Whether an item is of no use to whoever said this: it states nothing about it, or a person said just the same.
    pub(crate) fn gains_nothing_from(&self, item: &Item) -> bool {
        let Item::Memory(memory) = item else { return false };
        let is_echo = || memory.role.as_deref() == Some("user") && self.new_words(&memory.content).0 == 0;
        self.is_left_open_by(item) || (memory.kind() == Kind::Episode && is_echo())
    }

    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    fn is_asked_by(&self, memory: &Memory) -> bool {
        let (new, all) = self.new_words(&memory.content);
        memory.content.trim_end().ends_with(['?', '？', '؟']) && new as f32 <= NEW_SHARE * all as f32
    }

    // How many content words a text has beyond those of the prompt, and how many words in all.
    fn new_words(&self, text: &str) -> (usize, usize) {
        let is_content = |word: &&String| !is_stop_word(word) && !is_dialogue_word(word);
        let said: BTreeSet<String> = terms(text).into_iter().collect();
        let new = said.difference(&self.words).filter(is_content).count();
        (new, said.len())
    }
}

fn admits_ignorance(text: &str) -> bool {
    if text.len() > SHORT_BYTES {
        return false;
    }
    let text = text.to_lowercase().replace(['\'', '’'], "");
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let start = ["sorry", "hmm", "well", "lo siento", "désolé", "tut mir leid"]
        .into_iter()
        .find_map(|word| start.strip_prefix(word))
        .unwrap_or(start)
        .trim_start_matches(|c: char| !c.is_alphanumeric());
    IGNORANCE.into_iter().any(|phrase| start.starts_with(phrase)) && !text.contains(" but ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_asks_for_something_if_it_names_a_matter() {
        // The prompt, and whether it asks for nothing alone, and after something.
        for (text, alone, after) in [
            ("thanks", true, true),
            ("ok, continue", true, true),
            ("what next?", true, true),
            ("merci, parfait", true, true),
            ("👍", true, true),
            ("", true, true),
            ("who owns it?", true, false),
            ("why?", true, false),
            ("run the tests", false, false),
            ("which port?", false, false),
            ("WiFi problem", false, false),
        ] {
            let prompt = Prompt::new(text);
            assert_eq!((prompt.asks_for_nothing(false), prompt.asks_for_nothing(true)), (alone, after), "{text}");
        }
    }

    #[test]
    fn not_knowing_states_nothing() {
        for (text, expected) in [
            ("I don't know.", true),
            ("Sorry, I have no record of that.", true),
            ("No lo sé, la verdad", true),
            ("I don't know why, but restarting the worker fixed it", false),
            ("The staging database is on port 5433", false),
        ] {
            assert_eq!(admits_ignorance(text), expected, "{text}");
        }
    }
}
