//! Everything about one named thing.

use schemars::JsonSchema;
use scrubjay_core::entity;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::memory::{Kind, Memory, OriginKind};
use scrubjay_store::query::{EntityQuery, ListQuery};
use serde::{Deserialize, Serialize};

use super::list::limit;
use super::meant::every_view;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::tool::Tool;
use super::{EntityRecord, MemoryRecord};
use crate::{Ctx, EngineError, Result};

/// Tell everything about a person, address, tag, file or other named thing; `me` for what is known about you.
///
/// For `me`: your preferences and what you said about yourself, in every project if you ask in person.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["name"]))]
pub struct EntityInput {
    /// Its name, one of its other names, or its id.
    #[schemars(extend("x-cli" = {"id": "entity", "positional": "rest", "value": "NAME"}))]
    pub name: String,
    /// How many memories at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
}

/// The named thing and what mentions it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntityOutput {
    /// The thing; the most mentioned one if several have the name.
    pub entity: EntityRecord,
    /// Others with the same name.
    pub others: Vec<EntityRecord>,
    /// The memories that mention it, newest first.
    pub memories: Vec<MemoryRecord>,
    /// Whether there are more memories.
    pub more: bool,
}

/// `entity`.
pub struct Entity;

impl Operation for Entity {
    type Input = EntityInput;
    type Output = EntityOutput;
    const NAME: &'static str = "entity";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["entity"], http: true, mcp: Some("get_entity_info") };
    const GROUP: Group = Group::Entities;
    const EXAMPLES: &'static str = r#"  scrubjay entity ada
  scrubjay entity --limit 3 src/billing.rs"#;
    const TOOL: Tool = Tool {
        about: "Tell everything that is known about one person, project, file or other name. Call it when a question \
            is about a name rather than a topic.",
        required: &["name"],
        optional: &["limit"],
    };

    async fn run(ctx: &Ctx, input: EntityInput) -> Result<EntityOutput> {
        let mut found = match find(ctx, &input.name).await {
            Err(error) if error.code() == ErrorCode::NotFound && is_me(&input.name) => {
                return about_me(ctx, limit(input.limit, 100usize)?).await;
            }
            other => other?,
        };
        let entity = found.remove(0);
        let query = ListQuery { entity: Some(entity.id), limit: limit(input.limit, 20usize)?, ..ListQuery::default() };
        let page = ctx.store().await?.list(ctx.view(), query).await?;
        Ok(EntityOutput {
            entity: EntityRecord::from(&entity),
            others: found.iter().map(EntityRecord::from).collect(),
            memories: page.memories.iter().map(|memory| MemoryRecord::at(memory, ctx.now())).collect(),
            more: page.next.is_some(),
        })
    }
}

fn is_me(name: &str) -> bool {
    ["me", "myself", "i", "user", "the user"].contains(&name.trim().to_lowercase().as_str())
}

// What the user prefers, and what they said of themselves. It belongs to no entity: people call themselves `I`.
async fn about_me(ctx: &Ctx, most: usize) -> Result<EntityOutput> {
    let views = if ctx.is_person() { every_view(ctx).await? } else { vec![ctx.view().clone()] };
    let store = ctx.store().await?;
    let mut found: Vec<Memory> = Vec::new();
    for view in views {
        let filter = Filter::default().and_equal(Field::Kind, Kind::Fact.name());
        let mut query = ListQuery { filter, limit: 1000, ..ListQuery::default() };
        loop {
            let page = store.list(&view, query.clone()).await?;
            for memory in page.memories {
                if speaks_of_user(&memory) && !found.iter().any(|known| known.id == memory.id) {
                    found.push(memory);
                }
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => break,
            }
        }
    }
    found.sort_by_key(|memory| std::cmp::Reverse((memory.event_time, memory.id)));
    let (count, more) = (found.len() as u64, found.len() > most);
    let entity = EntityRecord {
        id: "me".to_owned(),
        name: "me".to_owned(),
        entity_type: entity::EntityType::Person.name().to_owned(),
        scope: ctx.view().home().to_string(),
        aliases: Vec::new(),
        summary: None,
        mention_count: count,
        protected: false,
    };
    let memories = found.iter().take(most).map(|memory| MemoryRecord::at(memory, ctx.now())).collect();
    Ok(EntityOutput { entity, others: Vec::new(), memories, more })
}

// A preference, or a sentence whose first words are about the speaker.
fn speaks_of_user(memory: &Memory) -> bool {
    const OF_ONESELF: [&str; 22] = [
        "i",
        "i'm",
        "i\u{2019}m",
        "my",
        "me",
        "mine",
        "myself",
        "user",
        "user's",
        "ich",
        "mein",
        "meine",
        "meinen",
        "je",
        "j'ai",
        "mon",
        "ma",
        "mes",
        "yo",
        "mi",
        "mis",
        "soy",
    ];
    let is_about = |word: &str| OF_ONESELF.contains(&word.to_lowercase().trim_matches([',', '.', ':', ';']));
    memory.memory_type.as_str() == "preference"
        || (memory.origin.kind != OriginKind::Tool
            && memory.origin.kind != OriginKind::Web
            && memory.content.split_whitespace().take(3).any(is_about))
}

/// The entity with this name or id; the most mentioned one if there are several.
pub(super) async fn find_one(ctx: &Ctx, name: &str) -> Result<entity::Entity> {
    Ok(find(ctx, name).await?.remove(0))
}

// At least one, or an error that names the most similar ones.
async fn find(ctx: &Ctx, name: &str) -> Result<Vec<entity::Entity>> {
    if name.trim().is_empty() {
        return Err(EngineError::invalid("say which entity; `scrubjay entities` lists them"));
    }
    let store = ctx.store().await?;
    let mut found = store.find_entities(ctx.view(), name).await?;
    if found.is_empty() {
        // People write `@ada` and `#release`; the names are kept without.
        if let Some(bare) = name.strip_prefix(['@', '#']) {
            found = store.find_entities(ctx.view(), bare).await?;
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let known = store.entities(ctx.view(), EntityQuery { limit: 1000, ..EntityQuery::default() }).await?;
    let likeness =
        |entity: &entity::Entity| strsim::jaro_winkler(&entity::name_key(name), &entity::name_key(&entity.name));
    let nearest = known.entities.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = match nearest.filter(|entity| likeness(entity) > 0.75) {
        Some(entity) => format!("; did you mean `{}`?", entity.name),
        None => "; `scrubjay entities` lists what is known".to_owned(),
    };
    Err(EngineError::not_found(format!("no entity here is called `{name}`{hint}")))
}
