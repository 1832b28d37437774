//! The time arm: what happened when the question says.

use scrubjay_core::lexical;
use scrubjay_core::time::Timestamp;
use scrubjay_core::when::NamedTime;
use scrubjay_index::{Row, Snapshot};

use super::super::idf::idf;
use crate::Result;

/// Documents that are sampled to see how many fall into the time.
const SAMPLE: usize = 4096;

/// The weight of a time beside that of a word.
const TIME_WEIGHT: f32 = 2.0;

/// How well a moment lies in one of the times, 0 to 1.
pub(in crate::search) fn time_fit(times: &[NamedTime], time: Timestamp) -> f32 {
    times.iter().map(|named| named.span.fit(time)).fold(0.0, f32::max)
}

/// Whether a row lies in one of the times at all.
pub(in crate::search) fn is_inside(times: &[NamedTime], row: &Row) -> bool {
    time_fit(times, Timestamp::from_millis(row.columns.event_time)) > 0.0
}

/// The weight of lying in one of the times: that of a word that occurs in as many documents as there are of that time.
///
/// # Errors
/// When the index is damaged.
#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
pub(in crate::search) fn time_weight(snapshot: &Snapshot, times: &[NamedTime], documents: u64) -> Result<f32> {
    if times.is_empty() {
        return Ok(0.0);
    }
    let sample = snapshot.sample(&snapshot.shards(), SAMPLE)?;
    let mut fitting = 0.0;
    for document in &sample {
        fitting += time_fit(times, Timestamp::from_millis(snapshot.row(*document)?.columns.event_time));
    }
    if fitting == 0.0 {
        return Ok(0.0);
    }
    let documents = documents as f64;
    Ok(TIME_WEIGHT * idf(documents, f64::from(fitting) * documents / sample.len() as f64))
}

/// Whether a word of the question is there only to name a time.
pub(in crate::search) fn names_time(times: &[NamedTime], word: &String) -> bool {
    times.iter().any(|named| named.words.iter().any(|part| lexical::terms(part).contains(word)))
}
