//! Long texts.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use scrubjay_models::builtin::Model;

use crate::data::{granite_model, tiny_model};

/// The windows cover the text in order, overlap, and each fits the model.
#[track_caller]
fn check(model: &Model, text: &str) -> usize {
    let windows = model.windows(text);
    assert_eq!(windows[0].start, 0);
    assert_eq!(windows[windows.len() - 1].end, text.len());
    for pair in windows.windows(2) {
        assert!(
            pair[0].start < pair[1].start && pair[1].start <= pair[0].end && pair[0].end < pair[1].end,
            "{windows:?}"
        );
    }
    let limit = model.architecture().max_tokens;
    for window in &windows {
        let count = model.tokens(&text[window.clone()]).len();
        // A part that has as many tokens as the model takes may have lost some.
        assert!(count < limit || windows.len() == 1, "{window:?} has {count} tokens");
    }
    windows.len()
}

#[test]
fn long_texts_are_cut_into_parts_that_fit() {
    let (granite, tiny) = (granite_model(), tiny_model());
    let sentence = "The heron stood in the shallow water and did not move for an hour. ";
    assert_eq!(check(&granite, ""), 1);
    assert_eq!(check(&granite, sentence), 1);
    for text in [sentence.repeat(200), "日本語のテキスト。".repeat(300), "x1".repeat(4000), "\u{1F600}".repeat(900)]
    {
        assert!(check(&granite, &text) > 1);
    }
    for text in [sentence.repeat(20), "我喜欢。".repeat(60)] {
        assert!(check(&tiny, &text) > 1);
    }
}

/// One character that becomes many tokens, and one token for a whole word that nobody knows, at every place of a border.
#[test]
fn a_border_may_fall_anywhere() {
    for length in 1..200 {
        check(&tiny_model(), &"A".repeat(length));
    }
    for character in ['\u{FDFA}', '\u{1F600}', '\u{10FFFF}', '㍿', '𒈙'] {
        for before in 0..40 {
            let text = format!("{}{character}", "a ".repeat(before));
            check(&tiny_model(), &text);
            check(&tiny_model(), &text.repeat(7));
        }
        for before in 485..520 {
            check(&granite_model(), &format!("{}{character}", "a ".repeat(before)));
        }
    }
}

#[test]
fn parts_begin_and_end_between_words() {
    let model = granite_model();
    let text = "alpha beta gamma delta epsilon ".repeat(400);
    for window in model.windows(&text) {
        let is_border = |place: usize| {
            place == 0 || place == text.len() || text[..place].ends_with(' ') || text[place..].starts_with(' ')
        };
        assert!(is_border(window.start) && is_border(window.end), "{window:?}");
    }
}

#[test]
fn a_word_of_a_megabyte_does_not_hang() {
    let text = "ab".repeat(500_000);
    let model = granite_model();
    assert_eq!(model.tokens(&text).len(), 512);
    assert_eq!(model.embed(&[&text], NonZeroUsize::MIN).len(), 1);
    assert!(model.windows(&text).len() > 100);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_string_is_a_text(text in any::<String>(), times in 1_usize..40) {
        let text = text.repeat(times);
        for model in [granite_model(), tiny_model()] {
            let tokens = model.tokens(&text);
            prop_assert!((2..=model.architecture().max_tokens).contains(&tokens.len()));
            prop_assert!(tokens.iter().all(|&token| (token as usize) < model.architecture().vocabulary));
            check(&model, &text);
        }
    }
}
