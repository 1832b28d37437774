//! A second opinion on the best few: a cross-encoder reads the question and each passage together.
//!
//! Its score does not replace the order, it joins it, and it is asked only about the candidates at the top that come
//! close to each other. On short turns, as people chat, it puts the right one first more often; on long turns of work
//! talk it gains nothing and takes much longer. So `auto` lets it read the beginning of each passage, in a language that
//! it reads, and few of them; `on` lets it read more of more of them, whatever they are.

use scrubjay_core::lexical::LanguageGuess;
use scrubjay_store::item::Item;

use super::question::{Question, Rerank};
use super::rank::Ranked;
use crate::Ctx;
use crate::item::{defined_name, item_windows};

/// The best candidates that are read, by `auto` and by `on`.
const AUTO_CANDIDATES: usize = 6;
const ON_CANDIDATES: usize = 12;

/// The bytes of questions and passages that `auto` reads together: they decide what it costs.
const AUTO_BYTES: usize = 840;

/// Bytes of a question and of a passage that are read at most.
const QUESTION_BYTES: usize = 300;
const PASSAGE_BYTES: usize = 600;

/// The same by `auto`, which would rather read more of them.
const AUTO_PASSAGE_BYTES: usize = 200;

/// The least fit of a candidate that is read: what is far behind stays there.
const LEAST_FIT: f64 = 0.1;

/// What one point of the score counts, as a power of e of the fit.
const SCORE_WEIGHT: f64 = 0.3;

/// Lets the cross-encoder say how the best candidates compare, best first. What it is not asked about keeps its place
/// behind them. Gives back what the caller should know.
pub(super) async fn rerank(ctx: &Ctx, question: &Question, best: &mut [(Ranked, Item)]) -> Option<String> {
    let candidates = match question.rerank {
        Rerank::Off => return None,
        Rerank::Auto => AUTO_CANDIDATES,
        Rerank::On => ON_CANDIDATES,
    };
    // It was trained on prose; who asks for a file by its name or for a function wants it whatever it says of itself.
    let is_prose = |item: &Item| matches!(item, Item::Memory(_)) && defined_name(item.text()).is_none();
    let is_asked_about =
        |(ranked, item): &&(Ranked, Item)| ranked.fit >= LEAST_FIT && is_prose(item) && !ranked.is_whole_document(item);
    let close = best.iter().take(candidates).take_while(is_asked_about).count();
    let text = &question.text[..question.text.floor_char_boundary(QUESTION_BYTES)];
    // Where words are all there is to judge by, the model has nothing to join.
    if best[..close].iter().all(|(ranked, _)| ranked.fit >= 1.0) {
        return None;
    }
    let length = if question.rerank == Rerank::Auto { AUTO_PASSAGE_BYTES } else { PASSAGE_BYTES };
    let passages = best[..close].iter().map(|(ranked, item)| passage(item, ranked.window, length));
    let mut passages: Vec<String> = passages.collect();
    if question.rerank == Rerank::Auto {
        let mut left = AUTO_BYTES;
        let fits = |passage: &String| {
            let needed = text.len() + passage.len();
            let fits = needed <= left && is_readable(passage);
            left = left.saturating_sub(needed);
            fits
        };
        let count = if is_readable(text) { passages.iter().map(fits).take_while(|fits| *fits).count() } else { 0 };
        passages.truncate(count);
    }
    // A single one has nothing to be compared with.
    if passages.len() < 2 {
        return None;
    }
    match ctx.reranker().score(text, &passages).await {
        Ok(scores) => {
            join(best, &scores);
            None
        }
        Err(error) => Some(format!("the order is that of the first search: {error}")),
    }
}

// The window of an item that is nearest to the question.
fn passage(item: &Item, window: usize, length: usize) -> String {
    let (_, mut windows) = item_windows(item, window.saturating_add(1));
    let mut passage = windows.pop().unwrap_or_default();
    passage.truncate(passage.floor_char_boundary(length));
    passage
}

// Whether nothing speaks for another language than English.
fn is_readable(text: &str) -> bool {
    LanguageGuess::of(text).languages.is_empty() && text.chars().filter(|c| !c.is_ascii()).count() * 5 < text.len()
}

// The first so many candidates by fit and score together.
fn join(best: &mut [(Ranked, Item)], scores: &[f32]) {
    let behind = best.get(scores.len()).map_or(0.0, |(ranked, _)| ranked.fit);
    let fits: Vec<f64> = best.iter().zip(scores).map(|((ranked, _), _)| ranked.fit).collect();
    for (((ranked, _), fit), score) in best.iter_mut().zip(joined(&fits, scores, behind)).zip(scores) {
        ranked.fit = fit;
        ranked.features.push(("rerank", *score));
    }
}

// The best has the fit 1 again, and nobody falls behind those that were not read.
fn joined(fits: &[f64], scores: &[f32], behind: f64) -> Vec<f64> {
    let highest = scores.iter().copied().fold(f32::MIN, f32::max);
    let joined = fits.iter().zip(scores).map(|(fit, score)| fit * (SCORE_WEIGHT * f64::from(score - highest)).exp());
    let joined: Vec<f64> = joined.collect();
    let top = joined.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    joined.into_iter().map(|fit| (fit / top).clamp(behind.min(1.0), 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_joins_the_order_and_does_not_replace_it() {
        // Much better by its score, and only a little worse by everything else.
        let fits = joined(&[1.0, 0.8, 0.7], &[-4.0, 6.0, -3.0], 0.3);
        assert!(fits[1] > fits[0] && fits[1] > fits[2], "{fits:?}");
        // A little better by its score, and far behind by everything else.
        let fits = joined(&[1.0, 0.2], &[2.0, 3.0], 0.0);
        assert!(fits[0] > fits[1], "{fits:?}");
    }

    #[test]
    fn nobody_falls_behind_what_was_not_read() {
        let fits = joined(&[1.0, 0.9], &[8.0, -11.0], 0.4);
        assert_eq!(fits, [1.0, 0.4]);
    }

    #[test]
    fn it_reads_english_and_what_is_no_language() {
        for (text, expected) in [
            ("which port does the staging database use", true),
            ("getUserName", true),
            ("¿en qué puerto está la base de datos de staging?", false),
            ("welchen Port hat die Datenbank, die wir für die Tests benutzen", false),
            ("暂存数据库在哪个端口", false),
        ] {
            assert_eq!(is_readable(text), expected, "{text}");
        }
    }
}
