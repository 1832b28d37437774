//! Many memories, by conditions.

use schemars::JsonSchema;
use scrubjay_core::filter::{Cursor, Order};
use scrubjay_store::query::{Activity, ListQuery};
use serde::{Deserialize, Serialize};

use super::MemoryRecord;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::Pick;
use crate::record::time;
use crate::{Ctx, EngineError, Result};

/// How many memories one page holds at most.
const AT_MOST: usize = 1000;

/// List memories, newest first.
///
/// Listing is not using: it changes no access count.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListInput {
    /// Which memories.
    #[serde(flatten)]
    pub pick: Pick,
    /// Only those that mention this entity, by name or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"id": "entity"}))]
    pub entity: Option<String>,
    /// Those that ended, instead of those that are active.
    pub ended: bool,
    /// Both active and ended ones.
    pub all: bool,
    /// Those that were known and active at this time: yesterday, 3d, 2026-05-01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"time": "end", "value": "TIME"}))]
    pub as_of: Option<String>,
    /// The field to sort by, greatest first; a leading - reverses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_by: Option<String>,
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
pub struct ListOutput {
    /// The memories.
    pub memories: Vec<MemoryRecord>,
    /// Where to go on; null at the end.
    pub next: Option<String>,
}

/// `list`.
pub struct List;

impl Operation for List {
    type Input = ListInput;
    type Output = ListOutput;
    const NAME: &'static str = "list";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["list"], http: true, mcp: None };
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r#"  scrubjay list --kind fact
  scrubjay list --tag billing --since 7d -n 20
  scrubjay list --order-by importance --where '{"importance": {"$gte": 4}}'
  scrubjay list --as-of yesterday
  scrubjay list --ended"#;

    async fn run(ctx: &Ctx, input: ListInput) -> Result<ListOutput> {
        let order_by = input.order_by.as_deref().unwrap_or("event_time");
        let order = Order::parse(order_by).map_err(EngineError::invalid)?;
        let after = input.cursor.as_deref().map(|text| after(text, order_by, &order)).transpose()?;
        let activity = activity(input.ended, input.all, input.as_of.as_deref())?;
        let limit = limit(input.limit, ctx.config().settings.query.list_limit)?;
        let store = ctx.store().await?;
        let filter = input.pick.filter(ctx)?;
        let entity = match &input.entity {
            Some(name) => Some(super::entity::find_one(ctx, name).await?.id),
            None => None,
        };
        let page = store.list(ctx.view(), ListQuery { filter, activity, entity, order, limit, after }).await?;
        Ok(ListOutput {
            memories: page.memories.iter().map(|memory| MemoryRecord::at(memory, ctx.now())).collect(),
            next: page.next.map(|cursor| format!("{order_by}:{}", cursor.encode())),
        })
    }
}

// A cursor carries its list's order, so that it cannot be used with another one.
fn after(text: &str, order_by: &str, order: &Order) -> Result<Cursor> {
    let place = text.strip_prefix(order_by).and_then(|rest| rest.strip_prefix(':')).unwrap_or_default();
    Cursor::decode(place, order).map_err(EngineError::invalid)
}

/// Which memories count, from the flags.
pub(super) fn activity(ended: bool, all: bool, as_of: Option<&str>) -> Result<Activity> {
    match (ended, all, as_of) {
        (false, false, None) => Ok(Activity::Active),
        (true, false, None) => Ok(Activity::Ended),
        (false, true, None) => Ok(Activity::Any),
        (false, false, Some(text)) => Ok(Activity::AsOf(time(text)?)),
        _ => Err(EngineError::invalid("ended, all and as_of exclude one another")),
    }
}

/// How many, within reason.
pub(super) fn limit<N: TryInto<usize>>(wanted: Option<usize>, default: N) -> Result<usize> {
    match wanted {
        Some(0) => Err(EngineError::invalid("limit is 0; ask for at least one")),
        Some(limit) if limit > AT_MOST => {
            Err(EngineError::invalid(format!("limit is {limit}, more than {AT_MOST}; page with the cursor instead")))
        }
        Some(limit) => Ok(limit),
        None => Ok(default.try_into().unwrap_or(100).clamp(1, AT_MOST)),
    }
}
