//! Linking memories.

use schemars::JsonSchema;
use scrubjay_core::memory::{self, Relation};
use scrubjay_store::change::{Applied, Change};
use serde::{Deserialize, Serialize};

use super::LinkRecord;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Link two memories, or remove a link.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LinkInput {
    /// The memory that says something about the other.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "FROM"}))]
    pub from: String,
    /// What it says.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "RELATION"}, "enum" = ["related", "supersedes", "contradicts", "elaborates", "derived_from"]))]
    pub relation: String,
    /// The other memory.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "TO"}))]
    pub to: String,
    /// Remove the link instead.
    pub remove: bool,
}

/// The link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkOutput {
    /// The link.
    pub link: LinkRecord,
    /// Whether anything changed.
    pub changed: bool,
}

/// `link`.
pub struct Link;

impl Operation for Link {
    type Input = LinkInput;
    type Output = LinkOutput;
    const NAME: &'static str = "link";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["link"], http: true, mcp: None };
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r#"  scrubjay link fact_2b7e91c4 elaborates ep_2b7e91c4
  scrubjay link --remove fact_2b7e91c4 elaborates ep_2b7e91c4"#;

    async fn run(ctx: &Ctx, input: LinkInput) -> Result<LinkOutput> {
        let link = memory::Link {
            from: memory_id(&input.from)?,
            relation: input.relation.parse::<Relation>().map_err(EngineError::invalid)?,
            to: memory_id(&input.to)?,
        };
        let record = LinkRecord::from(&link);
        let change = if input.remove { Change::Unlink(link) } else { Change::Link(link) };
        let applied = ctx.store().await?.apply(ctx.view(), ctx.stamp(Self::NAME)?, vec![change], Vec::new()).await?;
        Ok(LinkOutput { link: record, changed: matches!(applied.first(), Some(Applied::Link(true))) })
    }
}
