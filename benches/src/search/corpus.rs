//! Documents and questions: real sentences, their vectors, and variations of both that are the same in every run.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::lexical::{is_stop_word, terms};
use scrubjay_models::embed::{Builtin, Embedder as _};

use crate::random::Random;

/// Sentences of the documentation of this repository, in no order.
pub(crate) const SENTENCES: &str = include_str!("../../data/sentences.txt");
/// The last sentences are kept for questions: no document was made from them.
const QUESTIONS: usize = 200;
const QUESTION_WORDS: usize = 8;
const SEED: u64 = 0x5c72_b1a7;

/// The dimensions of all vectors.
pub(super) const DIMS: usize = 384;
/// The kind that is filtered for.
pub(super) const WANTED_KIND: u8 = 3;
/// One document in so many is in the small scope, and one in so many is of each kind.
const PARTS: u64 = 10;

/// What all documents are made from.
pub(super) struct Corpus {
    sentences: Vec<Sentence>,
    words: Vec<String>,
    /// For each word, how often it and those before it occur.
    occurrences: Vec<usize>,
    pub(super) questions: Vec<Question>,
}

struct Sentence {
    words: Vec<String>,
    vector: Vec<f32>,
}

/// One document.
pub(super) struct Document {
    pub(super) key: u64,
    pub(super) in_small_scope: bool,
    pub(super) kind: u8,
    pub(super) text: String,
    pub(super) vector: Vec<f32>,
}

/// One question in its three forms.
#[derive(Debug, Clone)]
pub(super) struct Question {
    pub(super) words: String,
    pub(super) telling_words: String,
    pub(super) vector: Vec<f32>,
}

impl Corpus {
    /// Embeds the sentences, which takes some seconds.
    pub(super) fn new() -> anyhow::Result<Corpus> {
        let texts: Vec<&str> = SENTENCES.lines().collect();
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let documents: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let vectors = runtime.block_on(Builtin::new(0).embed_documents(&documents))?;
        anyhow::ensure!(
            vectors.iter().all(|vector| vector.len() == DIMS),
            "the model has other dimensions than {DIMS}"
        );
        let mut sentences: Vec<Sentence> =
            texts.iter().zip(vectors).map(|(text, vector)| Sentence { words: words_of(text), vector }).collect();
        let asked = sentences.split_off(sentences.len().saturating_sub(QUESTIONS));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in sentences.iter().flat_map(|sentence| &sentence.words) {
            *counts.entry(word).or_default() += 1;
        }
        let words = counts.keys().map(|word| (*word).to_owned()).collect();
        let occurrences = counts
            .values()
            .scan(0, |sum, count| {
                *sum += count;
                Some(*sum)
            })
            .collect();
        let mut corpus = Corpus { sentences, words, occurrences, questions: Vec::new() };
        let questions = asked.iter().enumerate().map(|(number, sentence)| corpus.question(number as u64, sentence));
        corpus.questions = questions.collect();
        Ok(corpus)
    }

    /// The document with this key.
    pub(super) fn document(&self, key: u64) -> Document {
        let mut random = Random::of(SEED, key);
        let base = &self.sentences[random.below(self.sentences.len())];
        let text = self.text(&mut random, base);
        let vector = self.vector(&mut random, base);
        let kind = random.below(PARTS as usize) as u8;
        Document { key, in_small_scope: key % PARTS == 7, kind, text, vector }
    }

    /// Most words of a sentence among others, which are as frequent as they are in all sentences. Some are joined to
    /// names or are numbers: these are new in every document, as names and numbers are.
    fn text(&self, random: &mut Random, base: &Sentence) -> String {
        let mut text = String::new();
        let mut add = |word: &str| {
            text.push_str(word);
            text.push(' ');
        };
        for word in &base.words {
            if random.below(10) < 6 {
                add(word);
            }
        }
        for _ in 0..10 + random.below(36) {
            match random.below(100) {
                0..5 => add(&format!("{}_{}", self.word(random), self.word(random))),
                5 => add(&random.below(1_000_000).to_string()),
                _ => add(self.word(random)),
            }
        }
        text
    }

    /// A word, a frequent one more often.
    fn word(&self, random: &mut Random) -> &str {
        let at = random.below(self.occurrences.last().copied().unwrap_or(1));
        self.words.get(self.occurrences.partition_point(|sum| *sum <= at)).map_or("", String::as_str)
    }

    /// The vector of a sentence, moved along the differences of other sentences, so that it stays where vectors of
    /// sentences are, and a little into any direction. The result has length 1.
    fn vector(&self, random: &mut Random, base: &Sentence) -> Vec<f32> {
        let mut vector = base.vector.clone();
        for _ in 0..2 {
            let step = random.signed() * 0.6;
            let [from, to] = [0; 2].map(|_| &self.sentences[random.below(self.sentences.len())].vector);
            for ((value, from), to) in vector.iter_mut().zip(from).zip(to) {
                *value += step * (to - from);
            }
        }
        // A variance of a third in each coordinate: a tenth of a length of 1 in all together.
        let noise = 0.1 / (DIMS as f32 / 3.0).sqrt();
        vector.iter_mut().for_each(|value| *value += noise * random.signed());
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|value| *value /= length);
        vector
    }

    /// Words that stand together in a sentence, the words of it that tell something, and its vector.
    fn question(&self, number: u64, sentence: &Sentence) -> Question {
        let mut random = Random::of(!SEED, number);
        let start = random.below(sentence.words.len().saturating_sub(QUESTION_WORDS) + 1);
        let words: Vec<&str> = sentence.words.iter().skip(start).take(QUESTION_WORDS).map(String::as_str).collect();
        let tells = |word: &&str| terms(word).iter().any(|term| !is_stop_word(term));
        let mut telling: Vec<&str> = sentence.words.iter().map(String::as_str).filter(tells).collect();
        let mut seen = BTreeSet::new();
        telling.retain(|word| seen.insert(*word));
        telling.truncate(QUESTION_WORDS);
        while telling.len() < QUESTION_WORDS {
            let word = self.word(&mut random);
            if tells(&word) && seen.insert(word) {
                telling.push(word);
            }
        }
        Question { words: words.join(" "), telling_words: telling.join(" "), vector: sentence.vector.clone() }
    }
}

fn words_of(text: &str) -> Vec<String> {
    text.split_ascii_whitespace()
        .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}
