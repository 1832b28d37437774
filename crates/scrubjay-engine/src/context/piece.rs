//! Something that can be handed to an agent, and how it looks in a block.

use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::source::Source;
use scrubjay_core::visible::visible;
use scrubjay_ingest::Vocabulary;
use scrubjay_ingest::source::front_matter;
use scrubjay_store::context::Shown;
use scrubjay_store::item::{Chunk, Item};

use super::cut::excerpt;
use crate::item::is_opening;
use crate::search::{FileState, Found};

/// Something that can be handed to an agent.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Which memory or piece of a file.
    pub shown: Shown,
    /// What it is.
    pub item: Item,
    /// What stands before its text.
    pub label: String,
    /// Its text.
    pub text: String,
    /// The place in the text that matters, in bytes.
    pub around: usize,
    /// How well it fits.
    pub relevance: f64,
    /// What the order follows.
    pub score: f64,
    /// Whether it is part of a repository's file.
    pub of_repository: bool,
}

impl Piece {
    /// A search hit as a line of notes: what it is and when it was.
    #[must_use]
    pub fn note(found: &Found) -> Self {
        let label = match &found.item {
            Item::Memory(memory) => note_label(memory),
            Item::Chunk(chunk) => {
                let since = changed_since(found);
                format!("- ({}:{}-{}{since}) ", chunk.path, chunk.start_line, chunk.end_line)
            }
        };
        Self::of(found, &label)
    }

    /// A search hit as a line of past context: `[type] content`.
    #[must_use]
    pub fn episode(found: &Found) -> Self {
        let label = match &found.item {
            Item::Memory(memory) => format!("[{}] ", memory.memory_type),
            Item::Chunk(chunk) => format!("[file {}:{}-{}] ", chunk.path, chunk.start_line, chunk.end_line),
        };
        Self::of(found, &label)
    }

    /// A search hit as a piece of a file: its path and lines above it.
    #[must_use]
    pub fn file(found: &Found) -> Self {
        let label = match &found.item {
            Item::Chunk(chunk) => {
                let since = changed_since(found);
                format!("# {} (lines {}-{}{since})\n", chunk.path, chunk.start_line, chunk.end_line)
            }
            Item::Memory(memory) => format!("# {}\n", memory.id),
        };
        Self::of(found, &label)
    }

    /// A memory of a tier.
    #[must_use]
    pub fn of_tier(memory: Memory, relevance: f64, score: f64) -> Self {
        let stage = memory.attributes.get("stage").and_then(serde_json::Value::as_str);
        let stage = stage.map_or_else(String::new, |stage| format!(", {stage}"));
        let label = format!("- [{}{stage}{}] ", memory.memory_type, doubt(&memory));
        Self {
            shown: Shown::Memory(memory.id),
            label: visible(&label).into_owned(),
            text: visible(&memory.content).into_owned(),
            around: 0,
            relevance,
            score,
            of_repository: false,
            item: Item::Memory(Box::new(memory)),
        }
    }

    fn of(found: &Found, label: &str) -> Self {
        let whole = found.item.text();
        // Front matter helps to find a note; to a reader it says little for the room it takes.
        let text = match &found.item {
            Item::Chunk(chunk) if is_opening(chunk) => front_matter::body(whole),
            _ => whole,
        };
        let around = found.place.saturating_sub(whole.len() - text.len());
        Self {
            shown: shown(&found.item),
            item: found.item.clone(),
            label: visible(label).into_owned(),
            text: visible(text).into_owned(),
            // Escapes before the place that matters move it.
            around: text.get(..around).map_or(around, |before| visible(before).len()),
            relevance: found.relevance,
            score: found.score,
            of_repository: false,
        }
    }

    /// Where it comes from, as a searcher thinks of it.
    #[must_use]
    pub fn source(&self) -> Source {
        match &self.item {
            Item::Memory(memory) => Source::of_kind(memory.kind()),
            Item::Chunk(chunk) => chunk.source,
        }
    }

    /// It as lines of a block, within a number of tokens; whether it was cut.
    /// None if too little of it would fit.
    #[must_use]
    pub fn render(&self, max_tokens: usize, slack: usize, vocabulary: Vocabulary) -> Option<Rendered> {
        let whole = self.lines(self.text.trim());
        let tokens = vocabulary.count(&whole);
        if tokens <= max_tokens {
            return Some(Rendered { text: whole, tokens, cut: false });
        }
        let mut room = max_tokens.saturating_sub(vocabulary.count(&self.label) + 1);
        // Indented lines cost a little more than the text they show.
        for _ in 0..8 {
            let text = excerpt(self.text.trim(), self.around, room, slack, vocabulary)?;
            let text = self.lines(&text);
            let tokens = vocabulary.count(&text);
            if tokens <= max_tokens {
                return Some(Rendered { text, tokens, cut: true });
            }
            room = room.checked_sub(tokens - max_tokens)?;
        }
        None
    }

    fn lines(&self, text: &str) -> String {
        let mut lines = self.label.clone();
        // A list item goes on under its own beginning.
        let indent = if self.label.starts_with("- ") { "  " } else { "" };
        for (number, line) in text.lines().enumerate() {
            if number > 0 {
                lines.push('\n');
                if !line.is_empty() {
                    lines.push_str(indent);
                }
            }
            lines.push_str(line.trim_end());
        }
        lines.push('\n');
        lines
    }
}

/// A piece as it stands in a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// Its lines.
    pub text: String,
    /// How many tokens they are.
    pub tokens: usize,
    /// Whether something is missing.
    pub cut: bool,
}

/// The name by which it is remembered that something was shown.
#[must_use]
pub fn shown(item: &Item) -> Shown {
    match item {
        Item::Memory(memory) => Shown::Memory(memory.id),
        Item::Chunk(chunk) => of_chunk(chunk),
    }
}

// Whoever goes by the lines must know that they may be others by now.
fn changed_since(found: &Found) -> &'static str {
    match found.file {
        FileState::AsRead => "",
        FileState::Changed | FileState::Gone => ", changed since",
    }
}

fn of_chunk(chunk: &Chunk) -> Shown {
    Shown::Chunk(chunk.document, chunk.start_line, chunk.end_line)
}

/// Whether a text may be handed on as something known. What a tool printed or a
/// page said may be anything, and so may what was made from it.
#[must_use]
pub fn is_trusted(item: &Item) -> bool {
    match item {
        Item::Memory(memory) => !memory.origin.kind.is_foreign(),
        Item::Chunk(_) => true,
    }
}

fn note_label(memory: &Memory) -> String {
    let date = memory.event_time.date();
    match memory.kind() {
        Kind::Episode => {
            let who = memory.role.as_deref().unwrap_or("someone");
            match memory.memory_type.as_str() {
                "message" => format!("- ({date}, {who}) "),
                other => format!("- ({other}, {date}) "),
            }
        }
        _ => format!("- ({}, {date}) ", memory.memory_type),
    }
}

fn doubt(memory: &Memory) -> String {
    memory.origin.kind.caution().map_or_else(String::new, |caution| format!(", {caution}"))
}
