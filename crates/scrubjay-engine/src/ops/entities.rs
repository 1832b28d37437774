//! All named things.

use schemars::JsonSchema;
use scrubjay_core::entity::EntityType;
use scrubjay_store::query::EntityQuery;
use serde::{Deserialize, Serialize};

use super::EntityRecord;
use super::list::limit;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::{Ctx, EngineError, Result};

/// List the named things that memories mention, most mentioned first.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EntitiesInput {
    /// Only those whose name contains this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Only those of this type.
    #[schemars(extend("enum" = ["person", "project", "organization", "location", "email", "url", "tag", "date", "other"]))]
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
    /// Where to go on, as the last answer's `next` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Part of the list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntitiesOutput {
    /// The named things.
    pub entities: Vec<EntityRecord>,
    /// Where to go on; null at the end.
    pub next: Option<String>,
}

/// `entities`.
pub struct Entities;

impl Operation for Entities {
    type Input = EntitiesInput;
    type Output = EntitiesOutput;
    const NAME: &'static str = "entities";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["entities"], http: true, mcp: None };
    const GROUP: Group = Group::Entities;
    const EXAMPLES: &'static str = r#"  scrubjay entities --type person
  scrubjay entities --name bill"#;

    async fn run(ctx: &Ctx, input: EntitiesInput) -> Result<EntitiesOutput> {
        let entity_type =
            input.entity_type.map(|text| text.parse::<EntityType>()).transpose().map_err(EngineError::invalid)?;
        let offset = offset(input.cursor.as_deref())?;
        let limit = limit(input.limit, ctx.config().settings.query.list_limit)?;
        let query = EntityQuery { name_contains: input.name, entity_type, limit, offset };
        let page = ctx.store().await?.entities(ctx.view(), query).await?;
        Ok(EntitiesOutput {
            entities: page.entities.iter().map(EntityRecord::from).collect(),
            next: page.more.then(|| (offset + limit).to_string()),
        })
    }
}

/// Reads a cursor that is a plain position.
pub(super) fn offset(cursor: Option<&str>) -> Result<usize> {
    cursor
        .map_or(Ok(0), str::parse)
        .map_err(|_| EngineError::invalid("the cursor does not belong to this list; start again without it"))
}
