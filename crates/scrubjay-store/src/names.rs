//! The names by which a project's files, symbols and commands are called, and those that are gone.
//!
//! What a document names is a pure function of its path and its chunks, so that both backends agree. A name is gone once
//! the last document of its scope that had it has lost it or was removed; it is back as soon as a document has it again.

use std::collections::BTreeSet;

use async_trait::async_trait;
use scrubjay_core::scope::Scope;
use scrubjay_core::source::Source;
use scrubjay_core::time::Timestamp;

use crate::Result;
use crate::item::{Document, NewChunk};

/// The shortest and the longest symbol, in bytes.
const SYMBOL: std::ops::RangeInclusive<usize> = 3..=80;

/// What a text may call something that is or was part of a project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// A file or folder, by its whole path.
    Path(String),
    /// A file, by its last part.
    File(String),
    /// A function, type or the like, without what it is part of.
    Symbol(String),
    /// A script or target: the runner and what it runs, `run build`, `make seed`.
    Command(String),
}

impl Name {
    /// How it is kept. A path is kept as it is.
    pub(crate) fn key(&self) -> String {
        match self {
            Self::Path(path) => path.trim_end_matches('/').to_owned(),
            Self::File(name) => format!("file:{name}"),
            Self::Symbol(name) => format!("symbol:{name}"),
            Self::Command(name) => format!("command:{name}"),
        }
    }
}

/// A name that was there and is not any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneName {
    /// The name that was asked for.
    pub name: Name,
    /// When it was seen to be gone.
    pub since: Timestamp,
}

/// The names of a project's files.
///
/// They follow from [`Documents`](crate::Documents) and [`Rebuilds`](crate::Rebuilds) in the same transaction.
#[async_trait]
pub trait Names: Send + Sync {
    /// Those of these names that documents of the scope had, and no document has any more. Each is looked up by
    /// itself, however much is kept.
    async fn gone_names(&self, scope: &Scope, names: Vec<Name>) -> Result<Vec<GoneName>>;
}

/// The keys of what a document names; its path is no part of them.
pub(crate) fn keys(document: &Document, chunks: &[NewChunk]) -> BTreeSet<String> {
    keys_of(&document.path, document.source.name(), chunks)
}

/// The same, from the path and the name of its source.
pub(crate) fn keys_of(path: &str, source: &str, chunks: &[NewChunk]) -> BTreeSet<String> {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let mut found = BTreeSet::from([Name::File(file.to_owned()).key()]);
    for chunk in chunks {
        if source == Source::Code.name() {
            found.extend(symbols(&chunk.context).into_iter().map(|name| Name::Symbol(name).key()));
        }
        found.extend(commands(file, &chunk.text).into_iter().map(|name| Name::Command(name).key()));
    }
    found
}

/// Whether a document still speaks of what it defined before: then it is not gone, only defined elsewhere or no longer
/// the first thing that its chunk is called by.
pub(crate) fn still_named(key: &str, chunks: &[NewChunk]) -> bool {
    let Some(name) = key.strip_prefix("symbol:") else { return false };
    chunks.iter().any(|chunk| holds_word(&chunk.text, name))
}

fn holds_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

// The symbols of a chunk's context: `impl Display for Store > fn open`, `func (s *Store) Open`, `const open, type Key`.
fn symbols(context: &str) -> Vec<String> {
    let parts =
        context.split(" > ").flat_map(|part| if part.contains('(') { vec![part] } else { part.split(", ").collect() });
    parts.filter_map(symbol).collect()
}

fn symbol(part: &str) -> Option<String> {
    if part.ends_with('…') {
        return None;
    }
    // The receiver of a method in Go stands before its name.
    let part = match part.strip_prefix("func (").and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) => rest,
        None => part,
    };
    let head = part.split(['(', '<', '{', '=']).next()?.split(": ").next()?;
    let name = head.split_whitespace().next_back()?.trim_end_matches(':').rsplit(['.', '#', ':']).next()?;
    let is_name =
        name.chars().all(|c| c.is_alphanumeric() || c == '_') && name.starts_with(|c: char| !c.is_ascii_digit());
    (is_name && name != "impl" && SYMBOL.contains(&name.len())).then(|| name.to_owned())
}

// What can be run by the name that a file gives it.
fn commands(file: &str, text: &str) -> Vec<String> {
    match file {
        "package.json" | "composer.json" => scripts(text).into_iter().map(|name| format!("run {name}")).collect(),
        "Makefile" | "makefile" | "GNUmakefile" => {
            targets(text).into_iter().map(|name| format!("make {name}")).collect()
        }
        "justfile" | "Justfile" | ".justfile" => targets(text).into_iter().map(|name| format!("just {name}")).collect(),
        _ => Vec::new(),
    }
}

// The keys of the object `scripts`.
fn scripts(text: &str) -> Vec<String> {
    let Some((_, rest)) = text.split_once("\"scripts\"") else { return Vec::new() };
    let Some((_, rest)) = rest.split_once('{') else { return Vec::new() };
    let mut found = Vec::new();
    // Strings take turns: a key, then its command.
    let (mut current, mut in_string, mut escaped, mut is_key) = (String::new(), false, false, true);
    for character in rest.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' if in_string => {
                in_string = false;
                if is_key {
                    found.push(std::mem::take(&mut current));
                }
                is_key = !is_key;
            }
            '"' => {
                in_string = true;
                current.clear();
            }
            '}' if !in_string => break,
            _ if in_string => current.push(character),
            _ => {}
        }
    }
    found
}

// `seed: migrate` at the beginning of a line, but not `seed := 1`.
fn targets(text: &str) -> Vec<String> {
    let target = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let name = name.split_whitespace().next()?;
        let is_name = name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) && !name.starts_with('.');
        (is_name && !rest.starts_with('=') && !line.starts_with([' ', '\t'])).then(|| name.to_owned())
    };
    text.lines().filter_map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_names_its_symbols() {
        let check = |context: &str, expected: &[&str]| assert_eq!(symbols(context), expected, "{context}");
        check("impl fmt::Display for Store > fn fmt(&self, f: &mut Formatter) -> fmt::Result", &["Store", "fmt"]);
        check("class Store > def open", &["Store", "open"]);
        check("func (s *Store) Open", &["Open"]);
        check("const limit, type Key", &["limit", "Key"]);
        check("export const load = async (id: string) =>", &["load"]);
        check("fn generate<T>", &["generate"]);
        check("impl<T> Key for T", &[]);
        check("fn x", &[]);
        check("fn cut_in_the_mid…", &[]);
    }

    #[test]
    fn files_name_what_can_be_run() {
        let package =
            "{ \"name\": \"x\", \"scripts\": {\n \"build\": \"tsc -p \\\"a\\\"\",\n \"db:seed\": \"node seed.js\"\n} }";
        assert_eq!(commands("package.json", package), ["run build", "run db:seed"]);
        let makefile = "SEED := 1\n.PHONY: seed\nseed: migrate\n\tnode seed.js: x\nup:\n";
        assert_eq!(commands("Makefile", makefile), ["make seed", "make up"]);
        assert_eq!(commands("notes.md", makefile), Vec::<String>::new());
    }

    #[test]
    fn a_word_is_held_whole() {
        let chunk =
            NewChunk { start_line: 1, end_line: 1, context: String::new(), text: "regenerate(); open_all".into() };
        let chunks = [chunk];
        assert!(still_named("symbol:open_all", &chunks) && still_named("symbol:regenerate", &chunks));
        assert!(!still_named("symbol:generate", &chunks) && !still_named("symbol:open", &chunks));
        assert!(!still_named("file:open_all", &chunks));
    }
}
