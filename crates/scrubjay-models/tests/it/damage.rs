//! Weight files that are not as they should be: an error, or a model that still does not panic.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use proptest::prelude::*;
use scrubjay_models::builtin::{Model, WeightError, Weights};

use crate::data::path;

fn tiny() -> Vec<u8> {
    std::fs::read(path("tiny-bert.sjw")).unwrap()
}

fn load(bytes: Vec<u8>) -> Result<Model, WeightError> {
    Model::new(Weights::new(Cow::Owned(bytes))?)
}

#[test]
fn what_is_no_weight_file_is_refused() {
    assert!(matches!(load(Vec::new()), Err(WeightError::Format { .. })));
    assert!(matches!(load(b"SJWEIGHT".to_vec()), Err(WeightError::Format { .. })));
    let mut newer = tiny();
    newer[8] = 2;
    assert!(matches!(load(newer), Err(WeightError::Format { .. })));
    let mut unclear = tiny();
    unclear[16] = b'x';
    assert!(matches!(load(unclear), Err(WeightError::Header(_))));
    assert!(matches!(Weights::read(&path("no such file")), Err(WeightError::Read { .. })));
}

#[test]
fn a_file_that_is_cut_off_or_altered_is_noticed() {
    let whole = tiny();
    let mut cut = whole.clone();
    cut.truncate(whole.len() - 64);
    assert!(matches!(load(cut), Err(WeightError::Section { .. })));
    let mut altered = whole.clone();
    altered[whole.len() / 2] ^= 1;
    let altered = Weights::new(Cow::Owned(altered)).unwrap();
    assert!(matches!(altered.verify(), Err(WeightError::Damaged { .. })));
    Weights::new(Cow::Owned(whole)).unwrap().verify().unwrap();
}

proptest! {
    #[test]
    fn altered_bytes_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..6),
    ) {
        let mut bytes = tiny();
        for (place, value, in_header) in changes {
            let reach = if in_header { 8000 } else { bytes.len() };
            let place = place.index(reach);
            bytes[place] = value;
        }
        if let Ok(model) = load(bytes) {
            let vectors = model.embed(&["the garden, memories & water", ""], NonZeroUsize::MIN);
            prop_assert_eq!(vectors.len(), 2);
        }
    }
}
