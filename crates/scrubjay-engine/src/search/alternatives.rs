//! Other terms that a term of the question may stand for: inflections in its language, the words it was meant to be, and
//! the parts of a compound.
//!
//! A term and its alternatives count as one: a candidate holds the term if it holds any of them.

use std::collections::BTreeSet;

use scrubjay_core::lexical::{self, Language, LanguageGuess};
use scrubjay_index::Snapshot;

use super::query::Query;
use super::spelling::{Likeness, neighbours};
use crate::Result;
use crate::index::{inflection_hash, is_word, language_hash, path_hash};

/// The weight of a term that nothing here holds, if something like it stands in for it.
const ONE_EDIT_WEIGHT: f32 = 0.7;
const COMPOUND_WEIGHT: f32 = 0.6;
const TWO_EDITS_WEIGHT: f32 = 0.4;

/// Terms that are looked at for what they are like. Someone who pastes a page has made no slip of the pen.
const TERMS: usize = 24;

/// The shortest parts that a compound is made of, in letters.
const SHORTEST_PART: usize = 4;

/// What stands between the parts of a German compound.
const LINKS: [&str; 6] = ["", "s", "n", "en", "es", "er"];

/// A term that stands in for one of the question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alternative {
    /// The place of the term in the question.
    pub(super) term: usize,
    /// The number under which the index knows the other one.
    pub(super) hash: u64,
    /// As text: a term, or the key of an inflection.
    pub(super) text: String,
    /// The language of an inflection.
    pub(super) language: Option<Language>,
}

/// Finds the alternatives of a question's own terms.
///
/// # Errors
/// When the index is damaged.
pub(super) fn add_alternatives(snapshot: &Snapshot, query: &mut Query, text: &str) -> Result<()> {
    let written = written_words(query, text);
    query.alternatives = inflections(snapshot, text, &written)?;
    let own: Vec<usize> = (0..query.own_words.min(TERMS)).filter(|term| may_be_misspelt(&query.words[*term])).collect();
    let unknown = unknown(snapshot, query, &own)?;
    for term in unknown {
        let word = query.words[term].clone();
        let as_written = written.iter().find(|(place, _)| *place == term).map_or(word.as_str(), |(_, word)| word);
        let found = neighbours(snapshot, as_written, &word)?;
        let weight = match found.first().map(|neighbour| neighbour.likeness) {
            Some(Likeness::OneEdit) => ONE_EDIT_WEIGHT,
            Some(Likeness::Compound) => COMPOUND_WEIGHT,
            Some(Likeness::TwoEdits) => TWO_EDITS_WEIGHT,
            None => COMPOUND_WEIGHT,
        };
        let mut terms: Vec<String> = found.into_iter().map(|neighbour| neighbour.term).collect();
        if terms.is_empty() {
            terms = parts(snapshot, as_written)?;
        }
        if terms.is_empty() {
            query.unknown.push(as_written.to_owned());
            continue;
        }
        query.terms.text[term].weight *= weight;
        query.alternatives.extend(terms.into_iter().map(|text| {
            let hash = lexical::term_hash(&text);
            Alternative { term, hash, text, language: None }
        }));
    }
    Ok(())
}

// The plain words of the question as they are written, each with the place of its term.
fn written_words<'a>(query: &Query, text: &'a str) -> Vec<(usize, &'a str)> {
    let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    let plain = words.filter_map(|word| match &lexical::terms(word)[..] {
        [term] => Some((query.words[..query.own_words].iter().position(|own| own == term)?, word)),
        _ => None,
    });
    plain.collect()
}

fn inflections(snapshot: &Snapshot, text: &str, written: &[(usize, &str)]) -> Result<Vec<Alternative>> {
    let guess = LanguageGuess::of(text);
    let languages =
        if guess.languages.is_empty() && !guess.is_english { spoken_here(snapshot)? } else { guess.languages };
    let mut seen = BTreeSet::new();
    let mut alternatives = Vec::new();
    for language in languages {
        for (term, word) in written {
            if let Some(key) = lexical::inflection(language, word)
                && seen.insert((*term, key.clone()))
            {
                let hash = inflection_hash(&key);
                alternatives.push(Alternative { term: *term, hash, text: key, language: Some(language) });
            }
        }
    }
    Ok(alternatives)
}

// The languages of the texts here, for a question that does not show its own.
fn spoken_here(snapshot: &Snapshot) -> Result<Vec<Language>> {
    let all: Vec<Language> = Language::all().collect();
    let hashes: Vec<u64> = all.iter().map(|language| language_hash(*language)).collect();
    let frequencies = snapshot.statistics(&snapshot.shards(), &hashes)?.document_frequencies;
    Ok(all.into_iter().zip(frequencies).filter(|(_, frequency)| *frequency > 0).map(|(language, _)| language).collect())
}

fn may_be_misspelt(term: &str) -> bool {
    is_word(term) && !lexical::is_stop_word(term) && !lexical::is_dialogue_word(term)
}

// Those of the terms that nothing here holds, in whatever form.
fn unknown(snapshot: &Snapshot, query: &Query, terms: &[usize]) -> Result<Vec<usize>> {
    let mut hashes = Vec::new();
    let mut owners = Vec::new();
    for term in terms {
        let others = query.alternatives.iter().filter(|alternative| alternative.term == *term);
        let all = others.map(|alternative| alternative.hash);
        for hash in all.chain([query.terms.text[*term].hash, path_hash(&query.words[*term])]) {
            hashes.push(hash);
            owners.push(*term);
        }
    }
    let frequencies = snapshot.statistics(&snapshot.shards(), &hashes)?.document_frequencies;
    let known: BTreeSet<usize> =
        owners.into_iter().zip(frequencies).filter(|(_, frequency)| *frequency > 0).map(|(term, _)| term).collect();
    Ok(terms.iter().copied().filter(|term| !known.contains(term)).collect())
}

// The two words here that make up a compound, the more even the better: “Datenbankverbindung”.
fn parts(snapshot: &Snapshot, written: &str) -> Result<Vec<String>> {
    let lower = written.to_lowercase();
    let cuts = lower.char_indices().map(|(place, _)| place).filter(|place| {
        let (left, right) = lower.split_at(*place);
        left.chars().count() >= SHORTEST_PART && right.chars().count() >= SHORTEST_PART
    });
    let one_term = |word: &str| match &lexical::terms(word)[..] {
        [term] if !lexical::is_stop_word(term) => Some(term.clone()),
        _ => None,
    };
    let mut splits: Vec<(usize, String, String)> = Vec::new();
    for cut in cuts {
        let (left, right) = lower.split_at(cut);
        let Some(right_term) = one_term(right) else { continue };
        for link in LINKS {
            let stripped = left.strip_suffix(link).filter(|left| left.chars().count() >= SHORTEST_PART);
            if let Some(left_term) = stripped.and_then(one_term) {
                splits.push((left.len().abs_diff(right.len()), left_term, right_term.clone()));
            }
        }
    }
    splits.sort();
    let hash = lexical::term_hash;
    let hashes: Vec<u64> = splits.iter().flat_map(|(_, left, right)| [hash(left), hash(right)]).collect();
    let frequencies = snapshot.statistics(&snapshot.shards(), &hashes)?.document_frequencies;
    let is_held = |pair: &&[u64]| pair.iter().all(|frequency| *frequency > 0);
    let best = frequencies.chunks(2).zip(splits).find(|(pair, _)| is_held(pair)).map(|(_, split)| split);
    Ok(best.map_or_else(Vec::new, |(_, left, right)| vec![left, right]))
}
