//! Why a memory is not among the hits of a question.

use schemars::JsonSchema;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Memory;
use scrubjay_store::item::Item;
use scrubjay_store::query::Activity;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::recall::{HitRecord, RecallInput, question, record};
use crate::gone::gone_mentions;
use crate::record::memory_id;
use crate::record::round;
use crate::search::{FOLLOWING, Found, Question, recall};
use crate::{Ctx, EngineError, Result};

/// How far down it is looked for.
const DEEPEST: usize = 500;

/// Say why a memory is not among the hits of a question.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WhyNotInput {
    /// The memory that was expected.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "ID"}))]
    pub id: String,
    /// The question.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TEXT"}))]
    pub query: String,
}

/// What keeps it out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyNotOutput {
    /// `hit`, `ended`, `below_threshold`, `outranked` or `not_found`.
    pub verdict: String,
    /// The same in sentences.
    pub reasons: Vec<String>,
    /// The relevance that a hit needs.
    pub threshold: f64,
    /// Its place among everything that came up, from 1.
    pub place: Option<usize>,
    /// How it would stand there, if it came up at all.
    pub hit: Option<HitRecord>,
    /// What was missing in the search.
    pub warnings: Vec<String>,
}

/// `why-not`.
pub struct WhyNot;

impl Operation for WhyNot {
    type Input = WhyNotInput;
    type Output = WhyNotOutput;
    const NAME: &'static str = "why-not";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["why-not"], http: true, mcp: None };
    const GROUP: Group = Group::Recall;
    const EXAMPLES: &'static str = r#"  scrubjay why-not fact_2b7e91c4 "who owns the parser""#;

    async fn run(ctx: &Ctx, input: WhyNotInput) -> Result<WhyNotOutput> {
        let id = memory_id(&input.id)?;
        if input.query.trim().is_empty() {
            return Err(EngineError::invalid("the question is empty; say what was asked"));
        }
        let memory = ctx.store().await?.get(ctx.view(), id).await?;
        let memory = memory.ok_or_else(|| super::show::missing(&input.id))?;
        let asked = question(ctx, RecallInput { query: input.query, ..RecallInput::default() }).await?;
        let answered = recall(ctx, &asked).await?;
        let everything = Question {
            min_relevance: 0.0,
            following: 1.0,
            near: 0,
            limit: DEEPEST,
            activity: if memory.is_active() { asked.activity } else { Activity::Any },
            ..asked.clone()
        };
        let all = recall(ctx, &everything).await?;
        let place = place_of(&all.hits, id);
        let hit = place.map(|place| &all.hits[place]);
        let (verdict, reasons) = verdict(&memory, &asked, &answered.hits, hit, place);
        let gone = gone_mentions(ctx, [&memory]).await?;
        let chars = ctx.config().settings.query.snippet_chars;
        Ok(WhyNotOutput {
            verdict: verdict.to_owned(),
            reasons,
            threshold: round(asked.min_relevance),
            place: place.map(|place| place + 1),
            hit: hit.map(|hit| record(hit, &gone, chars, true)),
            warnings: answered.warnings,
        })
    }
}

fn place_of(hits: &[Found], id: MemoryId) -> Option<usize> {
    hits.iter().position(|hit| matches!(&hit.item, Item::Memory(memory) if memory.id == id))
}

fn verdict(
    memory: &Memory,
    asked: &Question,
    hits: &[Found],
    hit: Option<&Found>,
    place: Option<usize>,
) -> (&'static str, Vec<String>) {
    if let Some(place) = place_of(hits, memory.id) {
        return ("hit", vec![format!("it is hit {} of {}", place + 1, hits.len())]);
    }
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let mut reasons = Vec::new();
    if let Some(ended) = memory.ended {
        let why = ended.by.name();
        reasons.push(format!("it ended on {} ({why}); a search looks at what is active", ended.at.date()));
    }
    let Some(hit) = hit else {
        reasons.push(format!(
            "no part of the search came upon it: it shares no telling word, name, time or meaning with the question, \
             or something among the best {DEEPEST} says the same"
        ));
        return (if memory.is_active() { "not_found" } else { "ended" }, reasons);
    };
    let best = hits.first().map_or(0.0, |best| best.relevance);
    let needed = asked.min_relevance.max(asked.following.min(FOLLOWING) * best);
    let is_below = hit.relevance < asked.min_relevance;
    if is_below {
        let needs = percent(asked.min_relevance);
        reasons.push(format!("its relevance is {}, and a hit needs {needs}", percent(hit.relevance)));
    } else if hit.relevance < needed {
        reasons.push(format!("with {} it is far behind the best, which has {}", percent(hit.relevance), percent(best)));
    }
    if let Some(outdated) = &hit.outdated {
        reasons.push(format!("it no longer holds since {}", outdated.since.date()));
    }
    if place.is_some_and(|place| place >= asked.limit) {
        reasons.push(format!("{} others stand above it, and {} are shown", place.unwrap_or_default(), asked.limit));
    }
    if reasons.is_empty() {
        reasons.push("others that are shown say it better".to_owned());
    }
    let verdict = match (memory.is_active(), is_below || hit.relevance < needed) {
        (false, _) => "ended",
        (true, true) => "below_threshold",
        (true, false) => "outranked",
    };
    (verdict, reasons)
}
