//! Conversations written as text: chunks of whole turns, with the speakers and the time as context.
//!
//! A text is a conversation when most of it is turns: lines such as `User: …`, `**Ada**: …` or
//! `[2026-05-01 12:30] Ada: …`, several of them, by few speakers who come again. Anything less is ordinary text.

use std::collections::HashMap;
use std::ops::Range;

use super::lines::Lines;
use super::pack::{self, Atom};
use super::segment::shorten;
use super::{Chunk, Limits};

const SPEAKER_BYTES: usize = 40;
const TIME_BYTES: usize = 30;
const CONTEXT_BYTES: usize = 160;
/// Fewer turns are no conversation.
const MIN_TURNS: usize = 4;
/// More speakers are a list of definitions.
const MAX_SPEAKERS: usize = 12;

/// The chunks of a conversation, or nothing when the text is not one.
#[must_use]
pub fn chunk(text: &str, limits: &Limits) -> Option<Vec<Chunk>> {
    // The cheap look comes first, since most texts are not conversations.
    let starts: Vec<(usize, Start<'_>)> =
        text.split_inclusive('\n').enumerate().filter_map(|(index, line)| Some((index, turn_start(line)?))).collect();
    if !is_conversation(text, &starts) {
        return None;
    }
    let lines = Lines::new(text);
    let mut atoms = Vec::new();
    // Which turn each atom is of.
    let mut turns = Vec::new();
    let first = starts.first().map_or(0, |(line, _)| *line);
    push_turn(&lines, 0..first, limits, &mut atoms);
    turns.resize(atoms.len(), None);
    for (index, (line, _)) in starts.iter().enumerate() {
        let end = starts.get(index + 1).map_or(lines.len(), |(next, _)| *next);
        push_turn(&lines, *line..end, limits, &mut atoms);
        turns.resize(atoms.len(), Some(index));
    }
    let mut out = Vec::new();
    for window in pack::windows(&atoms, limits) {
        let context = context(&starts, &turns[window.clone()]);
        pack::push_chunk(&lines, pack::span(&atoms, window), context, &mut out);
    }
    Some(out)
}

/// Who begins to speak, and when.
#[derive(Debug, PartialEq, Eq)]
struct Start<'a> {
    speaker: &'a str,
    time: &'a str,
}

/// A turn that fits is not torn apart.
fn push_turn(lines: &Lines<'_>, range: Range<usize>, limits: &Limits, atoms: &mut Vec<Atom>) {
    let (bytes, tokens) = (lines.bytes(range.clone()), lines.tokens(range.clone()));
    if bytes.is_empty() {
        return;
    }
    if tokens <= limits.tokens && bytes.len() <= limits.max_bytes() {
        atoms.push(Atom { bytes, tokens, good_end: true });
    } else {
        pack::atoms(lines, range, limits, atoms);
    }
}

fn context(starts: &[(usize, Start<'_>)], turns: &[Option<usize>]) -> String {
    let mut speakers: Vec<&str> = Vec::new();
    let mut time = "";
    for (_, start) in turns.iter().flatten().filter_map(|&turn| starts.get(turn)) {
        if !speakers.contains(&start.speaker) {
            speakers.push(start.speaker);
        }
        if time.is_empty() {
            time = start.time;
        }
    }
    let names = speakers.join(", ");
    let whole = if time.is_empty() { names } else { format!("{names} ({time})") };
    shorten(&whole, CONTEXT_BYTES)
}

fn is_conversation(text: &str, starts: &[(usize, Start<'_>)]) -> bool {
    if starts.len() < MIN_TURNS {
        return false;
    }
    let mut turns_of: HashMap<&str, usize> = HashMap::new();
    for (_, start) in starts {
        *turns_of.entry(start.speaker).or_default() += 1;
    }
    let several = turns_of.values().filter(|&&turns| turns > 1).count();
    let filled = text.lines().filter(|line| !line.trim().is_empty()).count();
    let has_heading = text.lines().any(|line| line.starts_with('#'));
    (2..=MAX_SPEAKERS).contains(&turns_of.len()) && several >= 2 && starts.len() * 4 >= filled && !has_heading
}

/// Reads `Ada: …`, `**Ada**: …`, `[time] Ada: …` and `Ada (time): …`.
fn turn_start(line: &str) -> Option<Start<'_>> {
    let line = line.trim_end();
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let (time, rest) = match line.strip_prefix(['[', '(']) {
        Some(inside) => {
            let end = inside.find([']', ')'])?;
            (inside[..end].trim(), inside[end + 1..].trim_start())
        }
        None => ("", line),
    };
    let rest = rest.strip_prefix("**").or_else(|| rest.strip_prefix('<')).unwrap_or(rest);
    // A name is short, so the colon is near: no need to look through a long line for it.
    let near = rest.char_indices().nth(SPEAKER_BYTES + TIME_BYTES + 8).map_or(rest, |(at, _)| &rest[..at]);
    let (head, said) = match near.find("): ") {
        Some(at) => (&near[..=at], &near[at + 2..]),
        None => near.split_once(':')?,
    };
    if !(said.is_empty() || said.starts_with([' ', '*'])) {
        return None;
    }
    let (speaker, time) = match head.strip_suffix(')').and_then(|head| head.split_once(" (")) {
        Some((speaker, inside)) if time.is_empty() => (speaker, inside.trim()),
        _ => (head, time),
    };
    let speaker = speaker.trim_end_matches(['*', '>']).trim();
    let words = speaker.split(' ').count();
    let is_name = !speaker.is_empty()
        && speaker.len() <= SPEAKER_BYTES
        && words <= 3
        && speaker.starts_with(|first: char| first.is_alphabetic())
        && speaker.chars().all(|sign| sign.is_alphanumeric() || " ._-'@".contains(sign));
    let is_time =
        time.is_empty() || (time.len() <= TIME_BYTES && time.starts_with(|first: char| first.is_ascii_digit()));
    (is_name && is_time).then_some(Start { speaker, time })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ways_to_write_a_turn() {
        for (line, expected) in [
            ("User: hello\n", Some(("User", ""))),
            ("**Ada Lovelace:** hello", Some(("Ada Lovelace", ""))),
            ("**Ada**: hello", Some(("Ada", ""))),
            ("[2026-05-01 12:30] Ada: hello", Some(("Ada", "2026-05-01 12:30"))),
            ("Ada (2026-05-01 12:30): hello", Some(("Ada", "2026-05-01 12:30"))),
            ("Assistant:", Some(("Assistant", ""))),
            ("see https://example.org for more", None),
            ("a sentence that goes on and on and then has: a colon", None),
            ("  key: value", None),
            ("- item: text", None),
        ] {
            let found = turn_start(line).map(|start| (start.speaker, start.time));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn turns_stay_whole_and_speakers_are_named() {
        let text: String = (0..40)
            .map(|n| {
                let speaker = if n % 2 == 0 { "Ada" } else { "Bob" };
                format!("[2026-05-01 12:{n:02}] {speaker}: this is what I say\nand I go on for a while, turn {n}.\n")
            })
            .collect();
        let chunks = chunk(&text, &Limits::default()).unwrap();
        assert!(chunks.len() > 1);
        assert_eq!(chunks[0].context, "Ada, Bob (2026-05-01 12:00)");
        assert!(chunks.iter().all(|chunk| chunk.text.starts_with('[') && chunk.text.ends_with(".\n")));
    }

    #[test]
    fn other_texts_are_not_conversations() {
        let limits = Limits::default();
        assert!(chunk("Name: x\nDate: y\nPlace: z\nTime: w\n", &limits).is_none());
        assert!(chunk("User: hello\nAssistant: hi\n", &limits).is_none());
        let mostly_prose = "Note: a\nTip: b\nNote: c\nTip: d\n".to_owned() + &"Prose.\n".repeat(40);
        assert!(chunk(&mostly_prose, &limits).is_none());
    }
}
