//! What of a memory or a chunk goes into the index.

use scrubjay_core::lexical::term_hash;
use scrubjay_core::memory::{Kind, OriginKind};
use scrubjay_core::source::Source;
use scrubjay_index::{Columns, Item as Indexed};
use scrubjay_store::item::{Generation, IndexRow, Item};

use super::roots::Roots;
use super::terms::TermCounts;
use crate::item::{decode, defined_name, embedded_text, goes_on, plain_text, speaker, text_hash};

/// Raised when what is made of an item below changes: then the index files are made anew.
pub(super) const ITEM_VERSION: u32 = 2;

/// How often the name of what a piece of code defines counts on top of its own
/// occurrence.
const NAME_STRESS: u32 = 2;

/// The flag of a text that ends with a question.
pub(crate) const ASKS: u8 = 1;

/// The flag of a text that is so long that it is searched piece by piece. Its length is that of a piece: by its own, BM25
/// would take every word in it for a chance.
pub(crate) const LONG: u8 = 2;
const LONG_TERMS: u32 = 4096;
const PIECE_TERMS: u32 = 128;

/// The last characters of a text, in which a question mark makes it a question.
const ASKING_CHARS: usize = 60;

/// The kind of a chunk, beside the kinds of memories.
pub(super) const CHUNK: u8 = 255;

/// An item as the index wants it.
pub(super) fn indexed(row: &IndexRow, generations: &[Generation], roots: &Roots) -> Indexed {
    let mut terms = TermCounts::default();
    let text = plain_text(&row.item);
    terms.add(&text);
    terms.inflect(&text);
    if let Some(name) = defined_name(row.item.text()) {
        terms.stress(&name, NAME_STRESS);
    }
    if let Item::Memory(memory) = &row.item
        && let Some(speaker) = speaker(memory)
    {
        terms.spoken_by(speaker);
    }
    if let Item::Chunk(chunk) = &row.item {
        // Asking for a file by its name should find what is in it.
        terms.lies_at(roots.below(&chunk.scope, &chunk.path));
    }
    let mut vectors = Vec::new();
    if !row.vectors.is_empty() {
        let hash = text_hash(&embedded_text(&row.item));
        for generation in generations {
            let stored = row.vectors.iter().find(|stored| stored.generation == generation.id);
            // The vector of a former text would find what is not there any more.
            let fitting = stored.filter(|stored| stored.text == hash);
            let decoded = fitting.and_then(|stored| decode(&stored.encoded, generation.spec.dimensions as usize));
            vectors.extend(decoded.map(|decoded| (generation.id.0, decoded)));
        }
    }
    let is_long = terms.length > LONG_TERMS;
    let mut columns = columns(&row.item);
    columns.flags |= if is_long { LONG } else { 0 };
    Indexed {
        key: row.key.number(),
        columns,
        terms: terms.counts.into_iter().collect(),
        words: terms.words,
        length: if is_long { PIECE_TERMS } else { terms.length },
        vectors,
    }
}

fn columns(item: &Item) -> Columns {
    match item {
        Item::Memory(memory) => Columns {
            kind: code(&Kind::ALL, &memory.kind()),
            origin: code(&OriginKind::ALL, &memory.origin.kind),
            source: code(&Source::ALL, &Source::of_kind(memory.kind())),
            type_hash: short_hash(memory.memory_type.as_str()),
            role_hash: memory.role.as_deref().map_or(0, short_hash),
            session_hash: memory.session_id.as_deref().map_or(0, term_hash),
            event_time: memory.event_time.millis(),
            created_at: memory.created_at.millis(),
            ended_at: memory.ended.map_or(Columns::ACTIVE, |ended| ended.at.millis()),
            // Turns of a conversation stand side by side; facts stand alone.
            flags: if asks(&memory.content) { ASKS } else { 0 },
            sequence: match (&memory.session_id, memory.kind()) {
                (Some(session), Kind::Episode) => term_hash(session) | 1,
                _ => 0,
            },
            // Time tells which turn comes first.
            position: 0,
        },
        Item::Chunk(chunk) => Columns {
            kind: CHUNK,
            origin: code(&OriginKind::ALL, &OriginKind::File),
            source: code(&Source::ALL, &chunk.source),
            event_time: chunk.modified_at.millis(),
            created_at: chunk.indexed_at.millis(),
            // Functions stand side by side. The parts of one that was cut all begin with its signature: that they are
            // near to what is asked says the same again.
            sequence: match chunk.source {
                Source::Code if goes_on(chunk) => 0,
                _ => term_hash(&chunk.document.to_string()) | 1,
            },
            position: chunk.ordinal,
            ..Columns::default()
        },
    }
}

fn asks(text: &str) -> bool {
    text.trim_end().chars().rev().take(ASKING_CHARS).any(|character| matches!(character, '?' | '？' | '؟'))
}

/// Whether it is a piece of a file.
pub(crate) fn is_chunk(columns: &Columns) -> bool {
    columns.kind == CHUNK
}

/// Whether it was said, done or handed over, and not concluded.
pub(crate) fn is_episode(columns: &Columns) -> bool {
    columns.kind == code(&Kind::ALL, &Kind::Episode)
}

/// Whether a person said it.
pub(crate) fn is_user_role(columns: &Columns) -> bool {
    columns.role_hash == short_hash("user")
}

/// Whether somebody said it who is called by name, as people are who talk to each other, or it has a role of its own.
pub(crate) fn is_named_role(columns: &Columns) -> bool {
    ![0, short_hash("user"), short_hash("assistant")].contains(&columns.role_hash)
}

/// The code of a value: its place in the list of all of them.
pub(super) fn code<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|other| other == value).and_then(|place| u8::try_from(place).ok()).unwrap_or(254)
}

/// Half a hash, for columns where a false match is caught later.
#[expect(clippy::cast_possible_truncation, reason = "half of it is what is wanted")]
pub(super) fn short_hash(text: &str) -> u32 {
    term_hash(text) as u32
}
