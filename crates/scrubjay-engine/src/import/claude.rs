//! Claude (claude.ai): its data export.
//!
//! `conversations.json` has messages under `chat_messages`. `memories.json`, or
//! one file per account below `memories/`, has what Claude noted about the
//! person and about each project. `projects.json`, or one file per project below
//! `projects/`, has instructions and documents.

use std::collections::BTreeMap;

use scrubjay_ingest::export::Export;
use serde_json::Value;

use super::chatgpt::{beginning, is_conversations};
use super::importer::{Importer, Record, RecordLocation, Sink, Speaker};
use super::json::{each_element, each_item, first_text, text, time};
use super::markdown::{note_pieces, statements};
use crate::Result;

/// Claude.
pub struct Claude;

impl Importer for Claude {
    const NAME: &'static str = "claude";
    const OPERATION: &'static str = "import.claude";
    const COMMAND: &'static [&'static str] = &["import", "claude"];
    const EXAMPLES: &'static str = r#"  scrubjay import claude --dry-run ~/Downloads/data-2026-05-01.zip
  scrubjay import claude ~/Downloads/data-2026-05-01.zip"#;
    const ABOUT: &'static str = "Bring in conversations, memories and projects from a Claude data export.";
    const EXPECTS: &'static str = "the zip from Settings, Privacy, Export data; its folder; or conversations.json";

    fn recognises(export: &Export) -> bool {
        let mut files = export.called(is_conversations);
        files.any(|file| beginning(export, file).is_some_and(|head| head.contains("\"chat_messages\"")))
            || export.names().iter().any(|name| is_memories(name))
    }

    fn read(export: &Export, sink: &mut Sink<'_>) -> Result<()> {
        let mut names = BTreeMap::new();
        for file in export.names().iter().filter(|name| is_project(name)) {
            each_item(export, file, &[], sink, |sink, number, project| {
                if let (Some(id), Some(name)) = (text(project, "uuid"), text(project, "name")) {
                    names.insert(id.to_owned(), name.to_owned());
                }
                read_project(file, number, project, sink)
            })?;
        }
        for file in export.names().iter().filter(|name| is_memories(name)) {
            each_item(export, file, &[], sink, |sink, number, memory| read_memory(file, number, memory, &names, sink))?;
        }
        let files: Vec<String> = export.called(is_conversations).map(str::to_owned).collect();
        for file in files {
            each_element(export, &file, sink, |sink, number, conversation| {
                read_conversation(&file, number, &conversation, sink)
            })?;
        }
        Ok(())
    }
}

fn is_project(name: &str) -> bool {
    name.ends_with("projects.json") || (in_folder(name, "projects") && name.ends_with(".json"))
}

fn is_memories(name: &str) -> bool {
    name.ends_with("memories.json") || (in_folder(name, "memories") && name.ends_with(".json"))
}

fn in_folder(name: &str, folder: &str) -> bool {
    name.rsplit('/').nth(1) == Some(folder)
}

fn read_conversation(file: &str, number: usize, conversation: &Value, sink: &mut Sink<'_>) -> Result<()> {
    let title = text(conversation, "name");
    let messages = conversation.get("chat_messages").and_then(Value::as_array);
    let (Some(id), Some(messages)) = (text(conversation, "uuid"), messages) else {
        return sink
            .skip(RecordLocation::new(file, format!("conversation {number}")), "it has no uuid or no chat_messages");
    };
    for (at, message) in messages.iter().enumerate() {
        let speaker = match text(message, "sender") {
            Some("human" | "user") => Speaker::User,
            Some("assistant") => Speaker::Assistant,
            _ => Speaker::System,
        };
        let Some(content) = said(message) else {
            sink.pass_over("files, tools and what else has no text")?;
            continue;
        };
        let key = text(message, "uuid").map_or_else(|| format!("{id}:{at}"), str::to_owned);
        let place = RecordLocation::new(file, format!("conversation {id}, message {key}"));
        sink.put(Record {
            session: Some(format!("claude-{id}")),
            speaker: Some(speaker),
            time: time(message, "created_at").or_else(|| time(conversation, "created_at")),
            ..Record::episode(place, key, content).with("title", title)
        })?;
    }
    Ok(())
}

// Blocks of text; the older field `text` where there are none. What tools printed is left out.
fn said(message: &Value) -> Option<String> {
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    let words = blocks.filter(|block| text(block, "type") == Some("text")).filter_map(|block| text(block, "text"));
    let words = words.collect::<Vec<_>>().join("\n");
    if words.is_empty() { text(message, "text").map(str::to_owned) } else { Some(words) }
}

fn read_memory(
    file: &str,
    number: usize,
    memory: &Value,
    names: &BTreeMap<String, String>,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let own = text(memory, "conversations_memory").map(|words| (None, words));
    let of_projects = memory.get("project_memories").and_then(Value::as_object);
    let of_projects = of_projects.into_iter().flatten().filter_map(|(id, words)| Some((Some(id), words.as_str()?)));
    for (project, words) in own.into_iter().chain(of_projects) {
        let name = project.map(|id| names.get(id).unwrap_or(id).clone());
        for statement in statements(words) {
            let place = RecordLocation::new(file, format!("memory {number}"));
            let key = format!("memory:{}:{}", project.map_or("", String::as_str), statement.key());
            sink.put(Record { group: name.clone(), ..Record::fact(place, key, statement.text) })?;
        }
    }
    Ok(())
}

fn read_project(file: &str, number: usize, project: &Value, sink: &mut Sink<'_>) -> Result<()> {
    let Some(id) = text(project, "uuid") else {
        return sink.skip(RecordLocation::new(file, format!("project {number}")), "it has no uuid");
    };
    let name = text(project, "name").unwrap_or(id);
    let when = time(project, "updated_at").or_else(|| time(project, "created_at"));
    if let Some(instructions) = text(project, "prompt_template") {
        let place = RecordLocation::new(file, format!("instructions of {name}"));
        let key = format!("project:{id}:instructions");
        sink.put(Record {
            memory_type: Some("convention".to_owned()),
            group: Some(name.to_owned()),
            time: when,
            ..Record::fact(place, key, format!("{name}: {instructions}"))
        })?;
    }
    for (at, document) in project.get("docs").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let title = first_text(document, &["filename", "file_name"]).unwrap_or("document");
        let Some(words) = text(document, "content") else { continue };
        let id = text(document, "uuid").map_or_else(|| format!("{id}:{at}"), str::to_owned);
        for (piece, content) in note_pieces(words).into_iter().enumerate() {
            let place = RecordLocation::new(file, format!("{name}, {title}"));
            sink.put(Record {
                memory_type: Some("note".to_owned()),
                session: Some(format!("claude-document-{id}")),
                speaker: Some(Speaker::User),
                group: Some(name.to_owned()),
                time: time(document, "created_at").or(when),
                ..Record::episode(place, format!("document:{id}:{piece}"), content).with("title", Some(title))
            })?;
        }
    }
    Ok(())
}
