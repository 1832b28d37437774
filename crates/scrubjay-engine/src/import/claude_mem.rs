//! claude-mem: its database, `claude-mem.db`.
//!
//! Observations and summaries are what a model wrote about the work, prompts are
//! what the person said, directives are standing rules. Sessions have two names,
//! that of the client and its own; ours is the client's, so that what hooks and
//! transcripts say about a session stands beside it.

use std::collections::HashMap;
use std::path::Path;

use scrubjay_core::memory::Kind;
use scrubjay_ingest::export::Export;
use scrubjay_store::foreign::ForeignDatabase;
use serde_json::{Map, Value};

use super::importer::{Importer, Record, RecordLocation, Sink, Speaker};
use super::json::{first_text, tag, text, time};
use crate::Result;

const FILE: &str = "claude-mem.db";

/// claude-mem.
pub struct ClaudeMem;

impl Importer for ClaudeMem {
    const NAME: &'static str = "claude-mem";
    const OPERATION: &'static str = "import.claude-mem";
    const COMMAND: &'static [&'static str] = &["import", "claude-mem"];
    const EXAMPLES: &'static str = r#"  scrubjay import claude-mem --dry-run ~/.claude-mem
  scrubjay import claude-mem --project app-1a2b3c4d --only app ~/.claude-mem"#;
    const ABOUT: &'static str = "Bring in observations, summaries, prompts and directives of claude-mem.";
    const EXPECTS: &'static str = "claude-mem.db, or the folder it is in (usually ~/.claude-mem)";

    fn recognises(export: &Export) -> bool {
        database(export).is_some()
    }

    fn read(export: &Export, sink: &mut Sink<'_>) -> Result<()> {
        let Some((file, path)) = database(export) else { return Ok(()) };
        let database = ForeignDatabase::open(&path)?;
        let sessions = sessions(&database, &path)?;
        let reading = Reading { file, sessions };
        database.rows(&path, "observations", |row| reading.observation(&Value::Object(row), sink))?;
        database.rows(&path, "session_summaries", |row| reading.summary(&Value::Object(row), sink))?;
        database.rows(&path, "user_prompts", |row| reading.prompt(&Value::Object(row), sink))?;
        database.rows(&path, "directives", |row| reading.directive(&Value::Object(row), sink))?;
        Ok(())
    }
}

// The database by that name, or the one file that was named.
fn database(export: &Export) -> Option<(String, std::path::PathBuf)> {
    let is_named = |name: &str| name == FILE || (export.names().len() == 1 && name.ends_with(".db"));
    let file = export.called(is_named).next()?.to_owned();
    let path = export.path_of(&file)?;
    Some((file, path))
}

#[derive(Clone)]
struct Session {
    id: String,
    project: String,
}

// Sessions by both of their names; older versions called these otherwise.
fn sessions(database: &ForeignDatabase, path: &Path) -> Result<HashMap<String, Session>> {
    let mut sessions = HashMap::new();
    database.rows(path, "sdk_sessions", |row: Map<String, Value>| {
        let row = Value::Object(row);
        let own = first_text(&row, &["memory_session_id", "sdk_session_id"]);
        let Some(id) = first_text(&row, &["content_session_id", "claude_session_id"]).or(own) else {
            return Ok::<_, crate::EngineError>(());
        };
        let project = text(&row, "project").unwrap_or_default().to_owned();
        let session = Session { id: id.to_owned(), project };
        for name in [Some(id), own].into_iter().flatten() {
            sessions.insert(name.to_owned(), session.clone());
        }
        Ok(())
    })?;
    Ok(sessions)
}

struct Reading {
    file: String,
    sessions: HashMap<String, Session>,
}

impl Reading {
    fn observation(&self, row: &Value, sink: &mut Sink<'_>) -> Result<()> {
        let mut content = first_text(row, &["title", "text"]).unwrap_or_default().to_owned();
        for words in [text(row, "subtitle"), text(row, "narrative").or_else(|| text(row, "text"))].into_iter().flatten()
        {
            if !content.contains(words) {
                content.push('\n');
                content.push_str(words);
            }
        }
        for fact in list(row, "facts") {
            content.push_str("\n- ");
            content.push_str(&fact);
        }
        let kind = text(row, "type").unwrap_or("discovery");
        let record = self.record(row, "observation", content);
        let tags = list(row, "concepts").iter().map(|concept| tag(concept)).collect();
        let files = list(row, "files_modified").join(", ");
        sink.put(Record {
            // What was decided holds; the rest is what happened.
            kind: if kind == "decision" { Kind::Fact } else { Kind::Episode },
            memory_type: Some(memory_type(kind).to_owned()),
            speaker: Some(Speaker::Assistant),
            tags,
            ..record.with("files", Some(&files)).with("observation", Some(kind))
        })
    }

    fn summary(&self, row: &Value, sink: &mut Sink<'_>) -> Result<()> {
        let parts = [
            ("request", "Asked for"),
            ("investigated", "Looked into"),
            ("learned", "Learned"),
            ("completed", "Done"),
            ("next_steps", "Next"),
            ("notes", "Notes"),
        ];
        let told = parts.iter().filter_map(|(field, title)| Some(format!("{title}: {}", text(row, field)?)));
        let content = told.collect::<Vec<_>>().join("\n");
        sink.put(Record {
            memory_type: Some("task_complete".to_owned()),
            speaker: Some(Speaker::Assistant),
            ..self.record(row, "summary", content)
        })
    }

    fn prompt(&self, row: &Value, sink: &mut Sink<'_>) -> Result<()> {
        let content = text(row, "prompt_text").unwrap_or_default().to_owned();
        sink.put(Record { speaker: Some(Speaker::User), ..self.record(row, "prompt", content) })
    }

    fn directive(&self, row: &Value, sink: &mut Sink<'_>) -> Result<()> {
        if text(row, "status").is_some_and(|status| status != "active") {
            return sink.pass_over("no longer active there");
        }
        let content = text(row, "content").unwrap_or_default().to_owned();
        let record = self.record(row, "directive", content);
        sink.put(Record { kind: Kind::Fact, memory_type: Some("convention".to_owned()), session: None, ..record })
    }

    fn record(&self, row: &Value, table: &str, content: String) -> Record {
        let id = row.get("id").map(ToString::to_string).unwrap_or_default();
        let named = ["content_session_id", "claude_session_id", "memory_session_id", "sdk_session_id"];
        let name = first_text(row, &named);
        let session = name.and_then(|name| self.sessions.get(name));
        let project = first_text(row, &["merged_into_project", "project"])
            .or_else(|| session.map(|session| session.project.as_str()))
            .filter(|project| !project.is_empty());
        Record {
            session: session.map(|session| session.id.clone()).or_else(|| name.map(str::to_owned)),
            time: time(row, "created_at_epoch").or_else(|| time(row, "created_at")),
            group: project.map(str::to_owned),
            group_is_project: true,
            ..Record::episode(
                RecordLocation::new(&self.file, format!("{table} {id}")),
                format!("{table}:{id}"),
                content,
            )
        }
    }
}

fn memory_type(kind: &str) -> &str {
    match kind {
        "bugfix" => "failure",
        "feature" | "change" | "refactor" => "milestone",
        "discovery" => "insight",
        other => other,
    }
}

// Lists are kept as JSON in a text.
fn list(row: &Value, field: &str) -> Vec<String> {
    let parsed: Option<Vec<Value>> = text(row, field).and_then(|text| serde_json::from_str(text).ok());
    parsed.into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}
