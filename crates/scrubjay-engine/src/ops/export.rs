//! Taking everything along.

use schemars::JsonSchema;
use scrubjay_core::filter::{Cursor, Field, Filter, Order};
use scrubjay_core::scope::{Scope, View};
use scrubjay_store::query::{Activity, EntityQuery, ListQuery};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::operation::{Operation, Risk, Surfaces};
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
            Some(text) => Place::decode(text)?,
            None => Place { scope: 0, part: Part::Sessions, after: None },
        };
        let mut output = ExportOutput::default();
        if input.cursor.is_none() {
            output.lines.push(match format {
                Format::Jsonl => json!({"record": "scrubjay-export", "version": FORMAT_VERSION}).to_string(),
                Format::Markdown => "# Memories".to_owned(),
            });
        }
        if let Some(scope) = scopes.get(place.scope) {
            let activity = if input.active_only { Activity::Active } else { Activity::Any };
            let after = page(ctx, scope, &place, format, activity, &mut output.lines).await?;
            output.next = place.next(after, scopes.len()).map(|place| place.encode());
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
enum Part {
    Sessions,
    Entities,
    Memories,
    Links,
}

struct Place {
    scope: usize,
    part: Part,
    after: Option<String>,
}

impl Place {
    fn next(&self, after: Option<String>, scopes: usize) -> Option<Self> {
        if after.is_some() {
            return Some(Self { scope: self.scope, part: self.part, after });
        }
        // All scopes' memories before any links, which may cross scopes.
        let last = self.scope + 1 == scopes;
        let (scope, part) = match (self.part, last) {
            (Part::Sessions, _) => (self.scope, Part::Entities),
            (Part::Entities, _) => (self.scope, Part::Memories),
            (Part::Memories, false) => (self.scope + 1, Part::Sessions),
            (Part::Memories, true) => (0, Part::Links),
            (Part::Links, false) => (self.scope + 1, Part::Links),
            (Part::Links, true) => return None,
        };
        Some(Self { scope, part, after: None })
    }

    fn encode(&self) -> String {
        let part = match self.part {
            Part::Sessions => "s",
            Part::Entities => "e",
            Part::Memories => "m",
            Part::Links => "l",
        };
        format!("{}-{part}-{}", self.scope, self.after.as_deref().unwrap_or(""))
    }

    fn decode(text: &str) -> Result<Self> {
        let wrong = || EngineError::invalid("the cursor does not belong to an export; start again without it");
        let mut parts = text.splitn(3, '-');
        let scope = parts.next().and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
        let part = match parts.next() {
            Some("s") => Part::Sessions,
            Some("e") => Part::Entities,
            Some("m") => Part::Memories,
            Some("l") => Part::Links,
            _ => return Err(wrong()),
        };
        let after = parts.next().ok_or_else(wrong)?;
        Ok(Self { scope, part, after: (!after.is_empty()).then(|| after.to_owned()) })
    }
}

// Adds the lines of one page; says where the part goes on.
async fn page(
    ctx: &Ctx,
    scope: &Scope,
    place: &Place,
    format: Format,
    activity: Activity,
    lines: &mut Vec<String>,
) -> Result<Option<String>> {
    let store = ctx.store().await?;
    let view = View::of(scope);
    let offset = || super::entities::offset(place.after.as_deref());
    match (place.part, format) {
        (Part::Memories, _) => {
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
        (Part::Sessions, Format::Jsonl) => {
            let offset = offset()?;
            let mut found = store.sessions(&view, PAGE + 1, offset).await?;
            let more = found.len() > PAGE;
            found.truncate(PAGE);
            for session in found.iter().filter(|session| session.scope == *scope) {
                lines.push(line("session", &SessionRecord::from(session))?);
            }
            Ok(more.then(|| (offset + PAGE).to_string()))
        }
        (Part::Entities, Format::Jsonl) => {
            let offset = offset()?;
            let page = store.entities(&view, EntityQuery { limit: PAGE, offset, ..EntityQuery::default() }).await?;
            for entity in page.entities.iter().filter(|entity| entity.scope == *scope) {
                lines.push(line("entity", &EntityRecord::from(entity))?);
            }
            Ok(page.more.then(|| (offset + PAGE).to_string()))
        }
        (Part::Links, Format::Jsonl) => {
            let page = store.list(&view, memories(scope, activity, place.after.as_deref())?).await?;
            for memory in &page.memories {
                for link in store.links(&view, memory.id).await? {
                    // A link belongs to the scope of its start, but one from an
                    // outer scope is only seen from here.
                    let own = link.from == memory.id
                        || store.get(&View::of(scope), link.from).await?.is_some_and(|from| from.scope != *scope);
                    if own {
                        lines.push(line("link", &LinkRecord::from(&link))?);
                    }
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
