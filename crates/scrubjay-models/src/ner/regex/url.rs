//! Web addresses.

use std::ops::Range;

use scrubjay_core::entity::EntityType;
use scrubjay_core::lexical::is_dense;

use super::findings::{Findings, character_before, is_spaced_letter, reach_left};

const KNOWN_SCHEME_CONFIDENCE: f32 = 0.99;
const OTHER_CONFIDENCE: f32 = 0.95;
const MAX_SCHEME_BYTES: usize = 24;
const MAX_URL_BYTES: usize = 2048;
const KNOWN_SCHEMES: [&str; 10] = ["http", "https", "ftp", "ftps", "sftp", "ssh", "git", "ws", "wss", "file"];

pub(super) fn find(text: &str, findings: &mut Findings<'_>) {
    findings.make_room();
    let mut searched = 0;
    while let Some(place) = text.get(searched..).and_then(|rest| rest.find("://")).map(|found| searched + found) {
        if findings.is_full() {
            break;
        }
        searched = place + 3;
        if let Some(span) = address_with_scheme(text, place) {
            searched = span.end;
            let is_known = KNOWN_SCHEMES.contains(&text[span.start..place].to_ascii_lowercase().as_str());
            let confidence = if is_known { KNOWN_SCHEME_CONFIDENCE } else { OTHER_CONFIDENCE };
            findings.add(span.clone(), canonical(&text[span]), EntityType::Url, confidence);
        }
    }
    searched = 0;
    while let Some(place) = text.get(searched..).and_then(|rest| rest.find("www.")).map(|found| searched + found) {
        if findings.is_full() {
            break;
        }
        searched = place + 4;
        let begins_word = character_before(text, place)
            .is_none_or(|before| !is_spaced_letter(before) && !matches!(before, '/' | '.' | '-' | '_' | '@' | '\\'));
        if begins_word {
            // What was read is not read again, whatever it was, so that the whole costs one reading of the text.
            let end = end_of_address(text, place);
            searched = end.max(searched);
            let address = &text[place..end];
            let host = address.split(['/', '?', '#', ':']).next().unwrap_or_default();
            if host.matches('.').count() > 1 {
                findings.add(place..end, canonical(address), EntityType::Url, OTHER_CONFIDENCE);
            }
        }
    }
}

/// The address whose `://` stands at `place`.
fn address_with_scheme(text: &str, place: usize) -> Option<Range<usize>> {
    let is_scheme = |character: char| character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.');
    let reached = reach_left(text, place, MAX_SCHEME_BYTES, is_scheme);
    let scheme = text.get(reached..place)?.trim_start_matches(|first: char| !first.is_ascii_alphabetic());
    let start = place - scheme.len();
    if scheme.len() < 2 || character_before(text, start).is_some_and(|before| is_spaced_letter(before) || before == '_')
    {
        return None;
    }
    let host = text.get(place + 3..)?;
    let is_file = scheme.eq_ignore_ascii_case("file") && host.starts_with('/');
    if !is_file && !host.starts_with(|first: char| first.is_alphanumeric() || first == '[') {
        return None;
    }
    let end = end_of_address(text, place + 3);
    (end > place + 4).then_some(start..end)
}

/// Where an address that begins at `start` ends: before white space, quotes, sentence marks, and brackets that it did
/// not open itself.
fn end_of_address(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut previous = ' ';
    let mut open = [0_u32; 3];
    for character in text.get(start..).unwrap_or_default().chars() {
        if end - start + character.len_utf8() > MAX_URL_BYTES || is_outside(previous, character) {
            break;
        }
        if let Some(kind) = ['(', '[', '{'].iter().position(|&bracket| bracket == character) {
            open[kind] += 1;
        }
        if let Some(kind) = [')', ']', '}'].iter().position(|&bracket| bracket == character) {
            if open[kind] == 0 {
                break;
            }
            open[kind] -= 1;
        }
        end += character.len_utf8();
        previous = character;
    }
    let address = text.get(start..end).unwrap_or_default();
    start + trimmed(address).len()
}

/// Without the marks of the sentence around it, and without brackets that nothing closes.
fn trimmed(address: &str) -> &str {
    let mut rest = address;
    loop {
        let shorter =
            rest.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~', '(', '[', '{', '&', '…']);
        if shorter.len() == rest.len() {
            return rest;
        }
        rest = shorter;
    }
}

fn is_outside(previous: char, character: char) -> bool {
    match character {
        '"' | '<' | '>' | '`' | '|' | '\\' | '^' => true,
        '\u{2018}'..='\u{201F}' | '«' | '»' | '\u{3000}'..='\u{3020}' | '\u{FF00}'..='\u{FF20}' => true,
        _ if character.is_whitespace() || character.is_control() => true,
        // Text of a script without spaces may follow an address at once; it belongs to the address only where a step
        // or a value begins with it.
        _ if is_dense(character) => !(is_dense(previous) || matches!(previous, '/' | '=' | '_' | '-' | '#')),
        _ => false,
    }
}

/// Without fragment and credentials, with scheme and host in lower case and without a slash alone after the host.
fn canonical(address: &str) -> String {
    let address = address.split('#').next().unwrap_or_default();
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (Some(scheme), rest),
        None => (None, address),
    };
    let host_end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(host_end);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host).to_lowercase();
    let path = if path == "/" { "" } else { path };
    match scheme {
        Some(scheme) => format!("{}://{host}{path}", scheme.to_ascii_lowercase()),
        None => format!("{host}{path}"),
    }
}
