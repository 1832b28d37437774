//! basic-memory: a folder of Markdown notes.
//!
//! A note is about one thing, its title. `- [category] text #tag (context)` is an
//! observation about it, `- relation [[Other]] (context)` relates it to another
//! note. What else a note says is kept as what it is, a text.

use scrubjay_core::entity::EntityType;
use scrubjay_core::time::Timestamp;
use scrubjay_ingest::export::Export;
use scrubjay_ingest::source::front_matter;
use scrubjay_ingest::source::knowledge_graph::sentence;

use super::importer::{Importer, Record, RecordLocation, Sink, Speaker};
use super::json::tag;
use super::markdown::{digest, hashtags, links, note_pieces, unlinked};
use super::obsidian::notes;
use crate::Result;

/// basic-memory.
pub struct BasicMemory;

impl Importer for BasicMemory {
    const NAME: &'static str = "basic-memory";
    const OPERATION: &'static str = "import.basic-memory";
    const COMMAND: &'static [&'static str] = &["import", "basic-memory"];
    const EXAMPLES: &'static str = r#"  scrubjay import basic-memory --dry-run ~/basic-memory
  scrubjay import basic-memory ~/basic-memory"#;
    const ABOUT: &'static str = "Bring in the observations, relations and texts of basic-memory notes.";
    const EXPECTS: &'static str = "the folder of a basic-memory project (usually ~/basic-memory)";

    fn recognises(export: &Export) -> bool {
        notes(export).take(50).any(|file| {
            let text = export.text(file).unwrap_or_default();
            text.contains("permalink:") && text.lines().any(|line| observation(line).is_some())
        })
    }

    fn read(export: &Export, sink: &mut Sink<'_>) -> Result<()> {
        for file in notes(export) {
            match export.text(file) {
                Ok(text) => read_note(export, file, &text, sink)?,
                Err(error) => sink.skip(RecordLocation::new(file, "note"), error.to_string())?,
            }
        }
        Ok(())
    }
}

fn read_note(export: &Export, file: &str, text: &str, sink: &mut Sink<'_>) -> Result<()> {
    let front = front_matter::parse(text);
    let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
    let title = front.as_ref().and_then(|front| front.title.clone()).unwrap_or_else(|| stem.to_owned());
    let note_tags: Vec<String> =
        front.iter().flat_map(|front| front.tags.iter().map(|tag_text| tag(tag_text))).collect();
    let when: Option<Timestamp> = front.as_ref().and_then(|front| front.date).or_else(|| export.modified(file));
    let about = (title.clone(), EntityType::Other);
    let mut rest = String::new();
    for (at, line) in text.lines().enumerate() {
        let place = RecordLocation::new(file, format!("line {}", at + 1));
        if let Some(found) = observation(line) {
            let content = sentence(&title, &unlinked(&found.text));
            let key = format!("{file}:{}", digest(&format!("[{}] {content}", found.category)));
            let mut tags: Vec<String> = hashtags(line).iter().map(|word| tag(word)).collect();
            tags.extend(note_tags.iter().cloned());
            sink.put(Record {
                memory_type: Some(memory_type(&found.category).to_owned()),
                time: when,
                tags,
                names: vec![about.clone()],
                group: folder(file),
                ..Record::fact(place, key, content).with("category", Some(&found.category))
            })?;
        } else if let Some((verb, target)) = relation(line) {
            let content = format!("{title} {} {target}", verb.replace('_', " "));
            let key = format!("{file}:{}", digest(&content));
            sink.put(Record {
                time: when,
                tags: note_tags.clone(),
                names: vec![about.clone(), (target, EntityType::Other)],
                group: folder(file),
                ..Record::fact(place, key, content).with("relation", Some(&verb))
            })?;
        } else {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    for piece in note_pieces(&rest).into_iter().filter(|piece| has_text(piece)) {
        let key = format!("{file}:{}", digest(&piece));
        sink.put(Record {
            memory_type: Some("note".to_owned()),
            session: Some(format!("basic-memory-{file}")),
            speaker: Some(Speaker::User),
            time: when,
            tags: note_tags.clone(),
            names: vec![about.clone()],
            group: folder(file),
            ..Record::episode(RecordLocation::new(file, "text"), key, piece).with("title", Some(&title))
        })?;
    }
    Ok(())
}

// What is left when observations and relations are gone is often nothing but their headings.
fn has_text(piece: &str) -> bool {
    piece.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

fn folder(file: &str) -> Option<String> {
    file.rsplit_once('/').map(|(folder, _)| folder.to_owned())
}

struct Observation {
    category: String,
    text: String,
}

// `- [category] text`; a task list and a link are none.
fn observation(line: &str) -> Option<Observation> {
    let rest = line.trim_start().strip_prefix("- [")?;
    let (category, text) = rest.split_once(']')?;
    let is_category = !category.trim().is_empty() && category.len() <= 60 && !category.starts_with('[');
    let is_task = matches!(category, "x" | "X" | "-" | ">" | "/");
    let text = text.strip_prefix(' ')?.trim();
    (is_category && !is_task && !text.is_empty())
        .then(|| Observation { category: category.trim().to_owned(), text: text.to_owned() })
}

// `- relation [[Other]]`, where the relation may be missing.
fn relation(line: &str) -> Option<(String, String)> {
    let rest = line.trim_start().strip_prefix("- ")?;
    let (verb, after) = rest.split_once("[[")?;
    let target = links(&format!("[[{after}")).into_iter().next()?;
    let behind = after.split_once("]]")?.1.trim();
    let verb = verb.trim().trim_matches('"');
    // A sentence with a link in it is a text.
    let is_verb = verb.len() <= 60 && verb.split_whitespace().count() <= 4;
    let is_context = behind.is_empty() || (behind.starts_with('(') && behind.ends_with(')'));
    let verb = if verb.is_empty() { "relates to" } else { verb };
    (is_verb && is_context).then(|| (verb.to_owned(), target))
}

fn memory_type(category: &str) -> &str {
    match category.to_lowercase().as_str() {
        "decision" => "decision",
        "preference" => "preference",
        "convention" | "rule" | "requirement" => "convention",
        "insight" | "idea" | "tip" => "insight",
        "problem" | "issue" | "bug" | "failure" => "failure",
        _ => "fact",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_and_relations_are_told_from_tasks_and_texts() {
        for (line, expected) in [
            ("- [method] Pour over #brewing (at home)", Some(("method", "Pour over #brewing (at home)"))),
            ("  - [fact] x", Some(("fact", "x"))),
            ("- [ ] buy milk", None),
            ("- [x] done", None),
            ("- [[Link]] text", None),
            ("- [text](url)", None),
            ("[fact] x", None),
        ] {
            let found = observation(line);
            let found = found.as_ref().map(|found| (found.category.as_str(), found.text.as_str()));
            assert_eq!(found, expected, "{line}");
        }
        for (line, expected) in [
            ("- part_of [[Coffee]]", Some(("part_of", "Coffee"))),
            ("- [[Coffee]]", Some(("relates to", "Coffee"))),
            ("- pairs with [[Tea|tea]] (often)", Some(("pairs with", "Tea"))),
            ("- I went with them all to see [[Coffee]] yesterday", None),
            ("- no link", None),
        ] {
            let found = relation(line);
            assert_eq!(found.as_ref().map(|(verb, target)| (verb.as_str(), target.as_str())), expected, "{line}");
        }
    }
}
