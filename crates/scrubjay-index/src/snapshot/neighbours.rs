//! What stands before and after a document in its session or file.

use super::leaf::Leaf;
use super::view::{DocId, Snapshot};
use crate::error::Result;

/// The documents around a document, the nearest first on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Neighbours {
    /// What comes before it.
    pub before: Vec<DocId>,
    /// What comes after it.
    pub after: Vec<DocId>,
}

/// A place in a sequence, in its order, and the document that stands there.
type Place = ((u64, u32, i64, u64), DocId);

impl Snapshot {
    /// Up to so many live documents before and after this one in the same sequence of its shard. A document that
    /// stands alone has none.
    ///
    /// # Errors
    /// [`crate::IndexError::Invalid`] if the document is not of this snapshot, [`crate::IndexError::Damaged`].
    pub fn neighbours(&self, document: DocId, before: usize, after: usize) -> Result<Neighbours> {
        let row = self.row(document)?;
        if row.columns.sequence == 0 {
            return Ok(Neighbours::default());
        }
        let (mut earlier, mut later): (Vec<Place>, Vec<Place>) = (Vec::new(), Vec::new());
        for (segment, leaf) in self.leaves(document.shard)?.iter().enumerate() {
            let range = leaf.segment.sequence(row.columns.sequence)?;
            if range.is_empty() {
                continue;
            }
            let place = |position: u32| -> Result<Place> {
                let ordinal = leaf.segment.sequence_document(position)?;
                let row = leaf.segment.row(ordinal)?;
                let document = DocId { shard: document.shard, segment: segment as u32, ordinal };
                Ok((row.sequence_order(), document))
            };
            let split = match leaf.segment.sequence_position(document.ordinal) {
                Ok(Some(position)) if segment as u32 == document.segment => position,
                _ => {
                    split_at(range.clone(), |position| place(position).map(|(order, _)| order < row.sequence_order()))?
                }
            };
            collect_live(leaf, (range.start..split).rev(), before, &place, &mut earlier)?;
            let next = if segment as u32 == document.segment { split + 1 } else { split };
            collect_live(leaf, next..range.end, after, &place, &mut later)?;
        }
        earlier.sort_unstable_by(|one, other| other.cmp(one));
        later.sort_unstable();
        let nearest = |places: Vec<Place>, count| places.into_iter().take(count).map(|place| place.1).collect();
        Ok(Neighbours { before: nearest(earlier, before), after: nearest(later, after) })
    }
}

/// The first position for which `is_before` does not hold.
fn split_at(range: std::ops::Range<u32>, is_before: impl Fn(u32) -> Result<bool>) -> Result<u32> {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low.midpoint(high);
        if is_before(middle)? { low = middle + 1 } else { high = middle }
    }
    Ok(low)
}

fn collect_live(
    leaf: &Leaf,
    positions: impl Iterator<Item = u32>,
    count: usize,
    place: &impl Fn(u32) -> Result<Place>,
    found: &mut Vec<Place>,
) -> Result<()> {
    let mut left = count;
    for position in positions {
        if left == 0 {
            break;
        }
        if leaf.is_live(leaf.segment.sequence_document(position)?) {
            found.push(place(position)?);
            left -= 1;
        }
    }
    Ok(())
}
