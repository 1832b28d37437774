//! Two names, one thing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EntityRecord;
use super::entity::find_one;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::{Ctx, Result};

/// Merge one entity into another: names, mentions and counts.
///
/// `undo` takes it apart again.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct EntityMergeInput {
    /// The entity that stays, by name or id.
    #[schemars(extend("x-cli" = {"id": "entity", "positional": "one", "value": "INTO"}))]
    pub into: String,
    /// The entity that becomes another name of it.
    #[schemars(extend("x-cli" = {"id": "entity", "positional": "one", "value": "FROM"}))]
    pub from: String,
}

/// The entity that stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntityMergeOutput {
    /// The entity.
    pub entity: EntityRecord,
    /// The run that did it; undoing it takes the two apart again.
    #[serde(default)]
    pub run: String,
}

/// `entity.merge`.
pub struct EntityMerge;

impl Operation for EntityMerge {
    type Input = EntityMergeInput;
    type Output = EntityMergeOutput;
    const NAME: &'static str = "entity.merge";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["entities", "merge"], http: true, mcp: None };
    const GROUP: Group = Group::Entities;
    const EXAMPLES: &'static str = r#"  scrubjay entities merge ada "Ada Lovelace""#;

    async fn run(ctx: &Ctx, input: EntityMergeInput) -> Result<EntityMergeOutput> {
        let (into, from) = (find_one(ctx, &input.into).await?, find_one(ctx, &input.from).await?);
        let stamp = ctx.stamp(Self::NAME)?;
        let run = stamp.run.to_string();
        let entity = ctx.store().await?.merge_entities(ctx.view(), stamp, into.id, from.id).await?;
        Ok(EntityMergeOutput { entity: EntityRecord::from(&entity), run })
    }
}
