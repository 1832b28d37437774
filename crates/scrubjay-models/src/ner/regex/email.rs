//! E-mail addresses.

use std::ops::Range;

use scrubjay_core::entity::EntityType;

use super::findings::{Findings, character_after, character_before, is_spaced_letter, reach_left, reach_right};

const CONFIDENCE: f32 = 0.98;
const MAX_LOCAL_BYTES: usize = 64;
const MAX_HOST_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

pub(super) fn find(text: &str, findings: &mut Findings<'_>) {
    findings.make_room();
    for (place, _) in text.match_indices('@') {
        if findings.is_full() {
            return;
        }
        if let Some(span) = address_around(text, place) {
            let name = text[span.clone()].to_lowercase();
            findings.add(span, name, EntityType::Email, CONFIDENCE);
        }
    }
}

/// The address around the `@` at `place`.
pub(super) fn address_around(text: &str, place: usize) -> Option<Range<usize>> {
    let is_local = |character: char| is_spaced_letter(character) || matches!(character, '.' | '_' | '%' | '+' | '-');
    let reached = reach_left(text, place, MAX_LOCAL_BYTES + 1, is_local);
    let local = text.get(reached..place)?.trim_start_matches(['.', '-', '%', '+']);
    let start = place - local.len();
    let is_local_part = (1..=MAX_LOCAL_BYTES).contains(&local.len()) && !local.ends_with('.') && !local.contains("..");
    // `@user@host` is a handle on another server, and what follows a slash or colon is part of an address or a path.
    if !is_local_part || matches!(character_before(text, start), Some('@' | '/')) {
        return None;
    }
    let is_host = |character: char| is_spaced_letter(character) || matches!(character, '.' | '-');
    let reached = reach_right(text, place + 1, MAX_HOST_BYTES, is_host);
    let host = text.get(place + 1..reached)?.trim_end_matches(['.', '-']);
    let end = place + 1 + host.len();
    (is_domain(host) && !is_remote_path(text, end)).then_some(start..end)
}

fn is_domain(host: &str) -> bool {
    let Some((_, top)) = host.rsplit_once('.') else {
        return false;
    };
    let is_label =
        |label: &str| (1..=MAX_LABEL_BYTES).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-');
    host.split('.').all(is_label) && top.chars().count() >= 2 && top.chars().all(char::is_alphabetic)
}

/// True for `git@example.org:team/code.git`, which names a repository and no mailbox.
fn is_remote_path(text: &str, end: usize) -> bool {
    character_after(text, end) == Some(':')
        && character_after(text, end + 1).is_some_and(|next| is_spaced_letter(next) || matches!(next, '/' | '~'))
}
