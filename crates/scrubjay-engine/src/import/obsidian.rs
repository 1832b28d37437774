//! Obsidian: a vault, a folder of Markdown notes that link to each other.

use scrubjay_core::entity::EntityType;
use scrubjay_ingest::export::Export;
use scrubjay_ingest::source::front_matter;

use super::importer::{Importer, Record, RecordLocation, Sink, Speaker};
use super::json::tag;
use super::markdown::{digest, hashtags, links, note_pieces};
use crate::Result;

/// How many of its links a piece of a note is said to mention.
const LINKS: usize = 20;

/// Obsidian.
pub struct Obsidian;

impl Importer for Obsidian {
    const NAME: &'static str = "obsidian";
    const OPERATION: &'static str = "import.obsidian";
    const COMMAND: &'static [&'static str] = &["import", "obsidian"];
    const EXAMPLES: &'static str = r#"To keep a vault in step instead: scrubjay sources add --kind notes DIR

  scrubjay import obsidian ~/vault"#;
    const ABOUT: &'static str = "Bring in the notes of an Obsidian vault, once.";
    const EXPECTS: &'static str = "the folder of the vault, or a zip of it";

    fn recognises(export: &Export) -> bool {
        export.names().iter().any(|name| name.starts_with(".obsidian/") || name.contains("/.obsidian/"))
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

/// The Markdown files that a person wrote: settings, what was thrown away and other hidden folders are not.
pub(super) fn notes(export: &Export) -> impl Iterator<Item = &str> {
    let is_hidden = |name: &str| name.split('/').any(|part| part.starts_with('.'));
    export.called(|name| name.ends_with(".md") || name.ends_with(".markdown")).filter(move |name| !is_hidden(name))
}

fn read_note(export: &Export, file: &str, text: &str, sink: &mut Sink<'_>) -> Result<()> {
    let front = front_matter::parse(text);
    let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
    let title = front.as_ref().and_then(|front| front.title.clone()).unwrap_or_else(|| stem.to_owned());
    let when = front.as_ref().and_then(|front| front.date).or_else(|| export.modified(file));
    let note_tags: Vec<String> = front.iter().flat_map(|front| front.tags.iter().map(|word| tag(word))).collect();
    for piece in note_pieces(text) {
        let mut tags = note_tags.clone();
        tags.extend(hashtags(&piece).iter().map(|word| tag(word)));
        let mut names = vec![(title.clone(), EntityType::Other)];
        names.extend(links(&piece).into_iter().take(LINKS).map(|name| (name, EntityType::Other)));
        let key = format!("{file}:{}", digest(&piece));
        sink.put(Record {
            memory_type: Some("note".to_owned()),
            session: Some(format!("obsidian-{file}")),
            speaker: Some(Speaker::User),
            time: when,
            tags,
            names,
            group: file.split_once('/').map(|(folder, _)| folder.to_owned()),
            ..Record::episode(RecordLocation::new(file, "note"), key, piece).with("title", Some(&title))
        })?;
    }
    Ok(())
}
