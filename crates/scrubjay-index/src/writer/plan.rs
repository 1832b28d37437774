//! Which segments are worth merging.

use crate::item::MAX_SEGMENT_DOCUMENTS;
use crate::manifest::SegmentEntry;

/// How many segments of about the same size there may be.
const SEGMENTS_PER_CLASS: usize = 8;
/// Segments with fewer documents are all the same size.
const SMALLEST_CLASS: u32 = 64;
/// Merged segments are larger by this factor.
const CLASS_FACTOR: u32 = 8;
/// A segment is rewritten when more than one document in so many is deleted.
const DELETED_SHARE: u32 = 20;
/// Smaller segments are soon merged anyway and are rewritten when half of them is deleted.
const SMALL_DOCUMENTS: u32 = 4096;
/// What the merged files may have together.
const MAX_MERGED_BYTES: u64 = 2 << 30;

/// The places of the segments that are to become one, or none if all is well. One segment alone is to be rewritten
/// without its deleted documents.
pub(super) fn next_merge(segments: &[SegmentEntry]) -> Option<Vec<usize>> {
    let mut by_class: Vec<Vec<usize>> = Vec::new();
    for (place, segment) in segments.iter().enumerate() {
        let class = (segment.live_documents() / SMALLEST_CLASS).max(1).ilog(CLASS_FACTOR) as usize;
        by_class.resize(by_class.len().max(class + 1), Vec::new());
        by_class[class].push(place);
    }
    for mut class in by_class.into_iter().filter(|class| class.len() > SEGMENTS_PER_CLASS) {
        class.sort_by_key(|place| segments[*place].live_documents());
        let (mut documents, mut bytes) = (0, 0);
        let fits = |place: &usize| {
            documents += segments[*place].live_documents() as usize;
            bytes += segments[*place].length_bytes;
            documents <= MAX_SEGMENT_DOCUMENTS && bytes <= MAX_MERGED_BYTES
        };
        let count = class.iter().map(fits).take_while(|fits| *fits).count();
        if count > 1 {
            class.truncate(count);
            class.sort_unstable();
            return Some(class);
        }
    }
    segments.iter().position(is_worn).map(|place| vec![place])
}

fn is_worn(segment: &SegmentEntry) -> bool {
    let deleted = segment.deleted.documents().len();
    let share = if segment.documents < SMALL_DOCUMENTS { 2 } else { DELETED_SHARE };
    u64::from(deleted) * u64::from(share) > u64::from(segment.documents)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tombstones::Tombstones;

    fn check(sizes: &[(u32, u32)], expected: Option<&[usize]>) {
        let segments: Vec<SegmentEntry> = sizes
            .iter()
            .map(|(documents, deleted)| SegmentEntry {
                file: 0,
                checksum: 0,
                length_bytes: 0,
                documents: *documents,
                generations: Vec::new(),
                deleted: Arc::new(Tombstones::new((0..*deleted).collect(), 0)),
            })
            .collect();
        assert_eq!(next_merge(&segments).as_deref(), expected, "{sizes:?}");
    }

    #[test]
    fn segments_of_a_class_become_one_when_they_are_many() {
        check(&[], None);
        check(&[(1, 0); 8], None);
        check(&[(1, 0); 9], Some(&[0, 1, 2, 3, 4, 5, 6, 7, 8]));
        check(&[(10, 0), (600, 0), (10, 0), (10, 0), (10, 0), (10, 0), (10, 0), (10, 0), (10, 0)], None);
        // Nine segments of a third of the largest size: only three fit.
        check(&[(80_000, 0); 9], Some(&[0, 1, 2]));
        check(&[(200_000, 0); 9], None);
    }

    #[test]
    fn worn_segments_are_rewritten() {
        check(&[(100, 50)], None);
        check(&[(100, 51)], Some(&[0]));
        check(&[(100_000, 5_000)], None);
        check(&[(100, 0), (100_000, 5_001)], Some(&[1]));
    }
}
