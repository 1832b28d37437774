//! Taking everything along.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use scrubjay_core::filter::{Cursor, Field, Filter, Order};
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_store::query::{Activity, ListQuery};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::sessions::SessionRecord;
use super::{EntityRecord, LinkRecord, MemoryRecord};
use crate::{Ctx, EngineError, Result};

/// How many records one page holds.
const PAGE: usize = 500;

/// The version of the JSONL format.
pub(super) const FORMAT_VERSION: u64 = 1;

/// Write memories, links, entities and sessions as JSONL, or memories as Markdown.
///
/// The answer comes in pages of lines; the command line joins them. JSONL can be imported again without loss; Markdown is for reading.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExportInput {
    /// jsonl or markdown.
    #[schemars(extend("enum" = ["jsonl", "markdown"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Every project of the store, not just the one at hand.
    pub all_projects: bool,
    /// Only what is active.
    pub active_only: bool,
    /// Where to go on, as the last answer's `next` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"hide": true}))]
    pub cursor: Option<String>,
}

/// A page of lines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExportOutput {
    /// The lines.
    pub lines: Vec<String>,
    /// Where to go on; null at the end.
    pub next: Option<String>,
}

/// `export`.
pub struct Export;

impl Operation for Export {
    type Input = ExportInput;
    type Output = ExportOutput;
    const NAME: &'static str = "export";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["export"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = r#"  scrubjay export --output memories.jsonl
  scrubjay export --format markdown | less
  scrubjay export --all-projects | gzip > everything.jsonl.gz"#;

    async fn run(ctx: &Ctx, input: ExportInput) -> Result<ExportOutput> {
        let format = match input.format.as_deref() {
            None | Some("jsonl") => Format::Jsonl,
            Some("markdown") => Format::Markdown,
            Some(other) => {
                return Err(EngineError::invalid(format!("`{other}` is not a format; use jsonl or markdown")));
            }
        };
        let scopes = if input.all_projects {
            ctx.need_owner("exporting every project")?;
            ctx.store().await?.all_scopes().await?
        } else {
            let mut scopes = ctx.view().scopes();
            scopes.reverse();
            scopes
        };
        let place = match &input.cursor {
            Some(text) => ExportPosition::decode(text)?,
            None => ExportPosition { scope: None, part: ExportStage::Sessions, after: None },
        };
        let mut output = ExportOutput::default();
        if input.cursor.is_none() {
            output.lines.push(match format {
                Format::Jsonl => json!({"record": "scrubjay-export", "version": FORMAT_VERSION}).to_string(),
                Format::Markdown => "# Memories".to_owned(),
            });
        }
        if let Some((place, at)) = place.settle(&scopes) {
            let activity = if input.active_only { Activity::Active } else { Activity::Any };
            let after = page(ctx, &scopes[at], &place, format, activity, &mut output.lines).await?;
            output.next = place.next(after, &scopes[at], scopes.get(at + 1)).map(|place| place.encode());
        }
        Ok(output)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Jsonl,
    Markdown,
}

// Links come last, so that both ends are there when they are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExportStage {
    Sessions,
    Entities,
    Memories,
    Links,
}

// Everything in it is a key: what comes or goes between two pages moves nothing else.
struct ExportPosition {
    // None where a part begins.
    scope: Option<Scope>,
    part: ExportStage,
    after: Option<String>,
}

impl ExportPosition {
    // The scope to go on in, by its place among those that there are now. One that is gone gives way to the next.
    fn settle(self, scopes: &[Scope]) -> Option<(Self, usize)> {
        let Some(scope) = &self.scope else { return (!scopes.is_empty()).then_some((self, 0)) };
        if let Some(at) = scopes.iter().position(|other| other == scope) {
            return Some((self, at));
        }
        let name = scope.to_string();
        match (scopes.iter().position(|other| other.to_string() > name), self.part) {
            (Some(at), ExportStage::Links) => Some((Self { scope: None, part: ExportStage::Links, after: None }, at)),
            (Some(at), _) => Some((Self { scope: None, part: ExportStage::Sessions, after: None }, at)),
            (None, ExportStage::Links) => None,
            (None, _) => {
                (!scopes.is_empty()).then_some((Self { scope: None, part: ExportStage::Links, after: None }, 0))
            }
        }
    }

    fn next(&self, after: Option<String>, scope: &Scope, following: Option<&Scope>) -> Option<Self> {
        if after.is_some() {
            return Some(Self { scope: Some(scope.clone()), part: self.part, after });
        }
        // All scopes' memories before any links, which may cross scopes.
        let (scope, part) = match (self.part, following) {
            (ExportStage::Sessions, _) => (Some(scope), ExportStage::Entities),
            (ExportStage::Entities, _) => (Some(scope), ExportStage::Memories),
            (ExportStage::Memories, Some(following)) => (Some(following), ExportStage::Sessions),
            (ExportStage::Memories, None) => (None, ExportStage::Links),
            (ExportStage::Links, Some(following)) => (Some(following), ExportStage::Links),
            (ExportStage::Links, None) => return None,
        };
        Some(Self { scope: scope.cloned(), part, after: None })
    }

    fn encode(&self) -> String {
        let part = match self.part {
            ExportStage::Sessions => "s",
            ExportStage::Entities => "e",
            ExportStage::Memories => "m",
            ExportStage::Links => "l",
        };
        json!([part, self.scope.as_ref().map(Scope::to_string), self.after]).to_string()
    }

    fn decode(text: &str) -> Result<Self> {
        let wrong = || EngineError::invalid("the cursor does not belong to an export; start again without it");
        let (part, scope, after): (String, Option<String>, Option<String>) =
            serde_json::from_str(text).map_err(|_| wrong())?;
        let part = match part.as_str() {
            "s" => ExportStage::Sessions,
            "e" => ExportStage::Entities,
            "m" => ExportStage::Memories,
            "l" => ExportStage::Links,
            _ => return Err(wrong()),
        };
        Ok(Self { scope: scope.map(|name| name.parse()).transpose().map_err(|_| wrong())?, part, after })
    }
}

// Adds the lines of one page; says where the part goes on.
async fn page(
    ctx: &Ctx,
    scope: &Scope,
    place: &ExportPosition,
    format: Format,
    activity: Activity,
    lines: &mut Vec<String>,
) -> Result<Option<String>> {
    let store = ctx.store().await?;
    let view = View::of(scope);
    match (place.part, format) {
        (ExportStage::Memories, _) => {
            let page = store.list(&view, memories(scope, activity, place.after.as_deref())?).await?;
            if format == Format::Markdown && place.after.is_none() && !page.memories.is_empty() {
                lines.push(format!("\n## {scope}\n"));
            }
            for memory in &page.memories {
                let record = MemoryRecord::at(memory, ctx.now());
                lines.push(match format {
                    Format::Jsonl => line("memory", &record)?,
                    Format::Markdown => markdown(&record),
                });
            }
            Ok(page.next.map(|cursor| cursor.encode()))
        }
        (_, Format::Markdown) => Ok(None),
        (ExportStage::Sessions, Format::Jsonl) => {
            let found = store.sessions_by_id(scope, place.after.as_deref(), PAGE).await?;
            for session in &found {
                lines.push(line("session", &SessionRecord::from(session))?);
            }
            Ok(found.last().filter(|_| found.len() == PAGE).map(|last| last.session_id.clone()))
        }
        (ExportStage::Entities, Format::Jsonl) => {
            let after: Option<EntityId> =
                place.after.as_deref().map(str::parse).transpose().map_err(EngineError::invalid)?;
            let found = store.entities_by_id(scope, after, PAGE).await?;
            for entity in &found {
                lines.push(line("entity", &EntityRecord::from(entity))?);
            }
            Ok(found.last().filter(|_| found.len() == PAGE).map(|last| last.id.to_string()))
        }
        (ExportStage::Links, Format::Jsonl) => {
            let page = store.list(&view, memories(scope, activity, place.after.as_deref())?).await?;
            let here: BTreeSet<MemoryId> = page.memories.iter().map(|memory| memory.id).collect();
            for link in store.links_of(&view, here.iter().copied().collect()).await? {
                // A link belongs to the scope of its start, but one from an
                // outer scope is only seen from here.
                let own = here.contains(&link.from)
                    || store.get(&view, link.from).await?.is_some_and(|from| from.scope != *scope);
                if own {
                    lines.push(line("link", &LinkRecord::from(&link))?);
                }
            }
            Ok(page.next.map(|cursor| cursor.encode()))
        }
    }
}

fn memories(scope: &Scope, activity: Activity, after: Option<&str>) -> Result<ListQuery> {
    let order = Order { field: Field::Id, ascending: true };
    Ok(ListQuery {
        filter: Filter::default().and_equal(Field::Scope, scope.to_string()),
        activity,
        entity: None,
        after: after.map(|text| Cursor::decode(text, &order)).transpose().map_err(EngineError::invalid)?,
        order,
        limit: PAGE,
    })
}

fn line(record: &str, value: &impl Serialize) -> Result<String> {
    let encode = |source| EngineError::Encode { operation: Export::NAME, source };
    let mut fields = serde_json::Map::from_iter([("record".to_owned(), Value::from(record))]);
    if let Value::Object(rest) = serde_json::to_value(value).map_err(encode)? {
        fields.extend(rest);
    }
    serde_json::to_string(&fields).map_err(encode)
}

fn markdown(record: &MemoryRecord) -> String {
    let day: String = record.event_time.chars().take(10).collect();
    let who = record.role.as_ref().map_or_else(String::new, |role| format!(" · {role}"));
    let tags: String = record.tags.iter().map(|tag| format!(" #{tag}")).collect();
    let ended = record.ended_by.as_ref().map_or_else(String::new, |by| format!(" · {by}"));
    let text = record.content.replace('\n', "\n  ");
    format!("- **{}**{who} · {day}{ended}{tags}: {text} <!-- {} -->", record.memory_type, record.id)
}
