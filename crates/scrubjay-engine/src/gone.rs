//! Facts that name what a project no longer has.
//!
//! A fact that speaks of a file, folder, symbol or command is doubtful once that is gone or renamed. Which names are gone
//! is kept by the store beside the index of files ([`Names`](scrubjay_store::Names)); here the names that a fact mentions
//! are found and looked up, so that a mark costs a few lookups for each fact that is shown and nothing for the others. A
//! file that comes back takes the mark away.

use std::collections::BTreeMap;
use std::path::Path;

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;
use scrubjay_store::names::Name;
use scrubjay_store::source::SourceKind;

use crate::{Ctx, Result};

/// The most names of one fact that are looked up.
const MOST: usize = 16;

/// Endings of files that are named without a folder.
const FILE_ENDINGS: &str = " c cfg cjs conf cpp cs css csv ex exs go h heex html ini java js json jsx kt lua md mjs php proto py rb rs scss sh sql svelte swift tf toml ts tsx txt vue xml yaml yml zig ";

/// Words of what says itself that something is no longer there.
const REMOVAL: &str = " removed remove removes deleted delete deletes dropped gone renamed moved replaced instead former formerly obsolete deprecated longer entfernt gelöscht umbenannt verschoben ersetzt statt früher eliminado eliminada borrado borrada quitado renombrado movido sustituido antes supprimé supprimée renommé déplacé remplacé anciennement ";

/// What runs a script of a project, and the kind of command that is.
const RUNNERS: [(&str, &str); 7] = [
    ("npm", "run"),
    ("pnpm", "run"),
    ("yarn", "run"),
    ("bun", "run"),
    ("composer", "run"),
    ("make", "make"),
    ("just", "just"),
];

/// What a fact mentions and is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneMention {
    /// As the fact says it.
    pub name: String,
    /// When it was seen to be gone.
    pub since: Timestamp,
}

impl GoneMention {
    /// For people: `mentions src/gen, gone since 2026-05-01`.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("mentions {}, gone since {}", self.name, self.since.date())
    }
}

/// Which of some memories mention what is gone from their project since they were said. Only facts are looked at.
///
/// # Errors
/// When the store fails.
pub async fn gone_mentions<'a>(
    ctx: &Ctx,
    memories: impl IntoIterator<Item = &'a Memory>,
) -> Result<BTreeMap<MemoryId, GoneMention>> {
    let mut found = BTreeMap::new();
    let mut by_scope: BTreeMap<&Scope, Vec<(&Memory, Vec<Mention>)>> = BTreeMap::new();
    for memory in memories.into_iter().filter(|memory| memory.kind() == Kind::Fact) {
        let mentions = mentions(&memory.content);
        if !mentions.is_empty() && !speaks_of_removal(&memory.content) {
            by_scope.entry(&memory.scope).or_default().push((memory, mentions));
        }
    }
    if by_scope.is_empty() {
        return Ok(found);
    }
    let store = ctx.store().await?;
    let places = store.sources(ctx.view()).await?;
    for (scope, facts) in by_scope {
        let is_place = |place: &&scrubjay_store::source::SourcePlace| {
            place.scope == *scope && place.kind != SourceKind::Transcripts
        };
        let roots: Vec<&str> = places.iter().filter(is_place).map(|place| place.path.trim_end_matches('/')).collect();
        if roots.is_empty() {
            continue;
        }
        let mut asked: Vec<(MemoryId, Timestamp, String, Name)> = Vec::new();
        for (memory, mentions) in facts {
            for mention in mentions {
                let names = mention.names(&roots).into_iter();
                asked.extend(names.map(|name| (memory.id, memory.event_time, mention.text.clone(), name)));
            }
        }
        let names = asked.iter().map(|(.., name)| name.clone()).collect();
        let gone: BTreeMap<Name, Timestamp> =
            store.gone_names(scope, names).await?.into_iter().map(|gone| (gone.name, gone.since)).collect();
        for (id, said, text, name) in asked {
            let Some(since) = gone.get(&name).copied().filter(|since| *since > said) else { continue };
            // A folder may still hold what is not indexed.
            if !matches!(&name, Name::Path(path) if Path::new(path).exists()) {
                found.entry(id).or_insert(GoneMention { name: text, since });
            }
        }
    }
    Ok(found)
}

/// A name in a text, as it stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mention {
    text: String,
    kind: MentionKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum MentionKind {
    Path,
    File,
    Symbol(String),
    Command(String),
}

impl Mention {
    // The names that it may stand for, given the folders of its project.
    fn names(&self, roots: &[&str]) -> Vec<Name> {
        match &self.kind {
            MentionKind::Path if self.text.starts_with('/') => vec![Name::Path(self.text.clone())],
            MentionKind::Path => roots.iter().map(|root| Name::Path(format!("{root}/{}", self.text))).collect(),
            MentionKind::File => vec![Name::File(self.text.clone())],
            MentionKind::Symbol(name) => vec![Name::Symbol(name.clone())],
            MentionKind::Command(name) => vec![Name::Command(name.clone())],
        }
    }
}

// What a text mentions that may be part of a project. Between backticks any word is taken for a name, elsewhere only what
// looks like one.
fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let ticks = text.matches('`').count();
    for (number, part) in text.split('`').enumerate() {
        let is_code = number % 2 == 1 && ticks > number;
        let words: Vec<&str> = part.split_whitespace().collect();
        for (place, word) in words.iter().enumerate() {
            let bare = bare(word);
            let command = command(bare, &words[place + 1..]);
            let mention = command.or_else(|| named(bare, is_code && words.len() == 1));
            if let Some(mention) = mention.filter(|mention| !found.contains(mention)) {
                found.push(mention);
            }
        }
    }
    found.truncate(MOST);
    found
}

// Without quotation marks, brackets and the like around it, and without a line number behind it.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"/_.~@".contains(c));
    let word = word.trim_end_matches(['.', '/', '@', '~']);
    match word.rsplit_once(':') {
        Some((file, line)) if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) => file,
        _ => word,
    }
}

fn command(word: &str, after: &[&str]) -> Option<Mention> {
    let (_, kind) = RUNNERS.iter().find(|(runner, _)| *runner == word)?;
    let mut rest = after.iter().map(|word| bare(word));
    let first = rest.next()?;
    let (said, name) = match (*kind, first) {
        ("run", "run") => (format!("{word} run"), rest.next()?),
        _ => (word.to_owned(), first),
    };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_:.".contains(c));
    is_name.then(|| Mention { text: format!("{said} {name}"), kind: MentionKind::Command(format!("{kind} {name}")) })
}

fn named(word: &str, is_code: bool) -> Option<Mention> {
    if word.contains("://") || word.starts_with(['@', '~']) || word.len() < 3 {
        return None;
    }
    let mention = |text: &str, kind| Some(Mention { text: text.to_owned(), kind });
    let ending = word.rsplit_once('.').map(|(_, ending)| format!(" {} ", ending.to_lowercase()));
    let is_file = ending.is_some_and(|ending| FILE_ENDINGS.contains(&ending));
    if word.contains('/') {
        let path = word.strip_prefix("./").unwrap_or(word);
        let is_path = path.chars().all(|c| c.is_alphanumeric() || "/_.-[]$+".contains(c));
        return if is_path { mention(path, MentionKind::Path) } else { None };
    }
    if is_file {
        return mention(word, MentionKind::File);
    }
    let name = word.trim_end_matches("()").rsplit("::").next()?.rsplit('.').next()?;
    let characters: Vec<char> = name.chars().collect();
    let is_identifier =
        characters.iter().all(|c| c.is_alphanumeric() || *c == '_') && !characters.first()?.is_ascii_digit();
    let is_camel = characters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let looks_like_one = is_camel || name.contains('_') || word.ends_with("()") || word.contains("::");
    if is_identifier && name.len() >= 3 && (is_code || looks_like_one) {
        return mention(word, MentionKind::Symbol(name.to_owned()));
    }
    None
}

fn speaks_of_removal(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.len() > 3).any(|word| REMOVAL.contains(&format!(" {} ", word.to_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_where_they_look_like_names() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = mentions(text).into_iter().map(|mention| mention.text).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("The client in src/gen is generated, see ./build.rs:12.", &["src/gen", "build.rs"]);
        check("Call `open` before makeIndex, never Store::close().", &["open", "makeIndex", "Store::close()"]);
        check("run `pnpm run db:seed` or make seed first", &["pnpm run db:seed", "make seed"]);
        check("We use tabs and/or https://a.example/x, ask @ada.", &["and/or"]);
        check("The store is open on Mondays.", &[]);
    }

    #[test]
    fn what_says_that_something_is_gone_stays() {
        assert!(speaks_of_removal("NewsletterSignup was removed, use NewsletterForm."));
        assert!(speaks_of_removal("We use src/api instead of src/gen."));
        assert!(!speaks_of_removal("The client in src/gen is generated."));
    }
}
