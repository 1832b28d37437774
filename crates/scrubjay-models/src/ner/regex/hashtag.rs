//! Hashtags: `#release`.

use scrubjay_core::entity::EntityType;

use super::code_block::{CodeBlocks, is_line_start};
use super::findings::{Findings, character_after, character_before, is_spaced_letter, reach_right};

const CONFIDENCE: f32 = 0.9;
const MAX_TAG_BYTES: usize = 100;
/// Hexadecimal words of this length and more are hashes of commits.
const COMMIT_HASH_DIGITS: usize = 7;

/// Words after `#` at the start of a line that are instructions to a compiler.
const DIRECTIVES: &str = "
define elif else elseif endif endregion error if ifdef ifndef import include line pragma region undef using warning
";

pub(super) fn find(text: &str, code: &CodeBlocks<'_>, findings: &mut Findings<'_>) {
    findings.make_room();
    for (place, _) in text.match_indices('#') {
        if findings.is_full() {
            return;
        }
        let Some(end) = end_of_tag(text, place) else {
            continue;
        };
        let tag = &text[place + 1..end];
        let is_directive =
            DIRECTIVES.split_ascii_whitespace().any(|directive| directive == tag) && is_line_start(text, place);
        let is_selector = text[end..].trim_start_matches(' ').starts_with('{');
        if !is_hexadecimal(tag) && !is_directive && !is_selector && !code.contains(place) {
            findings.add(place..end, tag.to_lowercase(), EntityType::Tag, CONFIDENCE);
        }
    }
}

fn end_of_tag(text: &str, place: usize) -> Option<usize> {
    let begins_tag = character_before(text, place).is_none_or(|before| {
        !is_spaced_letter(before) && !matches!(before, '#' | '&' | '/' | '_' | '-' | '.' | '=' | '@' | '$' | '\\' | ')')
    });
    if !begins_tag || !character_after(text, place + 1)?.is_alphanumeric() {
        return None;
    }
    let is_inside =
        |character: char| character.is_alphanumeric() || is_mark(character) || matches!(character, '_' | '-' | '/');
    let reached = reach_right(text, place + 1, MAX_TAG_BYTES, is_inside);
    let tag = text.get(place + 1..reached)?.trim_end_matches(['-', '/']);
    // A number alone is that of an issue.
    tag.chars().any(char::is_alphabetic).then_some(place + 1 + tag.len())
}

/// The vowel signs of Indic scripts and the like, which are no letters to Rust but stand inside words.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{0300}'..='\u{036F}' | '\u{0900}'..='\u{0DFF}' | '\u{0E31}'..='\u{0E4E}' | '\u{200C}' | '\u{200D}')
}

/// A colour of a style sheet, such as `#fff` or `#00ff7f80`, or the hash of a commit.
fn is_hexadecimal(tag: &str) -> bool {
    let has_digit = tag.bytes().any(|byte| byte.is_ascii_digit());
    tag.bytes().all(|byte| byte.is_ascii_hexdigit())
        && (matches!(tag.len(), 3 | 4 | 6 | 8) || has_digit && tag.len() >= COMMIT_HASH_DIGITS)
}
