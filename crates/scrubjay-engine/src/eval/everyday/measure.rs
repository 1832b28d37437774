//! Captures conversations, draws facts from them, and asks the later prompts as a client would.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::filter::{Cursor, Field, Filter};
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::View;
use scrubjay_core::time::DAY_MS;
use scrubjay_store::query::ListQuery;

use super::outcome::{PromptOutcome, Received, TurnsOfHits, compare};
use super::set::{EverydayPrompt, EverydaySet, GoldFact, TestTurn};
use crate::eval::settle::settle_store;
use crate::ops::{
    self, Capture, CaptureInput, Consolidate, ConsolidateInput, Inject, InjectInput, Message, Operation, Recall,
    RecallInput,
};
use crate::{Ctx, EngineError, Result};

/// Messages captured at a time.
const BATCH: usize = 200;

/// Facts read at a time.
const PAGE: usize = 500;

/// How far down a ranking is looked at.
const DEPTH: usize = 20;

/// What was measured.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// What came back for each prompt, in their order.
    pub outcomes: Vec<PromptOutcome>,
    /// Which facts were drawn.
    pub facts: DrawnFacts,
    /// What the operations warned of, each once.
    pub warnings: Vec<String>,
}

/// The facts that were drawn, compared with those worth keeping.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DrawnFacts {
    /// How many were drawn.
    pub drawn: usize,
    /// How many are worth keeping.
    pub gold: usize,
    /// How many of those are worth keeping for long.
    pub lasting: usize,
    /// Of those worth keeping for long, how many have a fact drawn from their evidence.
    pub lasting_found: usize,
    /// How many were found in each project.
    pub by_project: Vec<FoundFacts>,
    /// How many were found of each type.
    pub by_type: Vec<FoundFacts>,
    /// Those worth keeping of which no fact was drawn.
    pub missed: Vec<String>,
    /// Those drawn from what is no evidence of anything worth keeping.
    pub stray: Vec<String>,
}

/// How many of some facts worth keeping have a fact drawn from their evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFacts {
    /// Which ones: the project or the type.
    pub name: String,
    /// How many are worth keeping.
    pub gold: usize,
    /// How many of those were found.
    pub found: usize,
}

/// Measures everyday use on a context whose store is empty, with the thresholds, limits and budgets of its settings.
/// Times are moved so that the last turn of each project was said yesterday. Without `draw_facts` there are turns
/// alone.
///
/// # Errors
/// When a turn is refused, or the store or the index fails.
pub async fn measure(ctx: &Ctx, set: &EverydaySet, draw_facts: bool) -> Result<Measurement> {
    let mut memories = Memories::default();
    let mut warnings = BTreeSet::new();
    let projects =
        set.projects().into_iter().map(|name| Ok((name, standing_in(ctx, name)?))).collect::<Result<Vec<_>>>()?;
    let mut captured = 0;
    for (name, here) in &projects {
        let turns: Vec<&TestTurn> = set.turns.iter().filter(|turn| turn.project == *name).collect();
        for batch in moved_to_yesterday(here, &turns).chunks(BATCH) {
            memories.capture(here, batch).await?;
            captured += batch.len() as u64;
            ctx.progress().step("capturing", captured, Some(set.turns.len() as u64));
        }
    }
    if draw_facts {
        for (done, (_, here)) in (1..).zip(&projects) {
            let drawn = operate::<Consolidate>(here, ConsolidateInput::default()).await?;
            warnings.extend(drawn.warnings);
            ctx.progress().step("drawing facts, projects", done, Some(projects.len() as u64));
        }
    }
    settle_store(ctx).await?;
    for (name, here) in &projects {
        memories.read_facts(here, name).await?;
    }
    let mut outcomes = Vec::with_capacity(set.prompts.len());
    for (number, prompt) in (1..).zip(&set.prompts) {
        let here = standing_in(ctx, &prompt.project)?;
        let received = ask(&here, &memories, prompt, number, &mut warnings).await?;
        outcomes.push(compare(prompt, &received));
        ctx.progress().step("asking", number, Some(set.prompts.len() as u64));
    }
    Ok(Measurement { outcomes, facts: memories.drawn(&set.facts), warnings: warnings.into_iter().collect() })
}

// On the heap: a future that holds those of all operations is too deep for the compiler.
async fn operate<O: Operation>(ctx: &Ctx, input: O::Input) -> Result<O::Output> {
    Box::pin(ops::run::<O>(ctx, input)).await
}

fn standing_in(ctx: &Ctx, project: &str) -> Result<Ctx> {
    ctx.at(View::project(project.parse().map_err(EngineError::invalid)?))
}

fn moved_to_yesterday(ctx: &Ctx, turns: &[&TestTurn]) -> Vec<Message> {
    let last = turns.iter().map(|turn| turn.timestamp).max().unwrap_or_else(|| ctx.now());
    let shift = ctx.now().millis() - DAY_MS - last.millis();
    let message = |turn: &&TestTurn| Message {
        session_id: turn.session_id.clone(),
        role: turn.role.clone(),
        content: turn.text.clone(),
        time: Some(turn.timestamp.plus_millis(shift).to_string().into()),
        id: Some(turn.id.clone()),
        ..Message::default()
    };
    turns.iter().map(message).collect()
}

/// What the set calls the memories of the store.
#[derive(Default)]
struct Memories {
    /// The turn that each episode was.
    turns: BTreeMap<String, String>,
    facts: BTreeMap<String, Fact>,
}

struct Fact {
    project: String,
    content: String,
    /// The turns that it was made from.
    turns: BTreeSet<String>,
}

impl Memories {
    async fn capture(&mut self, ctx: &Ctx, messages: &[Message]) -> Result<()> {
        let output = operate::<Capture>(ctx, CaptureInput { messages: messages.to_vec() }).await?;
        for (message, result) in messages.iter().zip(output.results) {
            let turn = message.id.clone().unwrap_or_default();
            match (result.id, result.error) {
                (Some(memory), _) => drop(self.turns.insert(memory, turn)),
                (None, Some(error)) => return Err(EngineError::invalid(format!("docs.jsonl, id `{turn}`: {error}"))),
                // There is nothing in it to find.
                (None, None) => {}
            }
        }
        Ok(())
    }

    async fn read_facts(&mut self, ctx: &Ctx, project: &str) -> Result<()> {
        let store = ctx.store().await?;
        let mut after: Option<Cursor> = None;
        loop {
            let filter = Filter::default().and_equal(Field::Kind, Kind::Fact.name());
            let query = ListQuery { filter, limit: PAGE, after, ..ListQuery::default() };
            let page = store.list(ctx.view(), query).await?;
            for memory in page.memories {
                let turns = self.turns_behind(&memory);
                let fact = Fact { project: project.to_owned(), content: memory.content, turns };
                self.facts.insert(memory.id.to_string(), fact);
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    fn turns_behind(&self, fact: &Memory) -> BTreeSet<String> {
        fact.source_ids.iter().filter_map(|id| self.turns.get(&id.to_string())).cloned().collect()
    }

    fn turns_of<'a>(&self, ids: impl Iterator<Item = &'a str>) -> TurnsOfHits {
        let turns = |id: &str| match self.facts.get(id) {
            Some(fact) => fact.turns.clone(),
            None => self.turns.get(id).cloned().into_iter().collect(),
        };
        ids.map(turns).collect()
    }

    fn drawn(&self, gold: &[GoldFact]) -> DrawnFacts {
        let is_drawn = |gold: &&GoldFact| {
            let mut own = self.facts.values().filter(|fact| fact.project == gold.project);
            own.any(|fact| gold.evidence.iter().any(|turn| fact.turns.contains(turn)))
        };
        let is_stray = |fact: &&Fact| {
            let mut own = gold.iter().filter(|gold| gold.project == fact.project);
            !own.any(|gold| gold.evidence.iter().any(|turn| fact.turns.contains(turn)))
        };
        let by = |name_of: fn(&GoldFact) -> Option<&str>| {
            let mut groups: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
            for (name, fact) in gold.iter().filter_map(|fact| Some((name_of(fact)?, fact))) {
                let (worth_keeping, found) = groups.entry(name).or_default();
                *worth_keeping += 1;
                *found += usize::from(is_drawn(&fact));
            }
            let found =
                |(name, (gold, found)): (&str, (usize, usize))| FoundFacts { name: name.to_owned(), gold, found };
            groups.into_iter().map(found).collect()
        };
        let lasting = || gold.iter().filter(|gold| gold.lasting);
        DrawnFacts {
            drawn: self.facts.len(),
            gold: gold.len(),
            lasting: lasting().count(),
            lasting_found: lasting().filter(is_drawn).count(),
            by_project: by(|fact| Some(fact.project.as_str())),
            by_type: by(|fact| fact.memory_type.as_deref()),
            missed: gold.iter().filter(|gold| !is_drawn(gold)).map(|gold| gold.fact.clone()).collect(),
            stray: self.facts.values().filter(is_stray).map(|fact| fact.content.clone()).collect(),
        }
    }
}

// Asks three times: for the order, as a person asks, and as an agent does in a new conversation.
async fn ask(
    ctx: &Ctx,
    memories: &Memories,
    prompt: &EverydayPrompt,
    number: u64,
    warnings: &mut BTreeSet<String>,
) -> Result<Received> {
    let query = || RecallInput { query: prompt.text.clone(), ..RecallInput::default() };
    let all = RecallInput { limit: Some(DEPTH), min_score: Some(0.0), ..query() };
    let ranking = operate::<Recall>(ctx, all).await?;
    let recalled = operate::<Recall>(ctx, query()).await?;
    let session = Some(format!("later-{number}"));
    let injected = operate::<Inject>(ctx, InjectInput { text: prompt.text.clone(), session, ..InjectInput::default() });
    let injected = injected.await?;
    warnings.extend([ranking.warnings, recalled.warnings, injected.warnings].into_iter().flatten());
    Ok(Received {
        best: ranking.hits.iter().map(|hit| hit.relevance).fold(0.0, f64::max),
        ranking: memories.turns_of(ranking.hits.iter().map(|hit| hit.id.as_str())),
        hits: memories.turns_of(recalled.hits.iter().map(|hit| hit.id.as_str())),
        items: memories.turns_of(injected.items.iter().map(|item| item.id.as_str())),
    })
}
