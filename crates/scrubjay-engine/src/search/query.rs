//! A question as the arms want it: terms with weights, a vector, names, times.

use std::collections::BTreeSet;
use std::sync::Arc;

use scrubjay_core::lexical;
use scrubjay_core::when::{NamedTime, named_times};
use scrubjay_index::TermQuery;
use scrubjay_index::vector::VectorQuery;
use scrubjay_models::embed::Calibration;
use scrubjay_store::item::Generation;

use super::alternatives::Alternative;
use super::field::PerField;
use super::fusion::ArmWeights;
use super::question::{Arms, Missing, Question};
use super::statement::Prompt;
use super::time_alone::asks_for_time_alone;
use crate::index::{Roots, file_hash, path_hash, speaker_hash};
use crate::{Ctx, EngineError, Result};

/// Terms of a question that are looked at; the rest of a very long one adds
/// nothing but time.
const TERMS: usize = 64;

/// What function words count beside words that tell something.
const STOP_WORD_WEIGHT: f32 = 0.2;

/// What it counts that a candidate is said by someone whom the question names,
/// beside a word in its text.
const SPEAKER_WEIGHT: f32 = 2.0;

/// What it counts that a candidate is in a file that the question calls by its name, beside a word in its text.
const FILE_WEIGHT: f32 = 3.0;

/// Names of files that a question has at most.
const FILES: usize = 8;

/// A question with fewer telling words than this is understood by what was said
/// before it.
const TELLING: usize = 3;

/// What all that was said before counts, beside all words of the question.
const BEFORE_WEIGHT: f32 = 0.25;

/// Words of a question that may be part of a name.
const NAME_WORDS: usize = 32;

/// A shorter name written as one is an abbreviation: “e.g.”, “w/o”.
const SHORTEST_NAME_BYTES: usize = 6;

/// Words a name has at most.
const NAME_LENGTH: usize = 4;

/// A question made ready.
#[derive(Debug, Clone)]
pub(super) struct Query {
    /// Its terms for each field, each once, in order. Those for paths run parallel to those for texts.
    pub(super) terms: PerField<Vec<TermQuery>>,
    /// Which of the terms are there only as part of a file's name or path.
    pub(super) only_in_file_names: Vec<bool>,
    /// The terms as text, for finding them in a hit.
    pub(super) words: Vec<String>,
    /// How many of them are its own; the others come from what was said before.
    pub(super) own_words: usize,
    /// Other terms that its own may stand for.
    pub(super) alternatives: Vec<Alternative>,
    /// Words of it, as they are written, that nothing here holds or resembles.
    pub(super) unknown: Vec<String>,
    /// The names in it that are written as one: identifiers, paths, versions. As terms.
    pub(super) identifiers: BTreeSet<String>,
    /// The texts that hold a phrase which it quotes.
    pub(super) exact: BTreeSet<u64>,
    /// Whether it asks for nothing but a time.
    pub(super) time_alone: bool,
    /// How long it is, in characters.
    pub(super) text_length: usize,
    /// Whether it asks for something that can be told, rather than for something to be done.
    pub(super) asks: bool,
    /// Whether it asks for nothing that a memory could answer: “continue”.
    pub(super) asks_for_nothing: bool,
    /// Whether it asks for what is generally known.
    pub(super) asks_in_general: bool,
    /// Whether it is in another language than English, which the built-in embedder knows best: to it, whatever is in
    /// the same language is near.
    pub(super) is_in_other_language: bool,
    /// Its vector in the generation that serves.
    pub(super) vector: Option<QueryVector>,
    /// Whether it is a vector from outside and has no words.
    pub(super) is_vector_alone: bool,
    /// How much meaning and words count where their scores are added up by weight.
    pub(super) arm_weights: ArmWeights,
    /// Candidates of each arm per wanted hit.
    pub(super) candidate_multiplier: usize,
    /// The times it names.
    pub(super) times: Vec<NamedTime>,
    /// What the caller should know.
    pub(super) warnings: Vec<String>,
}

/// A question's vector and what a cosine with it means.
#[derive(Debug, Clone)]
pub(super) struct QueryVector {
    pub(super) generation: u64,
    pub(super) vector: Arc<VectorQuery>,
    pub(super) calibration: Calibration,
}

/// Makes a question ready.
///
/// # Errors
/// When the settings name an embedder that cannot be used at all, or a vector was given that cannot be compared with
/// those that serve. An embedder that fails now costs its arm and is named in the warnings.
pub(super) async fn prepare(
    ctx: &Ctx,
    question: &Question,
    before: &str,
    serving: Option<&Generation>,
) -> Result<Query> {
    // Files are known by their path below the place that was indexed.
    let text = if question.text.contains('/') {
        Roots::seen(&*ctx.store().await?, ctx.view()).await?.shortened(&question.text)
    } else {
        question.text.clone()
    };
    let (mut terms, mut words) = terms_of(&text);
    let own_words = words.len();
    let follows = !before.is_empty() && words.iter().filter(|word| !lexical::is_stop_word(word)).count() < TELLING;
    add_before(&mut terms, &mut words, before, if follows { 1.0 } else { BEFORE_WEIGHT });
    let mut warnings = Vec::new();
    let vector = if let Some(given) = &question.vector {
        Some(given_vector(ctx, given, question.arms.vector, serving).await?)
    } else if question.arms.vector && !question.text.trim().is_empty() {
        let meant = if follows { format!("{}\n{before}", question.text) } else { question.text.clone() };
        match vector_of(ctx, &meant, serving).await? {
            Ok(vector) => Some(vector),
            Err(why) => {
                warnings.push(why);
                None
            }
        }
    } else {
        None
    };
    let times = if question.arms.time { named_times(&question.text, question.now) } else { Vec::new() };
    let speaker = words
        .iter()
        .filter(|word| question.arms.entity && !lexical::is_stop_word(word))
        .map(|word| TermQuery { hash: speaker_hash(word), weight: SPEAKER_WEIGHT })
        .collect();
    let named = file_names(&text);
    let only_in_file_names = only_in_names(&words, &text, &named);
    let in_path = |(term, word): (&TermQuery, &String)| {
        let weight = if lexical::is_stop_word(word) { 0.0 } else { term.weight };
        TermQuery { hash: path_hash(word), weight }
    };
    let path = terms.iter().zip(&words).map(in_path).collect();
    let file_name = named.iter().map(|named| TermQuery { hash: file_hash(named.name), weight: FILE_WEIGHT }).collect();
    let terms = PerField { text: terms, speaker, path, file_name };
    let (text_length, asks) = (question.text.chars().count(), lexical::asks(&question.text));
    let time_alone = asks_for_time_alone(&question.text, &times);
    let is_vector_alone = question.vector.is_some() && words.is_empty();
    let hybrid = &ctx.config().settings.query.hybrid;
    Ok(Query {
        terms,
        only_in_file_names,
        words,
        own_words,
        alternatives: Vec::new(),
        unknown: Vec::new(),
        identifiers: identifiers(&question.text),
        exact: BTreeSet::new(),
        time_alone,
        text_length,
        asks,
        asks_for_nothing: asks_for_nothing(&question.text, before),
        asks_in_general: lexical::asks_in_general(&question.text),
        is_in_other_language: is_in_other_language(&question.text),
        vector,
        is_vector_alone,
        arm_weights: ArmWeights::of(hybrid),
        candidate_multiplier: hybrid.candidate_multiplier,
        times,
        warnings,
    })
}

impl Query {
    /// Whether it has a single word that tells what it is about.
    pub(super) fn is_one_word(&self) -> bool {
        let own = self.words.iter().take(self.own_words);
        own.filter(|word| !lexical::is_stop_word(word) && !lexical::is_dialogue_word(word)).count() == 1
    }

    /// What the search does without: words that nothing here holds, and arms.
    pub(super) fn missing(&self, question: &Question) -> Missing {
        let arms = Arms::NAMES.into_iter().filter_map(|arm| match arm {
            _ if !question.arms.has(arm) => Some((arm, "it is switched off".to_owned())),
            // A question without words has no vector, and misses nothing.
            "vector" if self.vector.is_none() => {
                let warning = self.warnings.first()?;
                Some((arm, warning.split_once(": ").map_or(warning.as_str(), |(_, why)| why).to_owned()))
            }
            _ => None,
        });
        Missing { words: self.unknown.clone(), arms: arms.collect() }
    }

    /// Its terms for all fields, and after them its alternatives.
    pub(super) fn all_terms(&self) -> Vec<TermQuery> {
        let weight = |term: usize| self.terms.text.get(term).map_or(0.0, |term| term.weight);
        let others = self.alternatives.iter().map(|other| TermQuery { hash: other.hash, weight: weight(other.term) });
        self.terms.flat().into_iter().chain(others).collect()
    }
}

/// The joined wholes of the names in a text that are written as one: `getUserName`, `user_id`, `api.example.org`.
fn identifiers(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let is_hump = |pair: &[char]| pair[0].is_lowercase() && pair[1].is_uppercase();
        let letters: Vec<char> = word.chars().collect();
        if !word.contains(['_', '.', ':', '/']) && !letters.windows(2).any(is_hump) {
            continue;
        }
        let terms = lexical::terms(word);
        let whole = terms.iter().max_by_key(|term| term.len()).filter(|_| terms.len() > 2);
        names.extend(whole.filter(|term| term.len() >= SHORTEST_NAME_BYTES).cloned());
    }
    names
}

/// The names that a question may hold: every run of a few words.
pub(super) fn possible_names(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '?' | '!' | '"' | '“' | '”' | '(' | ')'))
        .map(|word| word.trim_matches(|c: char| matches!(c, '.' | ':' | '\'' | '’')))
        .filter(|word| !word.is_empty())
        .take(NAME_WORDS)
        .collect();
    let mut names = Vec::new();
    for start in 0..words.len() {
        for end in start + 1..=words.len().min(start + NAME_LENGTH) {
            let run = &words[start..end];
            // “the”, “what did”: a name has a word that tells something.
            if run.iter().all(|word| lexical::terms(word).iter().all(|term| lexical::is_stop_word(term))) {
                continue;
            }
            names.push(run.join(" "));
        }
        let own = words[start].trim_end_matches("'s").trim_end_matches("’s");
        if own.len() < words[start].len() {
            names.push(own.to_owned());
        }
    }
    names
}

/// A file that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NamedFile<'a> {
    /// As it stands there: `src/net/retry.rs`.
    path: &'a str,
    /// The last part of it.
    name: &'a str,
}

fn file_names(text: &str) -> Vec<NamedFile<'_>> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '“' | '”' | '(' | ')' | '`'));
    let named = words.filter_map(|word| {
        let word = word.trim_matches(|c: char| matches!(c, '.' | ':' | '?' | '!' | '\'' | '’' | '<' | '>' | '/'));
        // With `:12`, or `:12:3`, for a line.
        let path = word.split(':').next()?;
        let name = path.rsplit('/').next()?;
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_ending = (1..=10).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric());
        let has_letter = |part: &str| part.chars().any(char::is_alphabetic);
        // `1.5` is a number, and `and/or` are words.
        let is_file = (is_ending && has_letter(ending) && !stem.is_empty()) || path.matches('/').count() > 1;
        (is_file && !name.is_empty()).then_some(NamedFile { path, name })
    });
    let mut named: Vec<NamedFile<'_>> = named.take(FILES).collect();
    named.dedup();
    named
}

// Which words are there only because a file is named.
fn only_in_names(words: &[String], text: &str, named: &[NamedFile<'_>]) -> Vec<bool> {
    let mut elsewhere = text.to_owned();
    for named in named {
        elsewhere = elsewhere.replace(named.path, " ");
    }
    let elsewhere = lexical::terms(&elsewhere);
    let in_names: Vec<String> = named.iter().flat_map(|named| lexical::terms(named.path)).collect();
    words.iter().map(|word| in_names.contains(word) && !elsewhere.contains(word)).collect()
}

fn terms_of(text: &str) -> (Vec<TermQuery>, Vec<String>) {
    let mut seen = BTreeSet::new();
    let mut all = lexical::question_terms(text);
    if all.is_empty() {
        all = lexical::terms(text);
    }
    all.retain(|term| seen.insert(term.clone()));
    let telling = all.iter().any(|term| !lexical::is_stop_word(term));
    let mut terms = Vec::new();
    let mut words = Vec::new();
    for word in all.into_iter().take(TERMS) {
        // Function words are only looked for in earnest when there is nothing
        // else.
        let weight = if telling && lexical::is_stop_word(&word) { STOP_WORD_WEIGHT } else { 1.0 };
        terms.push(TermQuery { hash: lexical::term_hash(&word), weight });
        words.push(word);
    }
    (terms, words)
}

// The telling words of what was said before. However many they are, together
// they count a share of the question and no more.
fn add_before(terms: &mut Vec<TermQuery>, words: &mut Vec<String>, before: &str, share: f32) {
    let (_, said) = terms_of(before);
    let new: Vec<String> =
        said.into_iter().filter(|word| !lexical::is_stop_word(word) && !words.contains(word)).take(TERMS / 2).collect();
    #[expect(clippy::cast_precision_loss, reason = "a count of words")]
    let weight = {
        let own: f32 = terms.iter().map(|term| term.weight).sum();
        (share * own.max(TELLING as f32) / new.len().max(1) as f32).min(share)
    };
    for word in new {
        terms.push(TermQuery { hash: lexical::term_hash(&word), weight });
        words.push(word);
    }
}

async fn vector_of(
    ctx: &Ctx,
    text: &str,
    serving: Option<&Generation>,
) -> Result<std::result::Result<QueryVector, String>> {
    if !ctx.embeds() {
        return Ok(Err("search is by words and names only: no embedder is set up".to_owned()));
    }
    // Nothing has vectors yet; there is nothing to miss.
    let Some(serving) = serving else {
        return Ok(Err("search is by words and names only: nothing has vectors yet".to_owned()));
    };
    let failed = |why: String| Ok(Err(format!("search is by words and names only: {why}")));
    // The vectors that serve may be of a model that is not the one that is set up now; it is asked as long as they do.
    let embedder = match ctx.embedder_for(&serving.spec).await {
        Ok(Some(embedder)) => embedder,
        Ok(None) => {
            let made_by = &serving.spec.model;
            return failed(format!(
                "the vectors were made by {made_by}, which is not set up now; run `scrubjay reembed`"
            ));
        }
        Err(error) => return failed(error.to_string()),
    };
    match embedder.embed_query(text).await {
        Ok(vector) => match VectorQuery::new(&vector) {
            Ok(vector) => Ok(Ok(QueryVector {
                generation: serving.id.0,
                vector: Arc::new(vector),
                calibration: embedder.model().calibration,
            })),
            Err(error) => failed(error.to_string()),
        },
        Err(error) => failed(error.to_string()),
    }
}

// A vector that the caller made. Without an embedder, cosines mean what they mean for a model of which nothing is known.
async fn given_vector(
    ctx: &Ctx,
    given: &[f32],
    is_arm_used: bool,
    serving: Option<&Generation>,
) -> Result<QueryVector> {
    if !is_arm_used {
        let why =
            "a vector was given, but the search leaves vectors out; allow the vector arm (and `query.hybrid.enabled`)";
        return Err(EngineError::invalid(why));
    }
    let Some(serving) = serving else {
        return Err(EngineError::invalid(
            "a vector was given, but nothing has vectors yet that it could be compared with",
        ));
    };
    let (model, dimensions) = (&serving.spec.model, serving.spec.dimensions as usize);
    if given.len() != dimensions {
        let has = given.len();
        let message =
            format!("the vector has {has} dimensions, but those that serve have {dimensions}, made by {model}");
        return Err(EngineError::invalid(message));
    }
    let vector =
        VectorQuery::new(given).map_err(|error| EngineError::invalid(format!("the vector cannot be used: {error}")))?;
    let calibration = match ctx.embedder_for(&serving.spec).await {
        Ok(Some(embedder)) => embedder.model().calibration,
        Ok(None) | Err(_) => Calibration::PLAIN,
    };
    Ok(QueryVector { generation: serving.id.0, vector: Arc::new(vector), calibration })
}

// Whoever looks for an emoji names just that.
fn asks_for_nothing(text: &str, before: &str) -> bool {
    let words = lexical::terms(text);
    let is_emoji = |word: &String| word.chars().all(lexical::is_emoji);
    !words.is_empty() && !words.iter().any(is_emoji) && Prompt::new(text).asks_for_nothing(!before.is_empty())
}

fn is_in_other_language(text: &str) -> bool {
    let guess = lexical::LanguageGuess::of(text);
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let far_from_latin = text.chars().filter(|letter| letter.is_alphabetic() && *letter > '\u{24f}').count();
    (!guess.is_english && !guess.languages.is_empty()) || 2 * far_from_latin > letters
}
