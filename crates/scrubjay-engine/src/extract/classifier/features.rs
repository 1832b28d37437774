//! What is known of a sentence, by name.

use std::collections::{BTreeMap, BTreeSet};

use super::cues::cues;
use super::segment::{Segment, Setting};
use super::tokens::{KINDS, tokens};
use crate::extract::speaker::Speaker;

/// Named values; what has no name is 0.
pub(super) type Features = BTreeMap<String, f32>;

/// Numbers of words from which a sentence is longer.
const LENGTHS: [usize; 6] = [4, 8, 13, 20, 30, 45];

/// What surrounds a sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// Who says it.
    pub(super) speaker: Speaker,
    /// Its place among the segments of the message, and how many those are.
    pub(super) place: usize,
    pub(super) segments: usize,
    /// What the other one said last before it; empty at the beginning.
    pub(super) before: &'a str,
    /// Its whole message.
    pub(super) message: &'a str,
    /// What a person says next; empty if nobody has answered yet.
    pub(super) reply: &'a str,
}

/// The features of a sentence.
#[expect(clippy::cast_precision_loss, reason = "counts of words and sentences")]
pub(super) fn features(segment: &Segment, around: Surroundings<'_>) -> Features {
    let mut found = Features::new();
    let mut set = |name: String, value: f32| {
        found.insert(name, value);
    };
    let who = match around.speaker {
        Speaker::Person => "person",
        Speaker::Assistant => "assistant",
    };
    let words = tokens(&segment.text);
    set(who.to_owned(), 1.0);
    let setting = if segment.setting == Setting::Item { "item" } else { "prose" };
    set(format!("{setting} {who}"), 1.0);
    for length in LENGTHS.iter().filter(|length| words.len() >= **length) {
        set(format!("words {length} {who}"), 1.0);
    }
    if around.segments > 1 {
        set(format!("place {who}"), around.place as f32 / (around.segments - 1) as f32);
    }
    if around.place == 0 {
        set(format!("first {who}"), 1.0);
    }
    if around.place + 1 == around.segments {
        set(format!("last {who}"), 1.0);
    }
    if segment.is_bold {
        set(format!("bold {who}"), 1.0);
    }
    match segment.text.chars().last() {
        Some('?' | '？') => set("asks".to_owned(), 1.0),
        Some(':') => set("leads in".to_owned(), 1.0),
        Some('!') => set("exclaims".to_owned(), 1.0),
        _ => {}
    }
    for kind in KINDS {
        let count = words.iter().filter(|word| *word == kind).count();
        if count > 0 {
            set(format!("{kind} {who}"), 1.0);
            set(format!("{kind} count"), (1.0 + count as f32).ln());
        }
    }
    for word in words.iter().collect::<BTreeSet<_>>() {
        set(format!("w {word}"), 1.0);
    }
    for pair in words.windows(2) {
        set(format!("p {} {}", pair[0], pair[1]), 1.0);
    }
    if let Some(first) = words.first() {
        set(format!("s {first}"), 1.0);
        set(format!("s {first} {who}"), 1.0);
    }
    for count in 2..=3.min(words.len()) {
        set(format!("s {}", words[..count].join(" ")), 1.0);
    }
    for (name, value) in surface(segment, around, who) {
        set(name, value);
    }
    for word in tokens(&segment.heading) {
        set(format!("h {word}"), 1.0);
    }
    if around.speaker == Speaker::Assistant {
        let reply = tokens(around.reply);
        for count in 1..=2.min(reply.len()) {
            set(format!("r {}", reply[..count].join(" ")), 1.0);
        }
        if reply.is_empty() {
            set("r".to_owned(), 1.0);
        }
    }
    found
}

// What kind of utterance it is: an order, a report, an answer.
#[expect(clippy::cast_precision_loss, reason = "counts of words and questions")]
fn surface(segment: &Segment, around: Surroundings<'_>, who: &str) -> Vec<(String, f32)> {
    let cues = cues(&segment.text);
    let mut found = Vec::new();
    if cues.fails {
        found.push((format!("fails {who}"), 1.0));
    }
    if cues.sees {
        found.push((format!("sees {who}"), 1.0));
    }
    if cues.orders {
        found.push((format!("orders {who}"), 1.0));
        if cues.lasting == 0 {
            found.push((format!("orders once {who}"), 1.0));
        }
    }
    if cues.lasting > 0 {
        found.push((format!("lasting {who}"), (1.0 + cues.lasting as f32).ln()));
    }
    if around.speaker == Speaker::Person {
        let questions = around.before.matches(['?', '？']).count();
        if questions > 0 {
            found.push(("answers".to_owned(), 1.0));
            found.push(("answers count".to_owned(), (1.0 + questions as f32).ln()));
        }
        if around.before.trim_end().ends_with(['?', '？']) {
            found.push(("answers last".to_owned(), 1.0));
        }
        if around.message.contains(['?', '？']) {
            found.push(("asks too".to_owned(), 1.0));
        }
    }
    found
}
