//! What is put into the index, and what a filter sees of it.

use crate::vector::Quantized;

/// The most documents one segment may hold. Bit widths of the format rely on it.
pub const MAX_SEGMENT_DOCUMENTS: usize = 262_144;

/// One document to index. Adding an item whose key is known already replaces the older one.
#[derive(Debug, Clone)]
pub struct Item {
    /// The row number in the store. It is never used again for another document.
    pub key: u64,
    /// What filters look at.
    pub columns: Columns,
    /// Hash of each term and how often it occurs. A hash that is given twice is counted together.
    pub terms: Vec<(u64, u32)>,
    /// The terms of the text that may be misspelt, as text, one per line. The hash of each is its xxh3, and is among
    /// `terms`.
    pub words: String,
    /// The length of the document in terms, as BM25 counts it.
    pub length: u32,
    /// The vectors of the document, by vector generation. All vectors of one generation have the same dimensions.
    pub vectors: Vec<(u64, Vec<Quantized>)>,
}

/// The fixed-width part of a document, kept in the segment so that a filter runs inside the scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Columns {
    /// Caller's code of the kind of memory.
    pub kind: u8,
    /// Caller's code of the origin.
    pub origin: u8,
    /// Caller's code of the source.
    pub source: u8,
    /// Caller's flags.
    pub flags: u8,
    /// Hash of the type's name.
    pub type_hash: u32,
    /// Hash of the role's name.
    pub role_hash: u32,
    /// Hash of the session.
    pub session_hash: u64,
    /// When it happened.
    pub event_time: i64,
    /// When it was learned.
    pub created_at: i64,
    /// When it ended; [`Columns::ACTIVE`] as long as it has not.
    pub ended_at: i64,
    /// Hash of the session or document this is a part of; 0 if it stands alone. Inside a sequence the order is
    /// `(position, event_time, key)`.
    pub sequence: u64,
    /// Its place in the sequence, where that is known; 0 where time alone tells.
    pub position: u32,
}

impl Columns {
    /// The value of `ended_at` of a document that has not ended.
    pub const ACTIVE: i64 = i64::MAX;
}

impl Default for Columns {
    fn default() -> Self {
        Columns {
            kind: 0,
            origin: 0,
            source: 0,
            flags: 0,
            type_hash: 0,
            role_hash: 0,
            session_hash: 0,
            event_time: 0,
            created_at: 0,
            ended_at: Columns::ACTIVE,
            sequence: 0,
            position: 0,
        }
    }
}

/// One document as a filter sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    /// The row number in the store.
    pub key: u64,
    /// What was given with the item.
    pub columns: Columns,
}

/// The size of an encoded row: one cache line.
pub(crate) const ROW_BYTES: usize = 64;

impl Row {
    pub(crate) fn encode(&self) -> [u8; ROW_BYTES] {
        let columns = &self.columns;
        let mut bytes = [0; ROW_BYTES];
        bytes[0..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..16].copy_from_slice(&columns.session_hash.to_le_bytes());
        bytes[16..24].copy_from_slice(&columns.event_time.to_le_bytes());
        bytes[24..32].copy_from_slice(&columns.created_at.to_le_bytes());
        bytes[32..40].copy_from_slice(&columns.ended_at.to_le_bytes());
        bytes[40..48].copy_from_slice(&columns.sequence.to_le_bytes());
        bytes[48..52].copy_from_slice(&columns.type_hash.to_le_bytes());
        bytes[52..56].copy_from_slice(&columns.role_hash.to_le_bytes());
        bytes[56..60].copy_from_slice(&[columns.kind, columns.origin, columns.source, columns.flags]);
        bytes[60..64].copy_from_slice(&columns.position.to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8; ROW_BYTES]) -> Row {
        let (words, _) = bytes.as_chunks::<8>();
        let half = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Row {
            key: u64::from_le_bytes(words[0]),
            columns: Columns {
                session_hash: u64::from_le_bytes(words[1]),
                event_time: i64::from_le_bytes(words[2]),
                created_at: i64::from_le_bytes(words[3]),
                ended_at: i64::from_le_bytes(words[4]),
                sequence: u64::from_le_bytes(words[5]),
                type_hash: half(48),
                role_hash: half(52),
                kind: bytes[56],
                origin: bytes[57],
                source: bytes[58],
                flags: bytes[59],
                position: half(60),
            },
        }
    }

    /// Where the document stands among all documents of its sequence.
    pub(crate) fn sequence_order(&self) -> (u64, u32, i64, u64) {
        (self.columns.sequence, self.columns.position, self.columns.event_time, self.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_survives_its_encoding() {
        let row = Row {
            key: u64::MAX - 3,
            columns: Columns {
                kind: 1,
                origin: 2,
                source: 3,
                flags: 4,
                type_hash: 5,
                role_hash: u32::MAX,
                session_hash: 7,
                event_time: -8,
                created_at: i64::MIN,
                ended_at: Columns::ACTIVE,
                sequence: 11,
                position: 12,
            },
        };
        assert_eq!(Row::decode(&row.encode()), row);
    }
}
