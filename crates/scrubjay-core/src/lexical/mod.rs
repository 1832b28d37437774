//! The analyzer: what turns any text or query into index terms, and how two texts are compared by their words.
//!
//! Text and query go through the same [`for_each_term`], so whatever is indexed can be asked for. A term is
//! lower case, NFKC-folded, free of Latin diacritics, at most [`MAX_TERM_BYTES`] long, and made of letters,
//! digits and the marks that belong to them: joined by spaces, terms can be handed to a tokenizer that knows
//! nothing but ASCII white space. Identifiers, paths, versions and dates give their parts and the joined whole;
//! scripts written without spaces give overlapping pairs of characters; English and Russian words are stemmed; an
//! emoji is a term. Words of other languages keep their form, and get a key for their inflections beside it
//! (`inflection.rs`), because which language a word belongs to only the text around it tells.
//!
//! It never drops a word ([`is_stop_word`] only tells), never fails, never looks anything up outside the text,
//! and keeps no state that changes an answer. A change to what comes out must raise [`ANALYZER_VERSION`],
//! because terms that are already stored would no longer meet the terms of a query.
//!
//! Start reading in `analyzer.rs`, which walks over the text; `compound.rs` splits what stands between two
//! separators, `fold.rs`, `han.rs` and `script.rs` know Unicode, `stem.rs` and `languages.rs` the languages. `similarity.rs` is about
//! whether two texts say the same; `asking.rs`, `amount.rs`, `tense.rs` and `general_question.rs` about what a question
//! asks for; `figure.rs` about numbers that change with time.

mod amount;
mod analyzer;
mod asking;
mod change;
mod compound;
mod dialogue_words;
mod event_words;
mod figure;
mod fold;
mod general_question;
mod han;
mod inflection;
mod language;
mod languages;
mod question_terms;
mod script;
mod similarity;
mod stem;
mod stop_words;
mod tense;
#[cfg(test)]
mod tests;

pub use amount::AmountAsked;
pub use analyzer::{ANALYZER_VERSION, MAX_TERM_BYTES, for_each_term, term_hash, terms};
pub use asking::asks;
pub use change::tells_of_change;
pub use dialogue_words::is_dialogue_word;
pub use event_words::is_event_word;
pub use figure::Figure;
pub use general_question::asks_in_general;
pub use inflection::{for_each_inflection, inflection};
pub use language::{Language, LanguageGuess};
pub use question_terms::question_terms;
pub use script::{is_dense, is_emoji};
pub use similarity::{jaccard, near_duplicate, word_set};
pub use stop_words::{content_terms, is_stop_word};
pub use tense::Tense;
