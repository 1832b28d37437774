//! Which of several overlapping mentions stays.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::mention::Mention;
use super::provider::MAX_MENTIONS;

/// Leaves of overlapping mentions the surest, then the longest, then the earliest. Sorted by start.
///
/// The same entity named twice stays twice: a span each.
#[must_use]
pub fn resolve(mut mentions: Vec<Mention>) -> Vec<Mention> {
    sort_by_rank(&mut mentions);
    let mut kept: BTreeMap<usize, Mention> = BTreeMap::new();
    for mention in mentions {
        let before = kept.range(..mention.end).next_back();
        if before.is_none_or(|(_, other)| other.end <= mention.start) {
            kept.insert(mention.start, mention);
        }
    }
    kept.into_values().collect()
}

/// Keeps [`MAX_MENTIONS`] of resolved mentions: the surest, then the first. Tells whether any were left out.
pub(super) fn cap(mentions: &mut Vec<Mention>) -> bool {
    if mentions.len() <= MAX_MENTIONS {
        return false;
    }
    mentions
        .sort_by(|one, other| other.confidence.total_cmp(&one.confidence).then_with(|| one.start.cmp(&other.start)));
    mentions.truncate(MAX_MENTIONS);
    mentions.sort_by_key(|mention| mention.start);
    true
}

fn sort_by_rank(mentions: &mut [Mention]) {
    let length = |mention: &Mention| mention.end.saturating_sub(mention.start);
    mentions.sort_by(|one, other| {
        other
            .confidence
            .total_cmp(&one.confidence)
            .then_with(|| Reverse(length(one)).cmp(&Reverse(length(other))))
            .then_with(|| one.start.cmp(&other.start))
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scrubjay_core::entity::EntityType;

    use super::*;

    fn mention(start: usize, end: usize, confidence: f32) -> Mention {
        Mention {
            start,
            end,
            text: "x".repeat(end - start),
            name: "x".to_owned(),
            entity_type: EntityType::Other,
            confidence,
            provider: "test",
        }
    }

    fn check(spans: &[(usize, usize, f32)], expected: &[(usize, usize)]) {
        let resolved = resolve(spans.iter().map(|&(start, end, confidence)| mention(start, end, confidence)).collect());
        let found: Vec<(usize, usize)> = resolved.iter().map(|mention| (mention.start, mention.end)).collect();
        assert_eq!(found, expected, "{spans:?}");
    }

    #[test]
    fn the_surest_then_longest_then_earliest_stays() {
        check(&[], &[]);
        check(&[(4, 6, 0.5), (0, 2, 0.5)], &[(0, 2), (4, 6)]);
        check(&[(0, 5, 0.5), (2, 4, 0.9)], &[(2, 4)]);
        check(&[(0, 5, 0.5), (2, 9, 0.5)], &[(2, 9)]);
        check(&[(2, 6, 0.5), (0, 4, 0.5)], &[(0, 4)]);
        check(&[(0, 4, 0.5), (4, 6, 0.9)], &[(0, 4), (4, 6)]);
        check(&[(0, 9, 0.9), (1, 2, 0.8), (4, 5, 0.8), (9, 10, 0.1)], &[(0, 9), (9, 10)]);
        check(&[(1, 2, 0.8), (4, 5, 0.8), (0, 9, 0.7)], &[(1, 2), (4, 5)]);
    }

    #[test]
    fn the_cap_keeps_the_surest_and_then_the_first() {
        let mut few = vec![mention(0, 1, 0.5)];
        assert!(!cap(&mut few));
        assert_eq!(few.len(), 1);
        let mut many: Vec<Mention> =
            (0..1000).map(|place| mention(place, place + 1, if place < 900 { 0.5 } else { 0.9 })).collect();
        assert!(cap(&mut many));
        assert_eq!(many.len(), MAX_MENTIONS);
        assert_eq!(many.iter().filter(|mention| mention.start >= 900).count(), 100);
        assert_eq!(many.first().map(|mention| mention.start), Some(0));
        assert!(many.is_sorted_by_key(|mention| mention.start));
    }

    proptest! {
        #[test]
        fn nothing_overlaps_and_nothing_is_lost_without_reason(
            spans in prop::collection::vec((0_usize..60, 1_usize..20, 0_u8..4), 0..40),
        ) {
            let all: Vec<Mention> = spans
                .iter()
                .map(|&(start, length, level)| mention(start, start + length, f32::from(level) / 4.0))
                .collect();
            let kept = resolve(all.clone());
            for pair in kept.windows(2) {
                prop_assert!(pair[0].end <= pair[1].start);
            }
            for mention in &all {
                let mut rivals = kept.iter().filter(|other| other.start < mention.end && mention.start < other.end);
                prop_assert!(rivals.any(|other| other.confidence >= mention.confidence));
            }
        }
    }
}
