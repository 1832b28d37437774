//! The last days at a glance.

use schemars::JsonSchema;
use scrubjay_core::time::DAY_MS;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::maintain::{Waiting, waiting};
use crate::record::time;
use crate::reflect::{Digest as Gathered, Line, Section, digest, facts_said_since};
use crate::{Ctx, EngineError, Result};

/// How far it looks back unless told otherwise.
const DAYS: i64 = 7;

/// Tell what the last days brought: decisions, what changed, open plans, failures and fixes.
///
/// It is put together from facts and conversations, in the words in which they were said, without a model.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DigestInput {
    /// Since when: yesterday, 7d, last week, or a day such as 2026-05-01. Seven days if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"time": "begin", "value": "TIME"}))]
    pub since: Option<String>,
}

/// The last days.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DigestOutput {
    /// From when.
    pub since: String,
    /// Until when.
    pub until: String,
    /// How many facts it rests on.
    pub facts: usize,
    /// How many conversations there were.
    pub conversations: usize,
    /// How many messages these have.
    pub messages: u64,
    /// What was decided, agreed or preferred; the most important first.
    pub decisions: DigestSection,
    /// What took the place of something else.
    pub changed: Vec<DigestChange>,
    /// What is planned and not past yet, whenever it was said; the next first.
    pub plans: DigestSection,
    /// What failed, and what mended it.
    pub failures: DigestSection,
    /// Tasks that were finished.
    pub done: DigestSection,
    /// What else was learned.
    pub learned: DigestSection,
    /// What the other conversations were about, by their first request.
    pub topics: DigestSection,
    /// What to do if there is nothing to tell.
    pub hint: Option<String>,
}

/// Lines of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DigestSection {
    /// The lines.
    pub lines: Vec<DigestLine>,
    /// How many more there are.
    pub more: usize,
}

/// A line of a digest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DigestLine {
    /// The memory.
    pub id: String,
    /// The day on which it was said; for a plan the day on which it is due, if that is known.
    pub date: String,
    /// What it says, on one line, without code and markup.
    pub text: String,
}

/// Something that took the place of something else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DigestChange {
    /// What held before.
    pub old: DigestLine,
    /// What holds now.
    pub new: DigestLine,
}

/// `digest`.
pub struct Digest;

impl Operation for Digest {
    type Input = DigestInput;
    type Output = DigestOutput;
    const NAME: &'static str = "digest";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["digest"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = r#"  scrubjay digest
  scrubjay digest --since yesterday"#;

    async fn run(ctx: &Ctx, input: DigestInput) -> Result<DigestOutput> {
        let until = ctx.now();
        let since = match input.since.as_deref() {
            None => until.plus_millis(-DAYS * DAY_MS),
            Some(text) => time(text)?,
        };
        if since >= until {
            return Err(EngineError::invalid(format!(
                "there is nothing between {since} and now; write yesterday, 3d, last week or a date"
            )));
        }
        let facts = facts_said_since(ctx, ctx.view(), since).await?;
        let gathered = digest(ctx, ctx.view(), &facts, since, until).await?;
        let hint = if gathered.is_empty() { Some(hint(ctx, &gathered).await?) } else { None };
        Ok(told(gathered, hint))
    }
}

// What helps, if there is nothing to tell.
async fn hint(ctx: &Ctx, gathered: &Gathered) -> Result<String> {
    let mut waits = 0;
    for scope in ctx.writable_scopes() {
        waits += waiting(ctx, &scope, Waiting::All).await?.len();
    }
    Ok(if waits > 0 {
        "Conversations wait to be gone through: run `scrubjay consolidate`, then ask again.".to_owned()
    } else if gathered.conversations > 0 {
        "Nothing lasting was said. Tell something yourself with `scrubjay remember`, or look further back with --since 30d."
            .to_owned()
    } else {
        "Nothing was captured. Connect a client with `scrubjay install`, tell something with `scrubjay remember`, or look further back with --since 30d."
            .to_owned()
    })
}

fn told(gathered: Gathered, hint: Option<String>) -> DigestOutput {
    DigestOutput {
        since: gathered.since.to_string(),
        until: gathered.until.to_string(),
        facts: gathered.facts,
        conversations: gathered.conversations,
        messages: gathered.messages,
        decisions: section(gathered.decisions),
        changed: gathered
            .changed
            .into_iter()
            .map(|one| DigestChange { old: line(one.old), new: line(one.new) })
            .collect(),
        plans: section(gathered.plans),
        failures: section(gathered.failures),
        done: section(gathered.done),
        learned: section(gathered.learned),
        topics: section(gathered.topics),
        hint,
    }
}

fn section(section: Section) -> DigestSection {
    DigestSection { lines: section.lines.into_iter().map(line).collect(), more: section.more }
}

fn line(line: Line) -> DigestLine {
    DigestLine { id: line.id.to_string(), date: line.date, text: line.text }
}
