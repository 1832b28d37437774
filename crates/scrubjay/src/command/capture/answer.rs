//! What became of a message, as one line.

use scrubjay_engine::ops::CaptureResult;
use serde_json::{Value, json};

use super::message::Parsed;
use crate::output::layout::{one_line, shortened};
use crate::output::safe;
use crate::output::style::{Palette, Style};

/// The line for a program.
pub(super) fn for_program(number: usize, result: &CaptureResult) -> Value {
    let mut answer = serde_json::to_value(result).unwrap_or_else(|_| json!({}));
    if let (Some(fields), Some(_)) = (answer.as_object_mut(), &result.error) {
        fields.insert("line".to_owned(), Value::from(number));
    }
    answer
}

/// The line for a person.
pub(super) fn for_person(parsed: &Preview, result: &CaptureResult, palette: Palette, columns: usize) -> String {
    let (word, style, text) = if let Some(error) = &result.error {
        ("failed", Style::Bad, format!("line {}: {error}", parsed.number))
    } else if let Some(why) = &result.skipped {
        ("skipped", Style::Careful, why.clone())
    } else if result.duplicate {
        ("known", Style::Dim, parsed.text.clone())
    } else {
        ("kept", Style::Good, parsed.text.clone())
    };
    // What was taken out is not shown, so the text gives way to the notice.
    let text = if result.warnings.is_empty() || result.error.is_some() { text } else { result.warnings.join("; ") };
    let text = shortened(&one_line(&safe::text(&text)), columns.saturating_sub(10));
    format!("{} {text}\n", palette.paint(style, &format!("{word:<8}")))
}

/// What a person is shown of a message.
pub(super) struct Preview {
    /// The number of its line.
    pub(super) number: usize,
    /// Who said it and how it begins.
    pub(super) text: String,
}

impl From<&Parsed> for Preview {
    fn from(parsed: &Parsed) -> Self {
        Self { number: parsed.number, text: parsed.preview.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_learns_the_line_of_an_error_only() {
        let kept =
            CaptureResult { id: Some("ep_1".to_owned()), client_id: Some("c".to_owned()), ..CaptureResult::default() };
        assert_eq!(for_program(3, &kept), json!({"id": "ep_1", "client_id": "c"}));
        let failed = CaptureResult { error: Some("no".to_owned()), ..CaptureResult::default() };
        assert_eq!(for_program(3, &failed), json!({"id": null, "client_id": null, "error": "no", "line": 3}));
    }

    #[test]
    fn a_person_never_sees_what_was_taken_out() {
        let preview = Preview { number: 1, text: "user: the key is hunter2".to_owned() };
        let redacted = CaptureResult { warnings: vec!["a secret was redacted".to_owned()], ..CaptureResult::default() };
        assert_eq!(for_person(&preview, &redacted, Palette { colour: false }, 80), "kept     a secret was redacted\n");
        let long = Preview { number: 1, text: "x\u{1b}[2J\n".repeat(100) };
        let line = for_person(&long, &CaptureResult::default(), Palette { colour: false }, 80);
        assert!(line.chars().count() <= 81 && !line.contains('\u{1b}') && line.lines().count() == 1, "{line:?}");
    }
}
