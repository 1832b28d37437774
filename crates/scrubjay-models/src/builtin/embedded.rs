//! The weights inside the binary.

use std::borrow::Cow;

use super::error::WeightError;
use super::table::StaticTable;
use super::weights::Weights;

/// Puts the weights at a multiple of 64 bytes, where the sections inside them are aligned too.
#[repr(C, align(64))]
struct Aligned<Content: ?Sized>(Content);

static GRANITE: &Aligned<[u8]> = &Aligned(*include_bytes!("../../weights/granite-embedding-30m-english.sjw"));

static TINYBERT_NER: &Aligned<[u8]> = &Aligned(*include_bytes!("../../weights/tinybert-ner.sjw"));

static MS_MARCO_MINILM: &Aligned<[u8]> = &Aligned(*include_bytes!("../../weights/ms-marco-minilm-l-12.sjw"));

static POTION_MULTILINGUAL: &Aligned<[u8]> = &Aligned(*include_bytes!("../../weights/potion-multilingual-128.sjw"));

/// granite-embedding-30m-english, used where it lies: pages are read from the binary as they are needed.
///
/// # Errors
/// Never, unless the binary was built from a damaged file.
pub fn granite() -> Result<Weights, WeightError> {
    Weights::new(Cow::Borrowed(&GRANITE.0))
}

/// The model that finds names, used where it lies; `ner/local/` runs it.
pub(crate) fn tinybert_ner() -> Result<Weights, WeightError> {
    Weights::new(Cow::Borrowed(&TINYBERT_NER.0))
}

/// The cross-encoder ms-marco-MiniLM-L-12-v2, used where it lies.
///
/// # Errors
/// Never, unless the binary was built from a damaged file.
pub fn ms_marco_minilm() -> Result<Weights, WeightError> {
    Weights::new(Cow::Borrowed(&MS_MARCO_MINILM.0))
}

/// The static table of 101 languages, used where it lies.
///
/// # Errors
/// Never, unless the binary was built from a damaged file.
pub fn potion_multilingual() -> Result<StaticTable, WeightError> {
    StaticTable::new(Cow::Borrowed(&POTION_MULTILINGUAL.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_weights_are_whole_and_aligned() {
        let all = [(granite(), GRANITE), (tinybert_ner(), TINYBERT_NER), (ms_marco_minilm(), MS_MARCO_MINILM)];
        for (weights, bytes) in all {
            let weights = weights.unwrap();
            weights.verify().unwrap();
            assert!(std::ptr::from_ref(bytes).cast::<u8>().addr().is_multiple_of(64));
            assert!(weights.offsets().all(|offset| offset.is_multiple_of(64)));
        }
        let table = potion_multilingual().unwrap();
        table.verify().unwrap();
        assert!(std::ptr::from_ref(POTION_MULTILINGUAL).cast::<u8>().addr().is_multiple_of(64));
    }
}
