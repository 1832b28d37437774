//! ChatGPT: `conversations.json` of its data export.
//!
//! A conversation is a tree of nodes under `mapping`; editing a prompt or asking
//! for another answer makes a branch. What the person saw last is the way from
//! `current_node` to the root.

use std::collections::HashSet;

use scrubjay_ingest::export::Export;
use serde_json::Value;

use super::importer::{Importer, Record, RecordLocation, Sink, Speaker};
use super::json::{each_element, first_text, text, time};
use crate::Result;

/// ChatGPT.
pub struct ChatGpt;

impl Importer for ChatGpt {
    const NAME: &'static str = "chatgpt";
    const OPERATION: &'static str = "import.chatgpt";
    const COMMAND: &'static [&'static str] = &["import", "chatgpt"];
    const EXAMPLES: &'static str = r#"  scrubjay import chatgpt --dry-run ~/Downloads/chatgpt-export.zip
  scrubjay import chatgpt ~/Downloads/chatgpt-export.zip"#;
    const ABOUT: &'static str = "Bring in conversations from a ChatGPT data export.";
    const EXPECTS: &'static str =
        "the zip from Settings, Data controls, Export data; its folder; or conversations.json";

    fn recognises(export: &Export) -> bool {
        let mut files = export.called(is_conversations);
        files.any(|file| beginning(export, file).is_some_and(|head| head.contains("\"mapping\"")))
    }

    fn read(export: &Export, sink: &mut Sink<'_>) -> Result<()> {
        let files: Vec<String> = export.called(is_conversations).map(str::to_owned).collect();
        for file in files {
            each_element(export, &file, sink, |sink, number, conversation| {
                read_conversation(&file, number, &conversation, sink)
            })?;
        }
        Ok(())
    }
}

/// `conversations.json`, or one of the parts that large exports come in.
pub(super) fn is_conversations(name: &str) -> bool {
    name.starts_with("conversations") && name.ends_with(".json")
}

/// The first bytes of a file, for telling what it is.
pub(super) fn beginning(export: &Export, file: &str) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    let read = export.read(file, |reader: &mut dyn Read| {
        let _ = reader.take(64 * 1024).read_to_end(&mut bytes);
        Ok::<_, scrubjay_ingest::export::ExportError>(())
    });
    read.ok().map(|()| String::from_utf8_lossy(&bytes).into_owned())
}

fn read_conversation(file: &str, number: usize, conversation: &Value, sink: &mut Sink<'_>) -> Result<()> {
    let title = text(conversation, "title");
    let id = first_text(conversation, &["conversation_id", "id"]);
    let (Some(id), Some(mapping)) = (id, conversation.get("mapping").and_then(Value::as_object)) else {
        return sink.skip(RecordLocation::new(file, format!("conversation {number}")), "it has no id or no messages");
    };
    for node_id in seen_last(conversation, mapping) {
        let Some(message) = mapping.get(node_id).and_then(|node| node.get("message")).filter(|one| one.is_object())
        else {
            continue;
        };
        if message.pointer("/metadata/is_visually_hidden_from_conversation") == Some(&Value::Bool(true)) {
            sink.pass_over("hidden in the conversation")?;
            continue;
        }
        let speaker = match message.pointer("/author/role").and_then(Value::as_str) {
            Some("user") => Speaker::User,
            Some("assistant") => Speaker::Assistant,
            Some("tool") => Speaker::Tool,
            _ => Speaker::System,
        };
        // What a model writes to a tool is not said to anyone.
        if speaker == Speaker::Assistant && text(message, "recipient").is_some_and(|recipient| recipient != "all") {
            sink.pass_over("calls of tools")?;
            continue;
        }
        let Some(content) = content(message.get("content").unwrap_or(&Value::Null)) else {
            sink.pass_over("images, files and what else has no text")?;
            continue;
        };
        let message_id = text(message, "id").unwrap_or(node_id);
        let place = RecordLocation::new(file, format!("conversation {id}, message {message_id}"));
        sink.put(Record {
            session: Some(format!("chatgpt-{id}")),
            speaker: Some(speaker),
            time: time(message, "create_time").or_else(|| time(conversation, "create_time")),
            ..Record::episode(place, message_id.to_owned(), content).with("title", title)
        })?;
    }
    Ok(())
}

// The nodes from the first to the one that was shown last. Without a last one, the last child each time.
fn seen_last<'a>(conversation: &'a Value, mapping: &'a serde_json::Map<String, Value>) -> Vec<&'a str> {
    let mut way = Vec::new();
    let mut seen = HashSet::new();
    let mut next = text(conversation, "current_node").filter(|id| mapping.contains_key(*id)).or_else(|| leaf(mapping));
    while let Some(id) = next {
        // A hostile file may go in circles.
        if !seen.insert(id) {
            break;
        }
        way.push(id);
        next = mapping.get(id).and_then(|node| text(node, "parent"));
    }
    way.reverse();
    way
}

fn leaf(mapping: &serde_json::Map<String, Value>) -> Option<&str> {
    let is_root = |node: &Value| text(node, "parent").is_none();
    let mut at = mapping.iter().find(|(_, node)| is_root(node)).map(|(id, _)| id.as_str())?;
    for _ in 0..mapping.len() {
        let child = mapping.get(at).and_then(|node| node.get("children")?.as_array()?.last()?.as_str());
        match child.filter(|child| mapping.contains_key(*child)) {
            Some(child) => at = child,
            None => break,
        }
    }
    Some(at)
}

fn content(content: &Value) -> Option<String> {
    let kind = text(content, "content_type").unwrap_or("text");
    let parts = content.get("parts").and_then(Value::as_array).into_iter().flatten();
    let words = match kind {
        // Parts that are objects are images and files, or hold the words of someone who spoke.
        "text" | "multimodal_text" => {
            parts.filter_map(|part| part.as_str().or_else(|| text(part, "text"))).collect::<Vec<_>>().join("\n")
        }
        "code" => text(content, "text").unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    (!words.trim().is_empty()).then_some(words)
}
