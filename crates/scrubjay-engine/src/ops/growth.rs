//! How memory grew.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::time::{DAY_MS, Timestamp};
use scrubjay_store::query::DayCount;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::{Ctx, EngineError, Result};

/// The days that are shown if nobody says how many.
const DAYS: u32 = 30;

/// More days than this are not shown at once.
const MOST_DAYS: u32 = 3660;

/// Show how much was said, learned and handed to agents, day by day.
///
/// A memory counts on the day on which it happened, in UTC.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GrowthInput {
    /// How many days, up to today; 30 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
}

/// The days, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthOutput {
    /// Every day, also those on which nothing happened.
    pub days: Vec<DayRecord>,
}

/// One day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DayRecord {
    /// The day, such as 2026-05-01.
    pub day: String,
    /// Facts and reflections.
    pub facts: u64,
    /// Turns of conversations.
    pub episodes: u64,
    /// Items that agents were handed.
    pub injected: u64,
    /// Those of them that the replies used.
    pub used: u64,
}

/// `growth`.
pub struct Growth;

impl Operation for Growth {
    type Input = GrowthInput;
    type Output = GrowthOutput;
    const NAME: &'static str = "growth";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["growth"], http: true, mcp: None };
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = r#"  scrubjay growth
  scrubjay growth --json | jq ."#;

    async fn run(ctx: &Ctx, input: GrowthInput) -> Result<GrowthOutput> {
        let days = input.days.unwrap_or(DAYS);
        if !(1..=MOST_DAYS).contains(&days) {
            return Err(EngineError::invalid(format!("{days} days are not between 1 and {MOST_DAYS}")));
        }
        let today = ctx.now().millis().div_euclid(DAY_MS);
        let first = today - i64::from(days) + 1;
        let counted = ctx.store().await?.growth(ctx.view(), Timestamp::from_millis(first * DAY_MS)).await?;
        let counted: BTreeMap<i64, DayCount> = counted.into_iter().map(|count| (count.day, count)).collect();
        let record = |day: i64| {
            let count = counted.get(&day).copied().unwrap_or_default();
            DayRecord {
                day: Timestamp::from_millis(day * DAY_MS).date(),
                facts: count.facts,
                episodes: count.episodes,
                injected: count.handed_over,
                used: count.used,
            }
        };
        Ok(GrowthOutput { days: (first..=today).map(record).collect() })
    }
}
