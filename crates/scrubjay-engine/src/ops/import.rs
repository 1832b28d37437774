//! Bringing memories in.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::entity::{Entity, EntityType};
use scrubjay_core::id::EntityId;
use scrubjay_core::memory::{self, Kind, Memory, Origin, OriginKind};
use scrubjay_core::scope::{Scope, View};
use scrubjay_ingest::source::knowledge_graph::{self, GraphLine};
use scrubjay_store::StoreError;
use scrubjay_store::change::{Applied, Change, NewMemory, NewMention, Stamp};
use scrubjay_store::query::Session;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::operation::{Group, Operation, Risk, Surfaces};
use super::sessions::SessionRecord;
use super::{EntityRecord, LinkRecord, MemoryRecord};
use crate::capture::{Draft, clean, clean_id, clean_label, mentions, names_in, prepare};
use crate::clean::clean_attributes;
use crate::confine::is_high_risk;
use crate::queue::after_writing;
use crate::record::{memory_id, time};
use crate::{Ctx, EngineError, Result};

/// How many lines one call takes.
const AT_MOST: usize = 5000;

/// Why a line is not taken from whoever is not the owner.
const GLOBAL: &str = "it holds for all projects, so only the owner of the store may import it";

/// Bring memories in: an export of ours, or a knowledge graph of the MCP memory server.
///
/// Everything goes to the project at hand, except what was global. Secrets are taken out on the way. Importing the same file again changes nothing. From anyone but the owner of the store, what holds for all projects is passed over, and the rest is kept as imported, whatever the file says about where it came from.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ImportInput {
    /// The lines of the file; the command line reads them from a file and sends them in parts.
    #[schemars(extend("x-cli" = {"hide": true}))]
    pub lines: Vec<String>,
    /// The number of the first of these lines in the file, from 1.
    #[schemars(extend("x-cli" = {"hide": true}))]
    pub first_line: usize,
    /// jsonl, server-memory, or auto to tell by the contents.
    #[schemars(extend("enum" = ["auto", "jsonl", "server-memory"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Put each memory back into the project it came from.
    pub keep_projects: bool,
    /// Only say what would be imported.
    pub dry_run: bool,
    /// The run of the part of the same import that came before, so that all of it is undone together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"hide": true}))]
    pub run: Option<String>,
}

/// What was imported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportOutput {
    /// New memories.
    pub memories: usize,
    /// Memories that were here already.
    pub duplicates: usize,
    /// Those among them that were forgotten or otherwise ended here, and stay so; `restore` brings one back.
    pub forgotten: Vec<String>,
    /// Links made.
    pub links: usize,
    /// Entities added or extended.
    pub entities: usize,
    /// Sessions restored.
    pub sessions: usize,
    /// Lines that were passed over.
    pub skipped: Vec<SkippedLine>,
    /// What was taken out or changed.
    pub warnings: Vec<String>,
    /// The run, for undoing the import whole.
    pub run: Option<String>,
}

/// A line that was passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedLine {
    /// Its number in the file, from 1.
    pub line: usize,
    /// Why.
    pub reason: String,
}

impl ImportOutput {
    // What is here already may have been forgotten here, while the file has it as active.
    fn known(&mut self, memory: &Memory, wanted_active: bool) {
        self.duplicates += 1;
        if wanted_active && !memory.is_active() {
            self.forgotten.push(memory.id.to_string());
        }
    }
}

/// `import`.
pub struct Import;

impl Operation for Import {
    type Input = ImportInput;
    type Output = ImportOutput;
    const NAME: &'static str = "import";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["import"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = r#"  scrubjay import memories.jsonl
  scrubjay import --dry-run memory.json
  gunzip -c everything.jsonl.gz | scrubjay import --keep-projects -"#;

    async fn run(ctx: &Ctx, input: ImportInput) -> Result<ImportOutput> {
        if input.lines.len() > AT_MOST {
            return Err(EngineError::invalid(format!(
                "{} lines at once, more than {AT_MOST}; send them in parts",
                input.lines.len()
            )));
        }
        if input.keep_projects {
            ctx.need_owner("importing into other projects")?;
        }
        let mut stamp = ctx.stamp(Self::NAME)?;
        if let Some(run) = &input.run {
            let earlier = run.parse().map_err(EngineError::invalid)?;
            // A run with changes of two projects cannot be undone in either, so nobody may join another's.
            let within = (!input.keep_projects).then_some(ctx.view());
            if ctx.store().await?.continues(within, earlier, Self::NAME).await? {
                stamp.run = earlier;
            }
        }
        let mut output = ImportOutput::default();
        for (at, text) in input.lines.iter().enumerate() {
            if text.trim().is_empty() {
                continue;
            }
            let done = match parse(text, input.format.as_deref()) {
                Ok(line) => put(ctx, &stamp, line, &input, &mut output).await,
                Err(reason) => Err(EngineError::invalid(reason)),
            };
            match done {
                Ok(()) => {}
                Err(error @ EngineError::Store(_)) if !is_about_the_line(&error) => return Err(error),
                Err(error) => {
                    output.skipped.push(SkippedLine { line: input.first_line.max(1) + at, reason: error.to_string() });
                }
            }
        }
        // An import that brought nothing leaves nothing to undo.
        output.run =
            (output.memories + output.links > 0 && !input.dry_run).then(|| stamp.run.to_string()).or(input.run);
        Ok(output)
    }
}

enum Line {
    Header,
    Memory(Box<MemoryRecord>),
    Link(LinkRecord),
    Entity(EntityRecord),
    Session(SessionRecord),
    Graph(GraphLine),
}

// A full disk concerns the whole import; a missing link target one line of it.
fn is_about_the_line(error: &EngineError) -> bool {
    use StoreError::{Conflict, NotFound, OwnerOnly};
    matches!(error, EngineError::Store(NotFound { .. } | Conflict { .. } | OwnerOnly { .. }))
}

fn parse(text: &str, format: Option<&str>) -> std::result::Result<Line, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let ours = value.get("record").and_then(Value::as_str);
    match (format, ours) {
        (Some("server-memory"), _) | (None | Some("auto"), None) => {
            knowledge_graph::parse(&value).map(Line::Graph).map_err(|error| error.to_string())
        }
        (_, Some("scrubjay-export")) => match value.get("version").and_then(Value::as_u64) {
            Some(version) if version <= super::export::FORMAT_VERSION => Ok(Line::Header),
            _ => Err("the export was written by a newer version; please update".to_owned()),
        },
        (_, Some(record)) => {
            let wrong = |error: serde_json::Error| format!("not a {record}: {error}");
            match record {
                "memory" => {
                    serde_json::from_value(value.clone()).map(|memory| Line::Memory(Box::new(memory))).map_err(wrong)
                }
                "link" => serde_json::from_value(value.clone()).map(Line::Link).map_err(wrong),
                "entity" => serde_json::from_value(value.clone()).map(Line::Entity).map_err(wrong),
                "session" => serde_json::from_value(value.clone()).map(Line::Session).map_err(wrong),
                other => Err(format!("unknown record `{other}`")),
            }
        }
        (_, None) => Err("there is no `record` in it, so it is not from `scrubjay export`".to_owned()),
    }
}

async fn put(ctx: &Ctx, stamp: &Stamp, line: Line, input: &ImportInput, output: &mut ImportOutput) -> Result<()> {
    let store = ctx.store().await?;
    let redact = ctx.config().settings.capture.redact;
    match line {
        Line::Header => {}
        Line::Memory(record) => put_memory(ctx, stamp, &record, input, output).await?,
        Line::Link(record) => {
            let link = memory::Link {
                from: memory_id(&record.from)?,
                relation: record.relation.parse().map_err(EngineError::invalid)?,
                to: memory_id(&record.to)?,
            };
            if !input.dry_run {
                let view = if input.keep_projects { view_of_link(ctx, &link).await? } else { ctx.view().clone() };
                let applied = store.apply(&view, stamp.clone(), vec![Change::Link(link)], Vec::new()).await?;
                output.links += usize::from(matches!(applied.first(), Some(Applied::Link(true))));
            }
        }
        Line::Entity(record) => {
            let entity = Entity {
                id: EntityId::from(ctx.uuid()?),
                scope: place(ctx, &record.scope, input)?,
                name: clean_label(&record.name, redact),
                entity_type: record.entity_type.parse::<EntityType>().map_err(EngineError::invalid)?,
                aliases: record.aliases.iter().map(|alias| clean_label(alias, redact)).collect(),
                summary: record.summary.as_deref().map(|summary| clean_label(summary, redact)),
                mention_count: 0,
                protected: record.protected,
            };
            if !input.dry_run {
                store.upsert_entity(entity).await?;
            }
            output.entities += 1;
        }
        Line::Session(record) => {
            let session = Session {
                scope: place(ctx, &record.scope, input)?,
                first_seen: time(&record.first_seen)?,
                last_seen: time(&record.last_seen)?,
                ended_at: record.ended_at.as_deref().map(time).transpose()?,
                messages: 0,
                consolidated_through: record.consolidated_through.as_deref().map(memory_id).transpose()?,
                completed_at: record.completed_at.as_deref().map(time).transpose()?,
                session_id: clean_id(&record.session_id, redact),
            };
            if !input.dry_run {
                store.put_session(session).await?;
            }
            output.sessions += 1;
        }
        Line::Graph(graph) => put_graph(ctx, stamp, graph, input, output).await?,
    }
    Ok(())
}

async fn put_memory(
    ctx: &Ctx,
    stamp: &Stamp,
    record: &MemoryRecord,
    input: &ImportInput,
    output: &mut ImportOutput,
) -> Result<()> {
    let cleaned = clean(&record.content, ctx.config().settings.capture.redact);
    output.warnings.extend(cleaned.warnings.into_iter().map(|warning| format!("{}: {warning}", record.id)));
    if cleaned.text.is_empty() {
        return Err(EngineError::invalid("there is nothing in it to keep"));
    }
    let mut memory = record.to_memory(cleaned.text, place(ctx, &record.scope, input)?)?;
    if !ctx.is_person() {
        if is_high_risk(&memory.scope, &memory.memory_type, OriginKind::Import) {
            return Err(EngineError::refused(GLOBAL));
        }
        // A file that someone sends can say anything about where its lines came from.
        memory.origin = Origin::from(OriginKind::Import);
    }
    let redact = ctx.config().settings.capture.redact;
    memory.tags = memory.tags.iter().map(|tag| clean_label(tag, redact)).collect();
    memory.session_id = memory.session_id.map(|session| clean_id(&session, redact));
    memory.role = memory.role.map(|role| clean_label(&role, redact));
    memory.attributes = clean_attributes(memory.attributes, redact);
    let view = View::of(&memory.scope);
    let store = ctx.store().await?;
    if let Some(known) = store.get(&view, memory.id).await? {
        output.known(&known, memory.is_active());
        return Ok(());
    }
    if input.dry_run {
        output.memories += 1;
        return Ok(());
    }
    let wanted_active = memory.is_active();
    let new = NewMemory {
        mentions: mentions(ctx, &names_in(&memory.content))?,
        client_id: Some(format!("import:{}", record.id)),
        time_given: true,
        despite_purge: false,
        memory,
    };
    match create(ctx, stamp, new).await? {
        Applied::Duplicate(id) => match store.get(&view, id).await? {
            Some(known) => output.known(&known, wanted_active),
            None => output.duplicates += 1,
        },
        Applied::Purged => return Err(EngineError::refused("this text was purged here and is not kept again")),
        _ => output.memories += 1,
    }
    Ok(())
}

// An id that is taken, where we cannot see it, gets a new one.
async fn create(ctx: &Ctx, stamp: &Stamp, new: NewMemory) -> Result<Applied> {
    let store = ctx.store().await?;
    let view = View::of(&new.memory.scope);
    let jobs = after_writing(ctx, &new.memory.scope)?;
    let again =
        NewMemory { memory: Memory { id: ctx.memory_id(new.memory.kind())?, ..new.memory.clone() }, ..new.clone() };
    let first = store.apply(&view, stamp.clone(), vec![Change::Create(Box::new(new))], jobs.clone()).await;
    let applied = match first {
        Err(StoreError::Conflict { .. }) => {
            store.apply(&view, stamp.clone(), vec![Change::Create(Box::new(again))], jobs).await?
        }
        other => other?,
    };
    applied.into_iter().next().ok_or_else(|| EngineError::defect("nothing was stored"))
}

// Where a record goes: only the owner may put things into other projects, or among what holds for all of them.
fn place(ctx: &Ctx, scope: &str, input: &ImportInput) -> Result<Scope> {
    let scope: Scope = scope.parse().map_err(EngineError::invalid)?;
    match scope {
        Scope::Global if !ctx.may_write_in(&Scope::Global) => Err(EngineError::refused(GLOBAL)),
        Scope::Global => Ok(Scope::Global),
        kept if input.keep_projects => Ok(kept),
        Scope::Task(_, task) => match ctx.view().project_id() {
            Some(project) => Ok(Scope::Task(project.clone(), task)),
            None => Err(EngineError::invalid("a task's notes need a project to go to; use --project ID")),
        },
        Scope::Project(_) => match ctx.view().project_id() {
            Some(project) => Ok(Scope::Project(project.clone())),
            None => {
                Err(EngineError::invalid("it belongs to a project; say which one to put it into with --project ID"))
            }
        },
    }
}

async fn view_of_link(ctx: &Ctx, link: &memory::Link) -> Result<View> {
    let store = ctx.store().await?;
    for scope in store.all_scopes().await? {
        let view = View::of(&scope);
        if store.get(&view, link.from).await?.is_some() && store.get(&view, link.to).await?.is_some() {
            return Ok(view);
        }
    }
    Err(EngineError::not_found(format!("the ends of the link {} → {} are not here", link.from, link.to)))
}

async fn put_graph(
    ctx: &Ctx,
    stamp: &Stamp,
    graph: GraphLine,
    input: &ImportInput,
    output: &mut ImportOutput,
) -> Result<()> {
    let scope = ctx.view().home();
    let redact = ctx.config().settings.capture.redact;
    match graph {
        GraphLine::Entity { name, entity_type, observations } => {
            let (name, entity_type) = (clean_label(&name, redact), clean_label(&entity_type, redact));
            let known_type = knowledge_graph::entity_type(&entity_type);
            let attributes = BTreeMap::from([("entity_type".to_owned(), Value::from(entity_type))]);
            if observations.is_empty() && !input.dry_run {
                let entity = Entity {
                    id: EntityId::from(ctx.uuid()?),
                    scope: scope.clone(),
                    name: name.clone(),
                    entity_type: known_type,
                    aliases: Vec::new(),
                    summary: None,
                    mention_count: 0,
                    protected: false,
                };
                ctx.store().await?.upsert_entity(entity).await?;
            }
            output.entities += 1;
            for observation in observations {
                let content = knowledge_graph::sentence(&name, &observation);
                let named = vec![(name.clone(), known_type)];
                let statement = Statement { content, named, attributes: attributes.clone() };
                put_statement(ctx, stamp, &scope, statement, input, output).await?;
            }
        }
        GraphLine::Relation { from, to, relation } => {
            let (from, to) = (clean_label(&from, redact), clean_label(&to, redact));
            let relation = clean_label(&relation, redact);
            let content = format!("{from} {} {to}", relation.replace('_', " "));
            let attributes = BTreeMap::from([("relation".to_owned(), Value::from(relation))]);
            let named = vec![(from, EntityType::Other), (to, EntityType::Other)];
            let statement = Statement { content, named, attributes };
            put_statement(ctx, stamp, &scope, statement, input, output).await?;
        }
    }
    Ok(())
}

// What a line of a graph says, and about whom.
struct Statement {
    content: String,
    named: Vec<(String, EntityType)>,
    attributes: BTreeMap<String, Value>,
}

async fn put_statement(
    ctx: &Ctx,
    stamp: &Stamp,
    scope: &Scope,
    statement: Statement,
    input: &ImportInput,
    output: &mut ImportOutput,
) -> Result<()> {
    let Statement { content, named, attributes } = statement;
    let cleaned = clean(&content, ctx.config().settings.capture.redact);
    output.warnings.extend(cleaned.warnings);
    if input.dry_run {
        output.memories += 1;
        return Ok(());
    }
    let key = format!("server-memory:{}", scrubjay_core::text::TextHash::of_value(&cleaned.text));
    let draft = Draft {
        kind: Kind::Fact,
        scope: scope.clone(),
        content: cleaned.text,
        memory_type: None,
        session_id: None,
        role: None,
        importance: None,
        confidence: None,
        event_time: None,
        origin: Origin::from(OriginKind::Import),
        tags: vec!["server-memory".to_owned()],
        source_ids: Vec::new(),
        attributes,
        client_id: Some(key),
        explicit: false,
    };
    let mut new = prepare(ctx, draft)?;
    for (name, wanted) in named {
        // A relation does not say what its ends are; an entity known by that
        // name does.
        let known = ctx.store().await?.find_entities(&View::of(scope), &name).await?;
        let entity_type = known.first().map_or(wanted, |entity| entity.entity_type);
        new.mentions.push(NewMention { id: EntityId::from(ctx.uuid()?), name, entity_type, alias: None });
    }
    match create(ctx, stamp, new).await? {
        Applied::Duplicate(_) => output.duplicates += 1,
        Applied::Purged => return Err(EngineError::refused("this text was purged here and is not kept again")),
        _ => output.memories += 1,
    }
    Ok(())
}
