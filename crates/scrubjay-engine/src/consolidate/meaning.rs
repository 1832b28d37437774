//! Whether two facts say the same in other words.

use std::collections::BTreeSet;

use scrubjay_core::lexical;
use scrubjay_core::memory::{Confidence, Memory};

use super::compare::{differ_in_value, differences, in_same_order};
use crate::Ctx;

/// The share of common telling words that two facts of like meaning must have to be one.
const WORDS_IN_COMMON: f64 = 0.4;

/// The place of the known fact that says the same as a new one: the whole must mean the same, and so must the parts in
/// which they differ, because one word can be another value. Without an embedder nothing is known to; what keeps it
/// from telling is added to the warnings.
pub(crate) async fn same_by_meaning(
    ctx: &Ctx,
    new: &str,
    known: &[Memory],
    warnings: &mut Vec<String>,
) -> Option<usize> {
    let mut fail = |error: String| warnings.push(format!("facts were compared by words only: {error}"));
    let embedder = match ctx.embedder().await {
        Ok(embedder) => embedder?,
        Err(error) => {
            fail(error.to_string());
            return None;
        }
    };
    let comparable = |memory: &Memory| {
        in_common(&memory.content, new) >= WORDS_IN_COMMON
            && !differ_in_value(&memory.content, new)
            && identifiers(&memory.content) == identifiers(new)
            && in_same_order(&memory.content, new)
            && memory.confidence > Confidence::SUPERSEDED
    };
    let near: Vec<usize> = (0..known.len()).filter(|place| comparable(&known[*place])).collect();
    let mut texts = Vec::new();
    for place in &near {
        let old = &known[*place].content;
        let (only_old, only_new) = differences(old, new);
        let whole = [old.clone(), new.to_owned()];
        let parts = if only_old.is_empty() || only_new.is_empty() { whole.clone() } else { [only_old, only_new] };
        texts.extend(whole.into_iter().chain(parts));
    }
    if texts.is_empty() {
        return None;
    }
    let vectors = match embedder.embed_documents(&texts).await {
        Ok(vectors) => vectors,
        Err(error) => {
            fail(error.to_string());
            return None;
        }
    };
    let calibration = embedder.model().calibration;
    let likeness = |pair: &[Vec<f32>]| {
        let cosine: f32 = pair[0].iter().zip(&pair[1]).map(|(a, b)| a * b).sum();
        f64::from(calibration.relevance(cosine))
    };
    let both = vectors.chunks_exact(4).map(|four| likeness(&four[..2]).min(likeness(&four[2..])));
    let best = both.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    let threshold = ctx.config().settings.dedup.similarity;
    best.filter(|(_, likeness)| *likeness > threshold).map(|(place, _)| near[place])
}

// Addresses, paths and names of code, each of which is a value of its own.
fn identifiers(text: &str) -> BTreeSet<String> {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| word.contains(['@', '/', '_', '.', ':'])).map(str::to_lowercase).collect()
}

/// The share of telling words that two texts have in common.
pub(super) fn in_common(one: &str, other: &str) -> f64 {
    lexical::jaccard(&lexical::content_terms(one), &lexical::content_terms(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_or_a_path_is_a_value_of_its_own() {
        assert_ne!(identifiers("mail it to a@example.org"), identifiers("mail it to b@example.org"));
        assert_ne!(identifiers("it is in src/a.rs."), identifiers("it is in src/b.rs."));
        assert_eq!(identifiers("It is in src/a.rs"), identifiers("it lives in `src/a.rs`."));
    }
}
