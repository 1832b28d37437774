//! The fields of a document that query terms are looked up in.
//!
//! The index keeps one list of terms per document; a term of another field than the text is stored under a hash of its
//! own (`index/terms.rs`). Queries, weights and frequencies therefore come in the same order everywhere: text,
//! speaker, path, file name.

use scrubjay_index::TermQuery;

/// A value for each field.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct PerField<T> {
    /// The text itself.
    pub(super) text: T,
    /// The name of the speaker.
    pub(super) speaker: T,
    /// The path of the file, below the folder that was indexed.
    pub(super) path: T,
    /// The whole name of the file.
    pub(super) file_name: T,
}

impl PerField<Vec<TermQuery>> {
    /// The terms of all fields in one list.
    pub(super) fn flat(&self) -> Vec<TermQuery> {
        [&self.text, &self.speaker, &self.path, &self.file_name].into_iter().flatten().copied().collect()
    }

    /// Cuts a list that runs parallel to [`Self::flat`] into its fields.
    pub(super) fn split<'a, V>(&self, values: &'a [V]) -> PerField<&'a [V]> {
        let (text, rest) = values.split_at(self.text.len());
        let (speaker, rest) = rest.split_at(self.speaker.len());
        let (path, file_name) = rest.split_at(self.path.len());
        PerField { text, speaker, path, file_name }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_list_is_cut_where_the_fields_end() {
        let term = |hash| TermQuery { hash, weight: 1.0 };
        let terms = PerField {
            text: vec![term(1), term(2)],
            speaker: vec![term(3)],
            path: vec![term(4), term(5)],
            file_name: vec![term(6)],
        };
        let hashes: Vec<u64> = terms.flat().iter().map(|term| term.hash).collect();
        let fields = terms.split(&hashes);
        assert_eq!(fields, PerField { text: &[1, 2][..], speaker: &[3], path: &[4, 5], file_name: &[6] });
    }
}
