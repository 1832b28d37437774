//! What models cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_store::item::GenerationState;
use scrubjay_store::model::Spend as Entry;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::item::item_windows;
use crate::models::{Prices, Provider, calls_of_day, day_of, runs_commands};
use crate::{Ctx, EngineError, Result};

/// Items that are looked at for an estimate.
const SAMPLE: usize = 500;

/// Days that are shown unless another number is asked for.
const DAYS: u32 = 30;

const DAY_MS: i64 = 86_400_000;

/// Show what models cost: by day, role and model, and what is left of the day's limit.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SpendInput {
    /// How many days, today included; 30 unless said otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub days: Option<u32>,
    /// Also say what it would cost to give vectors to everything that has none yet.
    pub estimate: bool,
}

/// What was spent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendOutput {
    /// By day, role and model, oldest first.
    pub entries: Vec<SpendRecord>,
    /// All of it, in dollars.
    pub total_usd: f64,
    /// What today cost.
    pub today_usd: f64,
    /// What a day may cost; none if there is no limit.
    pub daily_cap_usd: Option<f64>,
    /// Whether models that cost something pause until tomorrow.
    pub paused: bool,
    /// How many calls commands had today; they have no price, but count against somebody's plan.
    pub command_calls_today: u64,
    /// How many they may have a day; none if there is no limit, or no command is set up.
    pub command_calls_per_day: Option<u64>,
    /// What the vectors that are missing would cost.
    pub estimate: Option<EstimateRecord>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// What one role spent on one model on one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpendRecord {
    /// The day in UTC.
    pub day: String,
    /// What the model was used for: embed, gate, extract, consolidate, reflect, summarize.
    pub role: String,
    /// The model.
    pub model: String,
    /// Requests.
    pub calls: u64,
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// In dollars, by the prices that held then.
    pub cost_usd: f64,
}

/// What vectors would cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EstimateRecord {
    /// The model.
    pub model: String,
    /// Items without vectors.
    pub items: u64,
    /// Their tokens, guessed from a sample.
    pub tokens: u64,
    /// In dollars; none if the price is not known.
    pub cost_usd: Option<f64>,
}

/// `spend`.
pub struct Spend;

impl Operation for Spend {
    type Input = SpendInput;
    type Output = SpendOutput;
    const NAME: &'static str = "spend";
    const RISK: Risk = Risk::Read;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["spend"], http: true, mcp: None };
    const GROUP: Group = Group::Models;
    const EXAMPLES: &'static str = r#"  scrubjay spend
  scrubjay spend --days 7 --estimate"#;

    async fn run(ctx: &Ctx, input: SpendInput) -> Result<SpendOutput> {
        let days = input.days.unwrap_or(DAYS);
        if !(1..=36_500).contains(&days) {
            return Err(EngineError::invalid("`days` is a number from 1 to 36500"));
        }
        let store = ctx.store().await?;
        let today = day_of(ctx.now());
        let from = day_of(ctx.now().plus_millis(-i64::from(days - 1) * DAY_MS));
        let entries = store.spend(&from, &today).await?;
        let today_micros = store.spent_micros(&today).await?;
        let settings = &ctx.config().settings.spend;
        let cap = (settings.daily_cap_usd > 0.0).then_some(settings.daily_cap_usd);
        let estimate = match (input.estimate, ctx.embedder().await) {
            (true, Ok(Some(embedder))) => estimate(ctx, &embedder.model().id).await?,
            (true, Err(error)) => return Err(error),
            _ => None,
        };
        Ok(SpendOutput {
            total_usd: dollars(entries.iter().map(|entry| entry.cost_micros).sum()),
            today_usd: dollars(today_micros),
            daily_cap_usd: cap,
            paused: cap.is_some_and(|cap| dollars(today_micros) >= cap),
            command_calls_today: calls_of_day(&*store, ctx.now()).await?,
            command_calls_per_day: command_calls_per_day(ctx),
            estimate,
            warnings: warnings(ctx, &entries),
            entries: entries.into_iter().map(record).collect(),
        })
    }
}

/// What it takes to give vectors of a model to everything that has none yet.
pub(super) async fn estimate(ctx: &Ctx, model: &str) -> Result<Option<EstimateRecord>> {
    let store = ctx.store().await?;
    let generations = store.generations().await?;
    let current = |state| {
        move |generation: &&scrubjay_store::item::Generation| {
            generation.state == state && generation.spec.model == model
        }
    };
    let found = generations.iter().find(current(GenerationState::Building));
    let found = found.or_else(|| generations.iter().find(current(GenerationState::Serving)));
    let most = ctx.config().settings.embedding.max_windows;
    let sample = store.all_items(None, SAMPLE).await?;
    let bytes: usize = sample.iter().flat_map(|row| item_windows(&row.item, most).1).map(|window| window.len()).sum();
    let items = match found {
        Some(generation) => {
            let coverage = store.coverage(generation.id).await?;
            coverage.items.saturating_sub(coverage.embedded)
        }
        None => match generations.first() {
            Some(generation) => store.coverage(generation.id).await?.items,
            None => sample.len() as u64,
        },
    };
    let tokens = (bytes as u64 / 4).saturating_mul(items) / (sample.len() as u64).max(1);
    let prices = Prices::parse(&ctx.config().settings.spend.prices);
    // An embedder that was handed in has no provider, and costs nothing.
    let local = match Provider::of_model(model) {
        Some(provider) => provider.api_key.is_none(),
        None => model.starts_with("fake/"),
    };
    let micros = if local { Some(0) } else { prices.of(model).map(|price| price.micros(tokens, 0)) };
    Ok(Some(EstimateRecord { model: model.to_owned(), items, tokens, cost_usd: micros.map(dollars) }))
}

fn command_calls_per_day(ctx: &Ctx) -> Option<u64> {
    let settings = &ctx.config().settings;
    let limit = settings.chat.command.calls_per_day;
    (limit > 0 && runs_commands(settings)).then_some(limit)
}

fn record(entry: Entry) -> SpendRecord {
    SpendRecord {
        day: entry.day,
        role: entry.role,
        model: entry.model,
        calls: entry.calls,
        input_tokens: entry.input_tokens,
        output_tokens: entry.output_tokens,
        cost_usd: dollars(entry.cost_micros),
    }
}

// A model of a vendor without a price looks free and is not.
fn warnings(ctx: &Ctx, entries: &[Entry]) -> Vec<String> {
    let prices = Prices::parse(&ctx.config().settings.spend.prices);
    let mut tokens: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.cost_micros == 0) {
        *tokens.entry(&entry.model).or_default() += entry.input_tokens + entry.output_tokens;
    }
    let is_vendors = |model: &str| Provider::of_model(model).is_some_and(|provider| provider.api_key.is_some());
    let unpriced =
        tokens.into_iter().filter(|(model, tokens)| *tokens > 0 && is_vendors(model) && prices.of(model).is_none());
    let mut warnings: Vec<String> = unpriced
        .map(|(model, tokens)| {
            format!("no price is known for {model} ({tokens} tokens), so that the limit cannot count it; add it to spend.prices")
        })
        .collect();
    warnings.extend(prices.unreadable.iter().map(|line| {
        format!("`{line}` in spend.prices is no price; write provider/model=0.1 or provider/model=0.1/0.4")
    }));
    warnings
}

fn dollars(micros: u64) -> f64 {
    micros as f64 / 1e6
}
