//! The static table against the published numbers and the package's own code (`scripts/make-table-fixtures`).

use std::borrow::Cow;

use proptest::prelude::*;
use scrubjay_models::builtin::{StaticTable, WeightError, potion_multilingual};

use crate::data::{cosine, from_hexadecimal, lines, path};

fn likeness(one: &str, other: &str) -> f64 {
    let table = potion_multilingual().unwrap();
    cosine(&table.word(one).unwrap(), &table.word(other).unwrap())
}

#[test]
fn pieces_are_the_expected_ones_in_every_script() {
    let table = potion_multilingual().unwrap();
    let cases = lines("table.jsonl");
    assert!(cases.len() > 40);
    for case in &cases {
        let expected: Vec<usize> = serde_json::from_value(case["rows"].clone()).unwrap();
        assert_eq!(table.pieces(case["text"].as_str().unwrap()), expected, "{}", case["text"]);
    }
    // Enough of them are cut by the package's own code in the same way.
    assert!(cases.iter().filter(|case| case["published"] == true && case["rows"][0].is_u64()).count() >= 8);
}

/// Both sides are rounded to 8 bits, which costs about 0.0001 of cosine each.
#[test]
fn vectors_are_those_of_the_published_numbers() {
    let table = potion_multilingual().unwrap();
    for case in lines("table.jsonl") {
        let text = case["text"].as_str().unwrap();
        let vector = table.vector(text);
        let Some(expected) = case["vector"].as_str() else {
            assert_eq!(vector, None, "{text}");
            continue;
        };
        let vector = vector.unwrap();
        let found = cosine(&vector, &from_hexadecimal(expected));
        assert!(found > 0.9995, "{found} for {text}");
        assert!((vector.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-4);
    }
}

#[test]
fn words_of_like_meaning_are_near_in_and_across_languages() {
    for (word, near, far) in [
        ("wifi", "network", "breakfast"),
        ("Haus", "Wohnung", "Suppe"),
        ("agua", "water", "silla"),
        ("сервер", "server", "завтрак"),
        ("犬", "dog", "図書館"),
        ("पानी", "water", "किताब"),
    ] {
        let (near_cosine, far_cosine) = (likeness(word, near), likeness(word, far));
        assert!(near_cosine > far_cosine + 0.1, "{word}: {near} {near_cosine}, {far} {far_cosine}");
    }
    let table = potion_multilingual().unwrap();
    assert_eq!(table.word("HAUS"), table.word("haus"));
    assert_eq!(table.word("cafe\u{301}"), table.word("café"));
    assert_eq!(table.word("!"), None);
}

#[test]
fn a_word_of_a_megabyte_does_not_hang() {
    let table = potion_multilingual().unwrap();
    assert!(table.vector(&"我ab".repeat(200_000)).is_some());
}

#[test]
fn another_file_is_refused() {
    let encoder = std::fs::read(path("tiny-bert.sjw")).unwrap();
    assert!(matches!(StaticTable::new(Cow::Owned(encoder)), Err(WeightError::Header(_))));
    assert!(matches!(StaticTable::new(Cow::Owned(b"SJWEIGHT".to_vec())), Err(WeightError::Format { .. })));
}

proptest! {
    #[test]
    fn any_string_is_a_text(text in any::<String>()) {
        let table = potion_multilingual().unwrap();
        prop_assert_eq!(table.pieces(&text).is_empty(), table.vector(&text).is_none());
    }
}
