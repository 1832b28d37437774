//! One memory or document, whole.

use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use scrubjay_core::id::DocumentId;
use scrubjay_store::item::Chunk;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::{EntityRecord, LinkRecord, MemoryRecord};
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Show a memory with its links and the entities it mentions, or an indexed file.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ShowInput {
    /// The memory's id; or the path of an indexed file, or its id.
    #[schemars(extend("x-cli" = {"id": ["memory", "document"], "path": true, "positional": "one", "value": "ID"}))]
    pub id: String,
    /// Only look: it does not count as a use.
    #[serde(default)]
    pub peek: bool,
}

/// A memory or a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ShowOutput {
    /// A memory.
    Memory(Box<ShownMemory>),
    /// A document.
    Document(ShownDocument),
}

/// The memory, its links and entities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShownMemory {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryRecord,
    /// Links from and to it.
    pub links: Vec<LinkRecord>,
    /// What it mentions.
    pub entities: Vec<EntityRecord>,
}

/// An indexed file, as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShownDocument {
    /// Its id.
    pub document: String,
    /// Where it lies.
    pub path: String,
    /// What kind of file it is: memory, code or docs.
    pub source: String,
    /// Where it is seen from.
    pub scope: String,
    /// When the file was changed last.
    pub modified_at: String,
    /// When it was read.
    pub indexed_at: String,
    /// Its pieces, in order. They may overlap.
    pub chunks: Vec<ShownChunk>,
}

/// A piece of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShownChunk {
    /// Its first line, from 1.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Where in the document it stands, such as its headings.
    pub context: String,
    /// Its text.
    pub text: String,
}

/// `show`.
pub struct Show;

impl Operation for Show {
    type Input = ShowInput;
    type Output = ShowOutput;
    const NAME: &'static str = "show";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["show"], http: true, mcp: None };
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r#"  scrubjay show fact_2b7e91c4
  scrubjay show README.md
  scrubjay show --json fact_2b7e91c4 | jq .history"#;

    async fn run(ctx: &Ctx, input: ShowInput) -> Result<ShowOutput> {
        let store = ctx.store().await?;
        if let Ok(id) = input.id.trim().parse::<DocumentId>() {
            let chunks = store.chunks(ctx.view(), id).await?;
            return document(&chunks).ok_or_else(|| no_document(&input.id));
        }
        let id = match memory_id(&input.id) {
            Ok(id) => id,
            Err(error) => return at_path(ctx, &input.id).await?.ok_or(error),
        };
        let mut memory = store.get(ctx.view(), id).await?.ok_or_else(|| missing(&input.id))?;
        let links = store.links(ctx.view(), id).await?;
        let entities = store.mentioned(ctx.view(), id).await?;
        // Being shown is being used. If that cannot be noted, as on a full disk,
        // it is shown all the same.
        if !input.peek && store.touch(ctx.view(), vec![id], ctx.now()).await.is_ok() {
            memory.access_count += 1;
            memory.last_accessed = Some(ctx.now());
        }
        Ok(ShowOutput::Memory(Box::new(ShownMemory {
            memory: MemoryRecord::at(&memory, ctx.now()),
            links: links.iter().map(LinkRecord::from).collect(),
            entities: entities.iter().map(EntityRecord::from).collect(),
        })))
    }
}

// The document at a path, as it is shown (`path:line`) or as someone standing in the folder writes it. What does not
// look like a path is none: then the error about the id says more.
async fn at_path(ctx: &Ctx, text: &str) -> Result<Option<ShowOutput>> {
    let text = text.trim();
    let store = ctx.store().await?;
    let mut candidates = vec![text.to_owned()];
    if let Some((path, line)) = text.rsplit_once(':')
        && line.parse::<u32>().is_ok()
    {
        candidates.push(path.to_owned());
    }
    let folder = ctx.folder();
    let absolute: Vec<String> =
        candidates.iter().filter_map(|path| Some(plain(&folder?.join(path)).display().to_string())).collect();
    candidates.extend(absolute);
    for scope in ctx.view().scopes() {
        if let Some(found) = store.documents_at(&scope, candidates.clone()).await?.into_iter().next() {
            let chunks = store.chunks(ctx.view(), found.id).await?;
            return Ok(document(&chunks));
        }
    }
    let looks_like_path = text.contains('/') || Path::new(text).extension().is_some();
    if looks_like_path { Err(no_document(text)) } else { Ok(None) }
}

// A path without `.` and `..`, by its words alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

fn document(chunks: &[Chunk]) -> Option<ShowOutput> {
    let first = chunks.first()?;
    let shown = |chunk: &Chunk| ShownChunk {
        start_line: chunk.start_line,
        end_line: chunk.end_line,
        context: chunk.context.clone(),
        text: chunk.text.clone(),
    };
    Some(ShowOutput::Document(ShownDocument {
        document: first.document.to_string(),
        path: first.path.clone(),
        source: first.source.to_string(),
        scope: first.scope.to_string(),
        modified_at: first.modified_at.to_string(),
        indexed_at: first.indexed_at.to_string(),
        chunks: chunks.iter().map(shown).collect(),
    }))
}

fn no_document(text: &str) -> EngineError {
    EngineError::not_found(format!(
        "no file {text} is indexed here; `scrubjay index` reads the files of a project, and `scrubjay sources` shows what is read"
    ))
}

/// What is said of an id that names nothing here, whether or not it names
/// something elsewhere.
pub(super) fn missing(id: &str) -> EngineError {
    EngineError::not_found(format!(
        "there is no memory {id} here; `scrubjay list` and `scrubjay recall` show what there is"
    ))
}
