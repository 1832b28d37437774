//! The provider `dictionary`: names that are known already.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use scrubjay_core::entity::EntityType;
use scrubjay_core::lexical::is_dense;

use super::error::NerError;
use super::local::is_everyday;
use super::mention::Mention;
use super::overlap::{cap, resolve};
use super::provider::{MAX_MENTIONS, Ner};

const PROVIDER: &str = "dictionary";
/// Names shorter than this must be written exactly so: `It` is not `IT`.
const FOLDED_NAME_CHARACTERS: usize = 4;
/// After so many matches the rest of a text is not read. Overlapping ones count, hence more than mentions.
const MAX_MATCHES: usize = 4 * MAX_MENTIONS;

const NAME_CONFIDENCE: f32 = 0.95;
const ALIAS_CONFIDENCE: f32 = 0.9;
const SHORT_NAME_CONFIDENCE: f32 = 0.8;
/// For a word that several entities go by.
const SHARED_NAME_CONFIDENCE: f32 = 0.6;

/// An entity that a text may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEntity {
    /// The name it goes by; its mentions carry it.
    pub name: String,
    /// What sort of thing it is.
    pub entity_type: EntityType,
    /// Other words for it.
    pub aliases: Vec<String>,
}

/// Finds whole words that are names or aliases of known entities, the longest where several fit.
///
/// Case does not matter from four characters on. But `mark` and `hope` are not Mark and Hope: a word of every day that
/// names a person, organisation or place must have its capital inside of a sentence. A name in a script without spaces is found anywhere, any other one
/// only between word boundaries.
pub struct Dictionary {
    automaton: AhoCorasick,
    /// For each pattern of the automaton, what may be meant by it.
    words: Vec<Vec<Meaning>>,
}

/// One spelling of one entity's name.
struct Meaning {
    spelling: String,
    name: String,
    entity_type: EntityType,
    is_alias: bool,
}

impl Dictionary {
    /// A dictionary of `entities`. Where several go by the same word, one whose proper name it is comes before one with
    /// the alias, and otherwise the earlier comes first.
    ///
    /// # Errors
    /// When there are more names than an automaton can hold.
    pub fn new(entities: impl IntoIterator<Item = KnownEntity>) -> Result<Self, NerError> {
        let mut meanings: BTreeMap<String, Vec<Meaning>> = BTreeMap::new();
        for entity in entities {
            let names = std::iter::once((&entity.name, false)).chain(entity.aliases.iter().map(|alias| (alias, true)));
            for (spelling, is_alias) in names {
                let spelling = spelling.split_whitespace().collect::<Vec<_>>().join(" ");
                if is_matchable(&spelling) {
                    meanings.entry(folded(&spelling)).or_default().push(Meaning {
                        spelling,
                        name: entity.name.clone(),
                        entity_type: entity.entity_type,
                        is_alias,
                    });
                }
            }
        }
        for meant in meanings.values_mut() {
            meant.sort_by_key(|meaning| meaning.is_alias);
        }
        let (patterns, words): (Vec<String>, Vec<Vec<Meaning>>) = meanings.into_iter().unzip();
        let automaton =
            AhoCorasick::new(&patterns).map_err(|source| NerError::Dictionary { names: patterns.len(), source })?;
        Ok(Self { automaton, words })
    }
}

impl Ner for Dictionary {
    fn name(&self) -> &'static str {
        PROVIDER
    }

    fn mentions(&self, text: &str) -> Result<Vec<Mention>, NerError> {
        let searched = folded(text);
        let mut found = Vec::new();
        for hit in self.automaton.find_overlapping_iter(&searched) {
            let span = hit.range();
            let Some(written) = text.get(span.clone()) else {
                continue;
            };
            if let Some(meant) = self.words.get(hit.pattern().as_usize())
                && is_whole_word(text, span.start, span.end)
                && let Some((meaning, confidence)) = chosen(meant, written)
                && !is_plain_word(meaning, text, span.clone())
            {
                found.push(Mention {
                    start: span.start,
                    end: span.end,
                    text: written.to_owned(),
                    name: meaning.name.clone(),
                    entity_type: meaning.entity_type,
                    confidence,
                    provider: PROVIDER,
                });
                if found.len() >= MAX_MATCHES {
                    break;
                }
            }
        }
        // The longest name wins here, however sure: `Ann Lee` names another person than `Ann`.
        let mut mentions = longest(found);
        cap(&mut mentions);
        Ok(mentions)
    }
}

/// Resolves overlaps by length alone and then restores what each mention was worth.
fn longest(found: Vec<Mention>) -> Vec<Mention> {
    let worth: BTreeMap<(usize, usize), f32> =
        found.iter().map(|mention| ((mention.start, mention.end), mention.confidence)).collect();
    let level = found.into_iter().map(|mention| Mention { confidence: 1.0, ..mention }).collect();
    let mut mentions = resolve(level);
    for mention in &mut mentions {
        if let Some(confidence) = worth.get(&(mention.start, mention.end)) {
            mention.confidence = *confidence;
        }
    }
    mentions
}

/// The meaning of a word as it is written, and how sure it is.
fn chosen<'dictionary>(meant: &'dictionary [Meaning], written: &str) -> Option<(&'dictionary Meaning, f32)> {
    let mut fitting = meant.iter().filter(|meaning| {
        let is_short = meaning.spelling.chars().nth(FOLDED_NAME_CHARACTERS - 1).is_none();
        !is_short || meaning.spelling == written || meaning.spelling.chars().all(is_dense)
    });
    let first = fitting.next()?;
    let is_same = |other: &Meaning| other.name == first.name && other.entity_type == first.entity_type;
    let is_shared = fitting.any(|other| !is_same(other) && other.is_alias == first.is_alias);
    let is_short = written.chars().nth(FOLDED_NAME_CHARACTERS - 1).is_none();
    let confidence = match (is_shared, is_short, first.is_alias) {
        (true, _, _) => SHARED_NAME_CONFIDENCE,
        (_, true, _) => SHORT_NAME_CONFIDENCE,
        (_, _, true) => ALIAS_CONFIDENCE,
        _ => NAME_CONFIDENCE,
    };
    Some((first, confidence))
}

/// True for a word that is not meant as the name it could be.
fn is_plain_word(meaning: &Meaning, text: &str, span: Range<usize>) -> bool {
    let is_proper = matches!(meaning.entity_type, EntityType::Person | EntityType::Organization | EntityType::Location)
        && meaning.spelling.starts_with(char::is_uppercase)
        && !meaning.spelling.contains(' ');
    if !is_proper {
        return false;
    }
    let written = text.get(span.clone()).unwrap_or_default();
    let before = text.get(..span.start).unwrap_or_default().trim_end_matches([' ', '"', '“', '(', '*', '-']);
    let begins = before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n', '…']);
    is_everyday(&written.to_lowercase()) && (begins || !written.starts_with(char::is_uppercase))
}

/// A name without letters or digits would be found everywhere, and so would a single character of a script without
/// spaces.
fn is_matchable(spelling: &str) -> bool {
    let mut characters = spelling.chars();
    let is_single_dense = characters.next().is_some_and(is_dense) && characters.next().is_none();
    spelling.chars().any(char::is_alphanumeric) && !is_single_dense
}

fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|left| left.chars().next_back());
    let after = text.get(end..).and_then(|right| right.chars().next());
    let word = text.get(start..end).unwrap_or_default();
    // `C` is not found in `C++` or `C#`.
    is_boundary(before, word.chars().next())
        && is_boundary(after, word.chars().next_back())
        && !matches!(after, Some('+' | '#'))
}

/// True if a word may end between its character `edge` and its `neighbour`.
fn is_boundary(neighbour: Option<char>, edge: Option<char>) -> bool {
    let (Some(neighbour), Some(edge)) = (neighbour, edge) else {
        return true;
    };
    let is_word_character = |character: char| character.is_alphanumeric() || character == '_';
    !is_word_character(neighbour) || !is_word_character(edge) || is_dense(neighbour) || is_dense(edge)
}

/// Lower case in which every character keeps its number of bytes, so that places in it are places in the text; white
/// space becomes plain, because a line break inside a name does not matter.
fn folded(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.is_ascii() {
                return if character.is_ascii_whitespace() { ' ' } else { character.to_ascii_lowercase() };
            }
            let mut lower = character.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some('ς'), None) => 'σ',
                (Some(single), None) if single.len_utf8() == character.len_utf8() => single,
                _ => character,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dictionary(entities: &[(&str, EntityType, &[&str])]) -> Dictionary {
        let known = entities.iter().map(|(name, entity_type, aliases)| KnownEntity {
            name: (*name).to_owned(),
            entity_type: *entity_type,
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        });
        match Dictionary::new(known) {
            Ok(dictionary) => dictionary,
            Err(error) => unreachable!("{error}"),
        }
    }

    fn found(dictionary: &Dictionary, text: &str) -> Vec<Mention> {
        match dictionary.mentions(text) {
            Ok(mentions) => mentions,
            Err(error) => unreachable!("{error}"),
        }
    }

    fn check(text: &str, expected: &[&str]) {
        let known = dictionary(&[
            ("Ann", EntityType::Person, &[]),
            ("Ann Lee", EntityType::Person, &["A. Lee"]),
            ("Scrubjay", EntityType::Project, &["SJ", "the jay"]),
            ("C", EntityType::Other, &[]),
            ("C++", EntityType::Other, &[]),
            ("Zürich", EntityType::Location, &[]),
            ("Ὀδυσσεύς", EntityType::Person, &[]),
            ("张三", EntityType::Person, &[]),
            ("李", EntityType::Person, &[]),
            ("민수", EntityType::Person, &[]),
            (" ", EntityType::Other, &["", "--"]),
        ]);
        let mentions = found(&known, text);
        let names: Vec<String> = mentions.iter().map(|mention| format!("{}={}", mention.text, mention.name)).collect();
        assert_eq!(names, expected, "in {text:?}");
    }

    #[test]
    fn names_and_aliases_are_found_as_whole_words() {
        check("Scrubjay, scrubjay's SCRUBJAY.", &["Scrubjay=Scrubjay", "scrubjay=Scrubjay", "SCRUBJAY=Scrubjay"]);
        check("scrubjays myscrubjay scrubjay_2 scrubjayé", &[]);
        check("The Jay sang; use SJ, not sj", &["The Jay=Scrubjay", "SJ=Scrubjay"]);
        check("Ann and ann and ANN", &["Ann=Ann"]);
        check("Ann Lee met Ann; A. Lee left", &["Ann Lee=Ann Lee", "Ann=Ann", "A. Lee=Ann Lee"]);
        check("ann\nlee", &["ann\nlee=Ann Lee"]);
        check("Ann Leeds", &["Ann=Ann"]);
        check("C, C++ and C#, C++11", &["C=C", "C++=C++", "C++=C++"]);
        check("", &[]);
    }

    #[test]
    fn other_scripts_are_found_too() {
        check("ZÜRICH zürich", &["ZÜRICH=Zürich", "zürich=Zürich"]);
        check("ὈΔΥΣΣΕΎΣ", &["ὈΔΥΣΣΕΎΣ=Ὀδυσσεύς"]);
        check("我和张三去了", &["张三=张三"]);
        check("李先生", &[]);
        check("민수는 갔다", &["민수=민수"]);
        check("用Scrubjay写", &["Scrubjay=Scrubjay"]);
    }

    #[test]
    fn a_proper_name_comes_before_an_alias_and_a_shared_one_is_doubtful() {
        let known = dictionary(&[
            ("Annabel", EntityType::Person, &["Falcon"]),
            ("Falcon", EntityType::Project, &["bird"]),
            ("Heron", EntityType::Project, &["bird"]),
        ]);
        let falcon = found(&known, "falcon");
        assert_eq!(falcon.len(), 1);
        assert_eq!((falcon[0].name.as_str(), falcon[0].entity_type), ("Falcon", EntityType::Project));
        assert_eq!(falcon[0].confidence, NAME_CONFIDENCE);
        let bird = found(&known, "bird");
        assert_eq!((bird[0].name.as_str(), bird[0].confidence), ("Falcon", SHARED_NAME_CONFIDENCE));
    }

    #[test]
    fn an_everyday_word_is_a_name_only_if_it_is_written_as_one() {
        let known = dictionary(&[
            ("Mark", EntityType::Person, &[]),
            ("Kevin", EntityType::Person, &[]),
            ("Target", EntityType::Project, &[]),
        ]);
        let names = |text: &str| -> Vec<String> { found(&known, text).into_iter().map(|one| one.text).collect() };
        assert_eq!(names("I told Mark to mark it. Mark it well!"), ["Mark"]);
        assert_eq!(names("Kevin knows; ask kevin about the target"), ["Kevin", "kevin", "target"]);
    }

    #[test]
    fn an_empty_dictionary_finds_nothing() {
        assert!(found(&dictionary(&[]), "Ann").is_empty());
    }

    #[test]
    fn a_large_text_is_read_and_capped() {
        let known = dictionary(&[("Scrubjay", EntityType::Project, &[])]);
        assert_eq!(found(&known, &"scrubjay ".repeat(10_000)).len(), MAX_MENTIONS);
        assert!(found(&known, &"scrubja".repeat(100_000)).is_empty());
    }

    proptest! {
        #[test]
        fn spans_are_true_and_apart(
            names in prop::collection::vec("\\PC{1,4}|[a-cA-C ]{1,5}|[深色ἀΣςßİ]{1,3}", 0..8),
            text in "\\PC{0,40}|[a-cA-C \n]{0,40}|[深色ἀΣςßİ a]{0,20}",
        ) {
            let entities: Vec<(&str, EntityType, &[&str])> =
                names.iter().map(|name| (name.as_str(), EntityType::Other, &[][..])).collect();
            let mentions = found(&dictionary(&entities), &text);
            let mut end = 0;
            for mention in &mentions {
                prop_assert!(mention.start >= end && mention.start < mention.end);
                prop_assert_eq!(text.get(mention.start..mention.end), Some(mention.text.as_str()));
                end = mention.end;
            }
        }

        #[test]
        fn a_known_name_between_spaces_is_always_found(name in "[A-Za-z]{4,12}", other in "[a-z ]{0,20}") {
            let mentions = found(&dictionary(&[(&name, EntityType::Project, &[])]), &format!("{other} {} .", name.to_uppercase()));
            prop_assert!(mentions.iter().any(|mention| mention.name == name));
        }
    }
}
