//! Questions that ask for nothing but a time: “what happened yesterday”, “last week”, “in May 2020”.

use std::ops::ControlFlow;

use scrubjay_core::lexical::{is_dialogue_word, is_event_word, is_stop_word, question_terms};
use scrubjay_core::time::Timestamp;
use scrubjay_core::when::NamedTime;
use scrubjay_index::{Row, Snapshot};

use super::arm::time::names_time;
use super::query::Query;
use super::question::Place;
use super::rank::{HeldTerms, Ranked};
use crate::Result;

/// The relevance of whatever lies in the time: it is what was asked for, and nobody can say what of it was meant.
const RELEVANCE: f64 = 0.7;

/// Whether a question with these words names times and says nothing else.
pub(super) fn asks_for_time_alone(text: &str, times: &[NamedTime]) -> bool {
    let is_open =
        |word: &String| is_stop_word(word) || is_dialogue_word(word) || is_event_word(word) || names_time(times, word);
    // “Qu'est-ce” is three words here.
    let apart = text.replace(['\'', '’', '-'], " ");
    !times.is_empty() && question_terms(&apart).iter().all(is_open)
}

/// What lies in the times of a question, newest first, at most `limit`.
///
/// # Errors
/// When the index is damaged.
pub(super) fn in_time(
    snapshot: &Snapshot,
    query: &Query,
    admits: &(dyn Fn(&Row) -> bool + Sync),
    limit: usize,
) -> Result<Vec<Ranked>> {
    let mut found: Vec<(i64, u64)> = Vec::new();
    snapshot.for_each(&snapshot.shards(), &mut |_, row| {
        let time = Timestamp::from_millis(row.columns.event_time);
        if query.times.iter().any(|named| named.span.contains(time)) && admits(row) {
            found.push((row.columns.event_time, row.key));
            // Never more than twice as many as are wanted.
            if found.len() >= 2 * limit {
                keep_newest(&mut found, limit);
            }
        }
        ControlFlow::Continue(())
    })?;
    keep_newest(&mut found, limit);
    let count = found.len();
    let ranked = found.into_iter().enumerate().map(|(place, (_, key))| Ranked {
        key,
        relevance: RELEVANCE,
        fit: 1.0,
        window: 0,
        // Among those of equal weight the newest comes first.
        is_document: false,
        held: HeldTerms::default(),
        feedback: (count - place) as f32,
        places: vec![("time", Place { rank: place + 1, score: 1.0 })],
        features: Vec::new(),
    });
    Ok(ranked.collect())
}

fn keep_newest(found: &mut Vec<(i64, u64)>, limit: usize) {
    found.sort_unstable_by(|a, b| b.cmp(a));
    found.truncate(limit);
}

#[cfg(test)]
mod tests {
    use scrubjay_core::when::named_times;

    use super::*;

    #[test]
    fn a_matter_makes_it_more_than_a_time() {
        let now = "2026-05-13T15:30:00Z".parse().unwrap();
        for (text, expected) in [
            ("what happened yesterday", true),
            ("last week", true),
            ("what did we do last week?", true),
            ("in May 2020", true),
            ("today", true),
            ("¿qué hicimos ayer?", true),
            ("was war letzte Woche los?", true),
            ("qu'est-ce qui s'est passé hier ?", true),
            ("continue where we left off yesterday", true),
            ("what did we deploy yesterday", false),
            ("who fixed the login last week", false),
            ("what happened", false),
            ("thanks", false),
        ] {
            assert_eq!(asks_for_time_alone(text, &named_times(text, now)), expected, "{text}");
        }
    }
}
