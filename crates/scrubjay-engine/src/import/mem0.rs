//! mem0: what `get_all` or an export job gives, saved as JSON.
//!
//! Memories stand in a list, under `results` or `memories`, or one per line.
//! With graph memory there are also `relations`.

use scrubjay_core::entity::EntityType;
use scrubjay_ingest::export::Export;
use serde_json::Value;

use super::chatgpt::beginning;
use super::importer::{Importer, Record, RecordLocation, Sink};
use super::json::{each_item, each_sound_item, first_text, tag, text, texts, time};
use super::markdown::digest;
use crate::Result;

/// mem0.
pub struct Mem0;

impl Importer for Mem0 {
    const NAME: &'static str = "mem0";
    const OPERATION: &'static str = "import.mem0";
    const COMMAND: &'static [&'static str] = &["import", "mem0"];
    const EXAMPLES: &'static str = r#"  python3 -c 'import json; from mem0 import Memory; print(json.dumps(Memory().get_all(user_id="ada")))' > mem0.json
  scrubjay import mem0 mem0.json"#;
    const ABOUT: &'static str = "Bring in memories of mem0, saved from get_all or an export job as JSON.";
    const EXPECTS: &'static str = "a JSON file, or a folder with them";

    fn recognises(export: &Export) -> bool {
        let mut files = export.called(is_json);
        files.any(|file| {
            let head = beginning(export, file).unwrap_or_default();
            head.contains("\"memory\"") && (head.contains("\"user_id\"") || head.contains("\"hash\""))
        })
    }

    fn read(export: &Export, sink: &mut Sink<'_>) -> Result<()> {
        let files: Vec<String> = export.called(is_json).map(str::to_owned).collect();
        for file in files {
            each_item(export, &file, &["results", "memories"], sink, |sink, number, memory| {
                read_memory(&file, number, memory, sink)
            })?;
            // A list of relations stands beside the memories, not among them. What cannot be read was told.
            each_sound_item(export, &file, &["relations"], |number, relation| {
                read_relation(&file, number, relation, sink)
            })?;
        }
        Ok(())
    }
}

fn is_json(name: &str) -> bool {
    name.ends_with(".json") || name.ends_with(".jsonl")
}

fn read_memory(file: &str, number: usize, memory: &Value, sink: &mut Sink<'_>) -> Result<()> {
    if is_relation(memory) || (memory.get("relations").is_some() && text(memory, "memory").is_none()) {
        return Ok(());
    }
    let Some(content) = first_text(memory, &["memory", "text", "content", "data"]) else {
        return sink.skip(RecordLocation::new(file, format!("memory {number}")), "it has no field `memory`");
    };
    let key = text(memory, "id").map_or_else(|| digest(content), str::to_owned);
    let metadata = memory.get("metadata").cloned().unwrap_or(Value::Null);
    let mut record = Record::fact(RecordLocation::new(file, format!("memory {key}")), key, content.to_owned());
    for field in ["user_id", "agent_id", "app_id", "run_id"] {
        record = record.with(field, text(memory, field));
    }
    record.time = time(memory, "updated_at").or_else(|| time(memory, "created_at"));
    record.tags = texts(memory, "categories").iter().map(|category| tag(category)).collect();
    record.group = text(memory, "app_id").map(str::to_owned);
    if metadata.as_object().is_some_and(|fields| !fields.is_empty()) {
        record.attributes.insert("metadata".to_owned(), metadata);
    }
    sink.put(record)
}

fn is_relation(value: &Value) -> bool {
    text(value, "source").is_some() && first_text(value, &["relationship", "relation"]).is_some()
}

fn read_relation(file: &str, number: usize, relation: &Value, sink: &mut Sink<'_>) -> Result<()> {
    let words = (
        text(relation, "source"),
        first_text(relation, &["relationship", "relation"]),
        first_text(relation, &["target", "destination"]),
    );
    let (Some(source), Some(verb), Some(target)) = words else { return Ok(()) };
    let content = format!("{source} {} {target}", verb.replace('_', " "));
    let key = format!("relation:{}", digest(&content));
    let names = vec![(source.to_owned(), EntityType::Other), (target.to_owned(), EntityType::Other)];
    sink.put(Record { names, ..Record::fact(RecordLocation::new(file, format!("relation {number}")), key, content) })
}
