//! Inverse document frequency, the one measure of how much a term tells.

/// A store with fewer documents counts as one with this many. In a store of one document every word of it would be
/// common, and only words that it lacks would be rare.
const MIN_DOCUMENTS: f64 = 20.0;

/// The inverse document frequency of a term: Robertson and Spärck Jones' weight, kept above zero.
#[expect(clippy::cast_possible_truncation, reason = "a logarithm of counts")]
pub(super) fn idf(documents: f64, frequency: f64) -> f32 {
    let documents = documents.max(MIN_DOCUMENTS);
    (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln() as f32
}
