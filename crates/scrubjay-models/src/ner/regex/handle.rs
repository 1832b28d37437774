//! Handles of persons: `@ann`.

use scrubjay_core::entity::EntityType;
use scrubjay_core::lexical::is_dense;

use super::code_block::{CodeBlocks, is_line_start};
use super::findings::{Findings, character_after, character_before, is_spaced_letter, reach_right};

const CONFIDENCE: f32 = 0.9;
const MAX_HANDLE_BYTES: usize = 64;
/// Longer runs in a script without spaces are the sentence, not the name.
const MAX_DENSE_CHARACTERS: usize = 4;
/// How far the lines after a decorator are read.
const NEXT_LINES_BYTES: usize = 200;

/// Words after `@` that belong to a language or to a documentation tool wherever they stand.
const ANNOTATIONS: &str = "
abstractmethod autowired beforeeach classmethod contextmanager dataclass deprecated fixture functools injectable
nullable override param parametrize property raises return returns rtype staticmethod synchronized throws typedef
";

/// Words that do so at the start of a line and may be somebody's name elsewhere.
const LINE_KEYWORDS: &str = "
after apply attribute author bean before brief cached charset class component configuration container controller
default entity example exception extends font-face import interface keyframes layer link media mixin module namespace
note page private protocol public raise readonly requires see since summary supports tailwind test todo type
";

/// What a line begins with that a decorator stands above.
const DECLARATIONS: &str = "
abstract async class const data def enum export final fn fun func function interface let open override private
protected pub public record static struct var void
";

pub(super) fn find(text: &str, code: &CodeBlocks<'_>, findings: &mut Findings<'_>) {
    findings.make_room();
    for (place, _) in text.match_indices('@') {
        if findings.is_full() {
            return;
        }
        let Some(end) = end_of_handle(text, place) else {
            continue;
        };
        let name = &text[place + 1..end];
        if !is_decorator(text, place, end, name) && !code.contains(place) {
            findings.add(place..end, name.to_owned(), EntityType::Person, CONFIDENCE);
        }
    }
}

/// The end of the handle whose `@` stands at `place`.
fn end_of_handle(text: &str, place: usize) -> Option<usize> {
    let begins_handle = character_before(text, place).is_none_or(|before| {
        !is_spaced_letter(before)
            && !matches!(before, '@' | '_' | '.' | '-' | '+' | '%' | '/' | '\\' | '=' | '&' | '$' | '#')
    });
    if !begins_handle {
        return None;
    }
    let first = character_after(text, place + 1)?;
    if is_dense(first) {
        let end = reach_right(text, place + 1, MAX_HANDLE_BYTES, is_dense);
        let is_name = text[place + 1..end].chars().count() <= MAX_DENSE_CHARACTERS;
        return is_name.then_some(end);
    }
    let is_inside = |character: char| is_spaced_letter(character) || matches!(character, '_' | '-' | '.');
    let reached = reach_right(text, place + 1, MAX_HANDLE_BYTES, is_inside);
    let name = text.get(place + 1..reached)?.trim_end_matches(['.', '-']);
    let end = place + 1 + name.len();
    let begins_well = first.is_alphanumeric() || first == '_';
    // A slash makes it the scope of a package, a bracket a decorator.
    let is_something_else = match character_after(text, end) {
        Some('/') => character_after(text, end + 1).is_some_and(char::is_alphanumeric),
        Some('(' | '{' | '[' | '=') => true,
        _ => false,
    };
    (begins_well && name.chars().any(char::is_alphabetic) && !is_something_else).then_some(end)
}

/// True for `@dataclass` and `@Override`, for `@media` and the like where they begin a line, and for any word that
/// stands alone on a line above a declaration.
fn is_decorator(text: &str, place: usize, end: usize, name: &str) -> bool {
    let first_word = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let is_among = |words: &str| words.split_ascii_whitespace().any(|word| word == first_word);
    is_among(ANNOTATIONS)
        || begins_code_line(text, place) && (is_among(LINE_KEYWORDS) || stands_above_declaration(&text[end..]))
}

/// True at the start of a line, also after the marks of a comment.
fn begins_code_line(text: &str, place: usize) -> bool {
    let left = text.get(..place).unwrap_or_default().trim_end_matches([' ', '\t']);
    let commented = left.trim_end_matches(['*', '/']);
    is_line_start(text, place) || commented.len() < left.len() && is_line_start(text, commented.len())
}

fn stands_above_declaration(after: &str) -> bool {
    let near = &after[..after.floor_char_boundary(NEXT_LINES_BYTES)];
    let mut lines = near.lines().map(str::trim_start);
    if !lines.next().is_some_and(str::is_empty) {
        return false;
    }
    let below = lines.find(|line| !line.starts_with('@')).unwrap_or_default();
    let first_word = below.split_whitespace().next().unwrap_or_default();
    DECLARATIONS.split_ascii_whitespace().any(|declaration| declaration == first_word)
}
