//! Names in code: `getUser`, `UserName`, `snake_case`, `MAX_SIZE`, `std::io`, `run()`.

use scrubjay_core::entity::EntityType;

use super::findings::{Findings, character_after, character_before, is_spaced_letter};

const MODULE_PATH: f32 = 0.84;
const CALL: f32 = 0.8;
const UNDERSCORED: f32 = 0.8;
const CAMEL: f32 = 0.75;
/// Names of products are written so too.
const PASCAL: f32 = 0.6;

const MAX_NAME_BYTES: usize = 64;
const MAX_STEPS: usize = 12;
const MAX_DIGIT_CHANGES: usize = 4;
/// Shorter names with humps are units, degrees and brands: `kWh`, `PhD`, `WiFi`.
const SHORTEST_CAMEL_BYTES: usize = 5;

pub(super) fn find(text: &str, findings: &mut Findings<'_>) {
    findings.make_room();
    let bytes = text.as_bytes();
    let mut place = 0;
    while let Some(skipped) = bytes.get(place..).and_then(|rest| rest.iter().position(|&byte| is_name_byte(byte))) {
        if findings.is_full() {
            return;
        }
        let start = place + skipped;
        let name_end = end_of_name(bytes, start);
        let (path_end, steps) = end_of_module_path(bytes, name_end);
        let is_call = bytes.get(path_end..path_end + 2) == Some(b"()");
        let end = if is_call { path_end + 2 } else { path_end };
        place = end;
        let name = &text[start..path_end];
        let confidence = if steps > 1 {
            (name.len() > 4).then_some(MODULE_PATH)
        } else if is_call {
            (name.len() > 1 && name.len() <= MAX_NAME_BYTES && has_letter(name)).then_some(CALL)
        } else {
            shape_confidence(name)
        };
        if let Some(confidence) = confidence
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && stands_alone(text, start, end)
        {
            findings.add(start..end, name.to_owned(), EntityType::Other, confidence);
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn end_of_name(bytes: &[u8], start: usize) -> usize {
    let length = bytes.get(start..).and_then(|rest| rest.iter().position(|&byte| !is_name_byte(byte)));
    length.map_or(bytes.len(), |length| start + length)
}

/// Follows `::` from the end of a name. Returns where the last name ends and how many there are.
fn end_of_module_path(bytes: &[u8], name_end: usize) -> (usize, usize) {
    let mut end = name_end;
    let mut steps = 1;
    while steps < MAX_STEPS
        && bytes.get(end..end + 2) == Some(b"::")
        && bytes.get(end + 2).is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_')
    {
        end = end_of_name(bytes, end + 2);
        steps += 1;
    }
    (end, steps)
}

/// How sure it is that a name comes from code, by its underscores and capitals; none for a plain word.
fn shape_confidence(name: &str) -> Option<f32> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let inner = name.trim_matches('_');
    if inner.contains('_') {
        let has_word = inner.split('_').any(|step| step.bytes().filter(u8::is_ascii_alphabetic).count() > 1);
        return (has_word && inner.len() > 3).then_some(UNDERSCORED);
    }
    if name.starts_with("__") && name.ends_with("__") && has_letter(inner) {
        return Some(UNDERSCORED);
    }
    camel_confidence(inner)
}

fn camel_confidence(name: &str) -> Option<f32> {
    if name.len() < SHORTEST_CAMEL_BYTES || !name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let humps = humps(name);
    let (first, second) = (humps.first()?, humps.get(1)?);
    let begins_small = first.starts_with(|letter: char| letter.is_ascii_lowercase());
    let has_word = humps.iter().any(|hump| hump.bytes().filter(u8::is_ascii_lowercase).count() > 1);
    // Encodings change between cases and digits at every turn; names have words between.
    let is_readable = name.len() * 2 >= humps.len() * 5 && digit_changes(name) <= MAX_DIGIT_CHANGES;
    let is_brand =
        humps.len() == 2 && (begins_small && first.len() == 1 || matches!(*first, "Mc" | "Mac" | "De" | "Le"));
    let is_plural = humps.len() == 2 && second.len() == 2 && second.ends_with('s');
    (has_word && is_readable && !is_brand && !is_plural).then_some(if begins_small { CAMEL } else { PASCAL })
}

fn digit_changes(name: &str) -> usize {
    name.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count()
}

/// The words of a camel-case name. A capital begins one after a small letter or digit, and before a small letter.
fn humps(name: &str) -> Vec<&str> {
    let bytes = name.as_bytes();
    let mut humps = Vec::new();
    let mut start = 0;
    for index in 1..bytes.len() {
        let follows_small = !bytes[index - 1].is_ascii_uppercase();
        let precedes_small = bytes.get(index + 1).is_some_and(u8::is_ascii_lowercase);
        if bytes[index].is_ascii_uppercase() && (follows_small || precedes_small) {
            humps.push(&name[start..index]);
            start = index;
        }
    }
    humps.push(&name[start..]);
    humps
}

fn has_letter(name: &str) -> bool {
    name.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// True if no letter of another alphabet continues the name, and no backslash makes its first letter an escape.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    !character_before(text, start).is_some_and(|before| is_spaced_letter(before) || before == '\\')
        && !character_after(text, end).is_some_and(is_spaced_letter)
}
