//! OpenMemory: the zip of its export, with `memories.json` (everything, by
//! tables) and `memories.jsonl.gz` (one memory a line).

use std::collections::BTreeMap;

use scrubjay_ingest::export::Export;
use serde_json::Value;

use super::importer::{Importer, Record, RecordLocation, Sink};
use super::json::{each_item, tag, text, texts, time};
use crate::Result;

/// OpenMemory.
pub struct OpenMemory;

impl Importer for OpenMemory {
    const NAME: &'static str = "openmemory";
    const OPERATION: &'static str = "import.openmemory";
    const COMMAND: &'static [&'static str] = &["import", "openmemory"];
    const EXAMPLES: &'static str = "  scrubjay import openmemory memories_export_ada.zip";
    const ABOUT: &'static str = "Bring in memories from an OpenMemory export.";
    const EXPECTS: &'static str = "the zip that its export gives, memories.json or memories.jsonl.gz";

    fn recognises(export: &Export) -> bool {
        lines(export).is_some()
            || tables(export).is_some_and(|file| {
                let head = super::chatgpt::beginning(export, file).unwrap_or_default();
                head.contains("\"apps\"") || head.contains("\"category_ids\"") || head.contains("\"export_meta\"")
            })
    }

    fn read(export: &Export, sink: &mut Sink<'_>) -> Result<()> {
        // Both files hold the same memories; the tables have more about them.
        if let Some(file) = tables(export).map(str::to_owned) {
            let (mut categories, mut apps) = (BTreeMap::new(), BTreeMap::new());
            for (list, names) in [("categories", &mut categories), ("apps", &mut apps)] {
                each_item(export, &file, &[list], sink, |_, _, item| {
                    if let (Some(id), Some(name)) = (text(item, "id"), text(item, "name")) {
                        names.insert(id.to_owned(), name.to_owned());
                    }
                    Ok(())
                })?;
            }
            return each_item(export, &file, &["memories"], sink, |sink, number, memory| {
                let labels: Vec<String> =
                    texts(memory, "category_ids").iter().filter_map(|id| categories.get(id).cloned()).collect();
                let app = text(memory, "app_id").and_then(|id| apps.get(id).cloned());
                read_memory(&file, number, memory, &labels, app, sink)
            });
        }
        let Some(file) = lines(export).map(str::to_owned) else { return Ok(()) };
        each_item(export, &file, &[], sink, |sink, number, memory| {
            let app = text(memory, "app").map(str::to_owned);
            read_memory(&file, number, memory, &texts(memory, "categories"), app, sink)
        })
    }
}

fn tables(export: &Export) -> Option<&str> {
    export.called(|name| name == "memories.json").next()
}

fn lines(export: &Export) -> Option<&str> {
    export.called(|name| name == "memories.jsonl.gz" || name == "memories.jsonl").next()
}

fn read_memory(
    file: &str,
    number: usize,
    memory: &Value,
    categories: &[String],
    app: Option<String>,
    sink: &mut Sink<'_>,
) -> Result<()> {
    let (Some(id), Some(content)) = (text(memory, "id"), text(memory, "content")) else {
        return sink.skip(RecordLocation::new(file, format!("memory {number}")), "it has no `id` or no `content`");
    };
    match text(memory, "state") {
        Some("deleted") => return sink.pass_over("deleted there"),
        Some("archived") => return sink.pass_over("archived there"),
        _ => {}
    }
    let metadata = memory.get("metadata").filter(|metadata| metadata.as_object().is_some_and(|map| !map.is_empty()));
    let mut record = Record::fact(RecordLocation::new(file, format!("memory {id}")), id.to_owned(), content.to_owned());
    if let Some(metadata) = metadata {
        record.attributes.insert("metadata".to_owned(), metadata.clone());
    }
    record = record.with("app", app.as_deref());
    sink.put(Record {
        time: time(memory, "updated_at").or_else(|| time(memory, "created_at")),
        tags: categories.iter().map(|category| tag(category)).collect(),
        group: app,
        ..record
    })
}
