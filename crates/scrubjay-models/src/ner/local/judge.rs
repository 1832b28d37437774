//! What is a name: the model's looks and the writing together.
//!
//! Words that follow one another and are written like names are one name. Its class is the one that its words look most
//! like, and its confidence their mean share of it, over the words that the model takes for parts of a name at all.

use std::ops::Range;

use scrubjay_core::entity::EntityType;

use super::classifier::{Class, Look};
use super::listed::{Known, known};
use super::word::Word;

/// Below these a name is left out: about one in ten of what remains is wrong (`docs/quality.md`).
const PERSON_CONFIDENCE: f32 = 0.85;
const ORGANIZATION_CONFIDENCE: f32 = 0.9;
const LOCATION_CONFIDENCE: f32 = 0.9;
/// What a single word needs where a capital says nothing.
const FIRST_WORD_CONFIDENCE: f32 = 0.93;

/// What an everyday word needs there to be part of a longer name.
const FIRST_WORD_SHARE: f32 = 0.8;

/// How sure a name is that is found by a list alone.
const LISTED_CONFIDENCE: f32 = 0.9;

/// Small words that a name can have inside.
const JOINING: &[&str] =
    &["of", "de", "da", "di", "la", "le", "van", "von", "der", "den", "du", "del", "the", "and", "bin", "ibn", "al"];

/// A name that was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Name {
    pub(super) span: Range<usize>,
    pub(super) entity_type: EntityType,
    pub(super) confidence: f32,
}

/// One word with its look, if the model has seen it.
struct Seen<'sentence> {
    word: &'sentence Word,
    look: Option<&'sentence Look>,
}

impl Seen<'_> {
    fn is_name(&self) -> bool {
        self.look.is_some_and(Look::is_name)
    }
}

/// The names in a sentence.
pub(super) fn names(text: &str, words: &[Word], looks: &[Look]) -> Vec<Name> {
    // A single word has no sentence around it that would tell anything.
    if words.len() < 2 {
        return Vec::new();
    }
    let seen: Vec<Seen<'_>> = words
        .iter()
        .map(|word| {
            let place = looks.partition_point(|look| look.start < word.span.start);
            Seen { word, look: looks.get(place).filter(|look| look.start == word.span.start) }
        })
        .collect();
    let judged = runs(text, &seen).into_iter().filter_map(|run| {
        let name = judge(text, &seen[run.clone()])?;
        let is_brand = name.entity_type == EntityType::Person && owns_a_title(text, &seen[run.end - 1..]);
        (!is_brand).then_some(name)
    });
    judged.collect()
}

/// Words that may be one name.
fn runs(text: &str, seen: &[Seen<'_>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut joins = false;
    for (place, one) in seen.iter().enumerate() {
        if one.word.is_like_name {
            match runs.last_mut() {
                Some(run) if one.word.follows && (run.end == place || joins) => run.end = place + 1,
                _ => runs.push(place..place + 1),
            }
            joins = false;
        } else {
            let is_after_name = runs.last().is_some_and(|run| run.end == place);
            joins = (is_after_name || joins)
                && one.word.follows
                && one.is_name()
                && JOINING.contains(&&text[one.word.span.clone()]);
        }
    }
    runs
}

fn judge(text: &str, run: &[Seen<'_>]) -> Option<Name> {
    let judged = by_model(text, run);
    // A first word may have its capital from the sentence alone.
    let own = match run {
        [first, rest @ ..] if first.word.is_first && first.word.is_everyday => rest,
        all => all,
    };
    let Some(word) = own.first().map(|one| one.word) else { return judged };
    let is_alone = own.len() == 1;
    let taken_for = judged.as_ref().map(|name| name.entity_type);
    let listed = |entity_type| {
        let span = word.span.clone();
        Some(Name { span, entity_type, confidence: LISTED_CONFIDENCE })
    };
    match known(&text[word.span.clone()].to_lowercase()) {
        // A product is no person and no organisation, whatever follows it.
        Some(Known::Product) if taken_for != Some(EntityType::Location) => None,
        Some(Known::Company) if is_alone && taken_for != Some(EntityType::Organization) => {
            listed(EntityType::Organization)
        }
        Some(Known::GivenName) if is_alone && taken_for.is_none() => listed(EntityType::Person),
        _ => judged,
    }
}

fn by_model(text: &str, run: &[Seen<'_>]) -> Option<Name> {
    let class = [Class::Person, Class::Organization, Class::Location, Class::Other]
        .into_iter()
        .max_by(|one, other| sum(run, *one).total_cmp(&sum(run, *other)))?;
    let (entity_type, least) = match class {
        Class::Person => (EntityType::Person, PERSON_CONFIDENCE),
        Class::Organization => (EntityType::Organization, ORGANIZATION_CONFIDENCE),
        Class::Location => (EntityType::Location, LOCATION_CONFIDENCE),
        Class::Outside | Class::Other => return None,
    };
    let run = trimmed(run, class);
    let named = run.iter().filter(|one| one.is_name()).count();
    let (first, last) = (run.first()?, run.last()?);
    if named * 2 < run.len() {
        return None;
    }
    let confidence = sum(run, class) / named as f32;
    let is_alone = run.len() == 1;
    if is_alone && first.word.is_first && (first.word.is_everyday || confidence < FIRST_WORD_CONFIDENCE) {
        return None;
    }
    let span = first.word.span.start..last.word.span.end;
    if text[span.clone()].chars().filter(|one| one.is_alphabetic()).count() < 2 {
        return None;
    }
    // Capitals throughout are an abbreviation. A person is none, and an organisation only if it was just written out:
    // otherwise it is as often a product or a technique.
    let is_abbreviated = is_alone && !text[span.clone()].chars().any(char::is_lowercase);
    let is_explained = class == Class::Organization && text[..span.start].ends_with(" (");
    if is_abbreviated && class != Class::Location && !is_explained {
        return None;
    }
    (confidence >= least).then_some(Name { span, entity_type, confidence: confidence.min(1.0) })
}

/// True for the `Tom` of `Tom's Hardware`: what follows the genitive is a name too, so that the two are one.
fn owns_a_title(text: &str, seen: &[Seen<'_>]) -> bool {
    let [owner, owned, ..] = seen else { return false };
    let gap = &text[owner.word.span.end..owned.word.span.start];
    matches!(gap, "'s " | "’s ") && text[owned.word.span.clone()].starts_with(char::is_uppercase)
}

/// Without what stands before the name: a first word that only looks like part of it because it is first, and the title
/// of a person.
fn trimmed<'run, 'sentence>(run: &'run [Seen<'sentence>], class: Class) -> &'run [Seen<'sentence>] {
    let is_part = |one: &Seen<'_>| match (one.is_name(), one.word.is_first) {
        (true, true) => !one.word.is_everyday || one.look.is_some_and(|look| look.share(class) >= FIRST_WORD_SHARE),
        (true, false) => true,
        (false, is_first) => class != Class::Person && !is_first,
    };
    let start = run.iter().position(is_part).unwrap_or(run.len());
    &run[start..]
}

fn sum(run: &[Seen<'_>], class: Class) -> f32 {
    run.iter().filter(|one| one.is_name()).filter_map(|one| one.look).map(|look| look.share(class)).sum()
}
