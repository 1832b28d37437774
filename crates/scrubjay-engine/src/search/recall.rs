//! From a question to hits.

use std::collections::BTreeSet;

use scrubjay_core::filter::Filter;
use scrubjay_core::lexical;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::text::TextHash;
use scrubjay_core::{decay, weights};
use scrubjay_store::query::{Activity, LexicalQuery};

use crate::{Ctx, Result};

/// Terms of a question that are looked at; the rest of a very long one adds
/// nothing but time.
const TERMS: usize = 64;

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Question {
    /// The words.
    pub text: String,
    /// Conditions.
    pub filter: Filter,
    /// Active, ended or both.
    pub activity: Activity,
    /// Sessions whose episodes do not count.
    pub exclude_sessions: Vec<String>,
    /// How many hits at most.
    pub limit: usize,
    /// Hits below this relevance are left out.
    pub min_relevance: f64,
    /// Which weights make the score.
    pub weights: Weights,
}

/// Which weights make the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// How much a memory matters.
    pub importance: bool,
    /// How old an episode is.
    pub recency: bool,
    /// How sure a fact still is.
    pub confidence: bool,
}

impl Default for Weights {
    fn default() -> Self {
        Self { importance: true, recency: true, confidence: true }
    }
}

/// A hit, with everything that explains its place.
#[derive(Debug, Clone)]
pub struct Found {
    /// The memory.
    pub memory: Memory,
    /// How well it fits, 0 to 1, comparable between questions.
    pub relevance: f64,
    /// What the order follows, 0 to 1.
    pub score: f64,
    /// Its place among the candidates by words, from 1.
    pub lexical_rank: usize,
    /// BM25 over what the view can see.
    pub bm25: f64,
    /// The factors that led from relevance to score.
    pub factors: Vec<(&'static str, f64)>,
    /// Where in the text the first term of the question stands, in bytes.
    pub place: usize,
}

/// The hits, and what was missing in the search.
#[derive(Debug, Clone, Default)]
pub struct Recalled {
    /// Best first.
    pub hits: Vec<Found>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// Looks for memories that fit a question.
///
/// # Errors
/// When the store fails.
pub async fn recall(ctx: &Ctx, question: &Question) -> Result<Recalled> {
    let terms = terms_of(&question.text);
    let mut recalled = Recalled::default();
    recalled.warnings.push("search is by words only: no embedder is set up".to_owned());
    if terms.is_empty() {
        recalled.warnings.push("the question has no words to look for".to_owned());
        return Ok(recalled);
    }
    let query = LexicalQuery {
        terms: terms.clone(),
        filter: question.filter.clone(),
        activity: question.activity,
        exclude_sessions: question.exclude_sessions.clone(),
        limit: (question.limit * 4).max(40),
    };
    let hits = ctx.store().await?.search_words(ctx.view(), query).await?;
    let best = hits.first().map_or(0.0, |hit| hit.bm25).max(f64::MIN_POSITIVE);
    for (rank, hit) in hits.into_iter().enumerate() {
        // Coverage says how much of the question is there, whatever the corpus;
        // BM25 only settles the order among those that cover the same.
        let relevance = (hit.coverage * (0.9 + 0.1 * hit.bm25 / best)).clamp(0.0, 1.0);
        if relevance < question.min_relevance {
            continue;
        }
        let factors = factors(ctx, &hit.memory, question.weights);
        let score = factors.iter().fold(relevance, |score, (_, factor)| score * factor).clamp(0.0, 1.0);
        let place = first_place(&hit.memory.content, &terms);
        recalled.hits.push(Found {
            memory: hit.memory,
            relevance,
            score,
            lexical_rank: rank + 1,
            bm25: hit.bm25,
            factors,
            place,
        });
    }
    recalled.hits.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then(b.bm25.total_cmp(&a.bm25)).then(b.memory.id.uuid().cmp(&a.memory.id.uuid()))
    });
    collapse(&mut recalled.hits);
    recalled.hits.truncate(question.limit);
    Ok(recalled)
}

// Function words are only looked for when there is nothing else.
fn terms_of(text: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let all: Vec<String> = lexical::terms(text).into_iter().filter(|term| seen.insert(term.clone())).collect();
    let mut telling: Vec<String> = all.iter().filter(|term| !lexical::is_stop_word(term)).cloned().collect();
    if telling.is_empty() {
        telling = all;
    }
    telling.truncate(TERMS);
    telling
}

fn factors(ctx: &Ctx, memory: &Memory, wanted: Weights) -> Vec<(&'static str, f64)> {
    let mut factors = Vec::with_capacity(2);
    if wanted.importance {
        factors.push(("importance", weights::importance(memory.importance.value())));
    }
    // Age counts once: as fading confidence for facts, as recency for episodes.
    match memory.kind() {
        Kind::Fact if wanted.confidence => factors.push(("confidence", decay::of_memory(memory, ctx.now()))),
        Kind::Episode if wanted.recency => {
            factors.push(("recency", weights::recency(ctx.now().days_since(memory.event_time))));
        }
        _ => {}
    }
    factors
}

// The same text twice tells nothing new; the better hit stays.
fn collapse(hits: &mut Vec<Found>) {
    let mut seen = BTreeSet::new();
    hits.retain(|hit| seen.insert(TextHash::of_value(&hit.memory.content)));
}

fn first_place(content: &str, terms: &[String]) -> usize {
    let wanted: BTreeSet<&str> = terms.iter().map(String::as_str).collect();
    let mut start = 0;
    for word in content.split(|c: char| !c.is_alphanumeric()) {
        if lexical::terms(word).iter().any(|term| wanted.contains(term.as_str())) {
            return start;
        }
        let separator = content[start + word.len()..].chars().next().map_or(0, char::len_utf8);
        start += word.len() + separator;
    }
    0
}
