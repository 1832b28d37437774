//! One memory, whole.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Operation, Risk, Surfaces};
use super::pick::memory_id;
use super::{EntityRecord, LinkRecord, MemoryRecord};
use crate::{Ctx, EngineError, Result};

/// Show a memory with its links and the entities it mentions.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ShowInput {
    /// The memory.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "ID"}))]
    pub id: String,
    /// Only look: it does not count as a use.
    #[serde(default)]
    pub peek: bool,
}

/// The memory, its links and entities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShowOutput {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryRecord,
    /// Links from and to it.
    pub links: Vec<LinkRecord>,
    /// What it mentions.
    pub entities: Vec<EntityRecord>,
}

/// `show`.
pub struct Show;

impl Operation for Show {
    type Input = ShowInput;
    type Output = ShowOutput;
    const NAME: &'static str = "show";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["show"], http: true, mcp: None };

    async fn run(ctx: &Ctx, input: ShowInput) -> Result<ShowOutput> {
        let id = memory_id(&input.id)?;
        let store = ctx.store().await?;
        let mut memory = store.get(ctx.view(), id).await?.ok_or_else(|| missing(&input.id))?;
        let links = store.links(ctx.view(), id).await?;
        let entities = store.mentioned(ctx.view(), id).await?;
        // Being shown is being used. If that cannot be noted, as on a full disk,
        // it is shown all the same.
        if !input.peek && store.touch(ctx.view(), vec![id], ctx.now()).await.is_ok() {
            memory.access_count += 1;
            memory.last_accessed = Some(ctx.now());
        }
        Ok(ShowOutput {
            memory: MemoryRecord::at(&memory, ctx.now()),
            links: links.iter().map(LinkRecord::from).collect(),
            entities: entities.iter().map(EntityRecord::from).collect(),
        })
    }
}

/// What is said of an id that names nothing here, whether or not it names
/// something elsewhere.
pub(super) fn missing(id: &str) -> EngineError {
    EngineError::not_found(format!(
        "there is no memory {id} here; `scrubjay list` and `scrubjay recall` show what there is"
    ))
}
