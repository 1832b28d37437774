//! What of an item is embedded, and indexed by its words.

use scrubjay_core::memory::Memory;
use scrubjay_core::source::Source;
use scrubjay_core::text::TextHash;
use scrubjay_ingest::source::front_matter;
use scrubjay_store::item::{Chunk, Item};

use super::definition::{defined_name, has_prose};

/// Raised when the texts below, or the windows they are cut into, change: then
/// vectors are made again.
pub const SCHEME_VERSION: u32 = 5;

/// Roles that say nothing about who speaks.
const NAMELESS: [&str; 11] =
    ["user", "assistant", "human", "ai", "system", "developer", "tool", "function", "model", "code", "dialogue"];

/// What stands between the parts of a chunk's context.
const SEPARATOR: &str = " > ";

/// Lines at the top of a piece in which it can say what it is.
const LINES: usize = 40;

/// The text of an item as a model gets it.
#[must_use]
pub fn embedded_text(item: &Item) -> String {
    let text = match item {
        // What the front matter says of a note stands before each of its pieces.
        Item::Chunk(chunk) if is_opening(chunk) => piece_text(&chunk.context, front_matter::body(&chunk.text)),
        _ => plain_text(item),
    };
    // What a piece of code does is mostly in its name, unless it says so itself.
    match defined_name(item.text()) {
        Some(name) if !has_prose(item.text()) => format!("{name}\n{text}"),
        _ => text,
    }
}

/// The hash by which a stored vector is known to fit its text.
#[must_use]
pub fn text_hash(text: &str) -> TextHash {
    TextHash::of_message(text)
}

/// The name of the speaker, unless it is a mere part in a conversation.
#[must_use]
pub fn speaker(memory: &Memory) -> Option<&str> {
    let role = memory.role.as_deref()?.trim();
    let nameless = role.is_empty() || NAMELESS.iter().any(|nameless| role.eq_ignore_ascii_case(nameless));
    (!nameless).then_some(role)
}

/// The text of an item with who says it, or where in a file it stands.
#[must_use]
pub fn plain_text(item: &Item) -> String {
    match item {
        Item::Memory(memory) => memory_text(memory),
        Item::Chunk(chunk) => piece_text(&chunk.context, &chunk.text),
    }
}

/// Whether a piece goes on with something that begins in a piece before it.
#[must_use]
pub fn goes_on(chunk: &Chunk) -> bool {
    !chunk.context.is_empty() && told_elsewhere(&chunk.context, &chunk.text) == chunk.context
}

/// Whether a piece may begin with front matter.
#[must_use]
pub fn is_opening(chunk: &Chunk) -> bool {
    chunk.start_line == 1 && matches!(chunk.source, Source::Memory | Source::Docs)
}

fn memory_text(memory: &Memory) -> String {
    // Who said something is often what is asked for.
    let said =
        |speaker: &str| memory.content.get(..speaker.len()).is_some_and(|start| start.eq_ignore_ascii_case(speaker));
    match speaker(memory).filter(|speaker| !said(speaker)) {
        Some(speaker) => format!("{speaker}: {}", memory.content),
        None => memory.content.clone(),
    }
}

// A piece of a file ends with its line, and often with empty ones. To a model those are part of what is said.
fn piece_text(context: &str, text: &str) -> String {
    let context = told_elsewhere(context, text);
    let text = text.trim_start_matches(['\r', '\n']).trim_end();
    if context.is_empty() { text.to_owned() } else { format!("{context}\n{text}") }
}

// What a piece stands in, without the last part if the piece says it itself, as
// the first piece of a function and that of a section do: said twice, it would
// drown the rest.
fn told_elsewhere<'a>(context: &'a str, text: &str) -> &'a str {
    let (outer, last) = context.rsplit_once(SEPARATOR).unwrap_or(("", context));
    let label = without_visibility(last).split('(').next().unwrap_or(last).trim();
    let name = label.rsplit(' ').next().unwrap_or(label);
    let said = |line: &str| line.contains(label) || (label.contains(' ') && line.contains(name));
    if !name.is_empty() && text.lines().take(LINES).any(said) { outer } else { context }
}

// `pub(crate) fn open(…)` is called `fn open`, and not `pub`.
fn without_visibility(signature: &str) -> &str {
    let inside = signature.strip_prefix("pub(").and_then(|rest| rest.split_once(") "));
    inside.map_or(signature, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use scrubjay_core::id::DocumentId;
    use scrubjay_core::scope::Scope;
    use scrubjay_core::time::Timestamp;

    use super::*;

    #[test]
    fn the_first_part_of_a_function_begins_it_and_the_others_go_on() {
        for (context, text, expected) in [
            ("impl Store > fn open", "    /// Opens.\n    pub fn open() {\n", false),
            ("impl Store > pub(crate) fn open(path: &Path)", "    let pub_key = read(path);\n", true),
            ("class Map", "  std::map items_;\n", true),
            ("", "use std::fmt;\n", false),
        ] {
            let chunk = Chunk {
                document: DocumentId::from(uuid::Uuid::nil()),
                scope: Scope::Global,
                source: Source::Code,
                path: "/a.rs".to_owned(),
                modified_at: Timestamp::from_millis(0),
                indexed_at: Timestamp::from_millis(0),
                ordinal: 0,
                start_line: 1,
                end_line: 1,
                context: context.to_owned(),
                text: text.to_owned(),
            };
            assert_eq!(goes_on(&chunk), expected, "{context}");
        }
    }

    #[test]
    fn the_lines_around_a_piece_are_no_part_of_it() {
        assert_eq!(piece_text("fn add", "\nfn add() {\n}\n\n"), "fn add() {\n}");
        assert_eq!(piece_text("impl Sum > fn add", "    a + b\n"), "impl Sum > fn add\n    a + b");
    }

    #[test]
    fn a_piece_is_not_told_twice_what_it_is() {
        for (context, text, expected) in [
            ("fn add", "/// Adds.\nfn add(a: u8) {}", ""),
            ("impl Store > fn open", "pub fn open() {}", "impl Store"),
            (
                "impl Store > fn open(path: &Path)",
                "    let file = File::new(path)?;",
                "impl Store > fn open(path: &Path)",
            ),
            ("Guide > Deploying", "## Deploying\n\nPush.", "Guide"),
            ("Guide > Deploying", "Then wait.", "Guide > Deploying"),
            ("", "text", ""),
        ] {
            assert_eq!(told_elsewhere(context, text), expected, "{context}");
        }
    }
}
