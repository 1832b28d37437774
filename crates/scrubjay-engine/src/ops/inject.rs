//! What an agent should know before its next turn.

use schemars::JsonSchema;
use scrubjay_core::snippet::snippet;
use scrubjay_core::time::Timestamp;
use scrubjay_store::item::Item;
use serde::{Deserialize, Serialize};

use super::explain::{Explanation, MissingRecord, explanation};
use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::session_id as stored_id;
use super::spool::set_aside_warning;
use super::turn::Turn;
use crate::clients::{self, Client};
use crate::context::{
    Block, Injected, InjectionQuery, Rejected, Wanted, check_budget, following_threshold, hook_preview, inject,
    last_messages, near_misses, preview, shown,
};
use crate::pause::Quiet;
use crate::record::round;
use crate::{Ctx, EngineError, Result};

/// Give an agent the few lines that matter before its next turn.
///
/// The text is fenced as data and ready to be put into a prompt. Facts, notes and what other conversations said are looked through; what this session was shown before is left out. Nothing relevant gives an empty text.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InjectInput {
    /// The message that the agent is about to answer.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TEXT", "optional": true}))]
    pub text: String,
    /// The conversation, so that nothing is shown twice in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The last messages, oldest first: JSON lines with role and content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"lines": true, "value": "FILE"}))]
    pub messages: Vec<Turn>,
    /// How many items at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
    /// How many tokens the text may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// The least relevance, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_score: Option<f64>,
    /// Only from this source: facts, memory (note files), sessions, code or docs; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "source", "value": "SOURCE"}))]
    pub sources: Vec<String>,
    /// Say of each item why it is there, and what was left out and why.
    #[schemars(extend("x-cli" = {"short": "e"}))]
    pub explain: bool,
    /// Also say what this client's hook would hand over with it, and only look, as with peek.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = clients::names()))]
    pub client: Option<String>,
    /// Only look: there is no receipt, nothing counts as used, and the conversation counts as not shown it.
    pub peek: bool,
}

/// What to put before the turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InjectOutput {
    /// The block; empty if nothing is relevant.
    pub text: String,
    /// Its number of tokens.
    pub tokens: usize,
    /// What is in it, in order.
    pub items: Vec<InjectedRecord>,
    /// The receipt; null if nothing was injected.
    pub receipt: Option<String>,
    /// On request: what was left out, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<InjectExplanation>,
    /// On request: what a client would be handed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<HookRecord>,
    /// What was missing in the search.
    pub warnings: Vec<String>,
}

/// What a client would be handed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookRecord {
    /// The client.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// What a conversation of it begins with; empty if nothing is known, or this one was told already.
    pub beginning: String,
    /// What its hook would write before this turn, letter by letter; empty if nothing.
    pub output: String,
    /// Why nothing is handed over before this turn; null if something is.
    pub nothing_because: Option<String>,
}

/// One item of a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InjectedRecord {
    /// The memory's id; for a piece of a file, the document's with the lines.
    pub id: String,
    /// The memory's kind, or `chunk`.
    pub kind: String,
    /// The memory's type.
    #[serde(rename = "type")]
    pub memory_type: String,
    /// `facts`, `sessions`, `memory`, `code` or `docs`.
    pub source: String,
    /// The part of the block: `relevant`, `repository` or `insight`.
    pub section: String,
    /// How well it fits, 0 to 1.
    pub relevance: f64,
    /// What the order follows, 0 to 1.
    pub score: f64,
    /// How many tokens it takes.
    pub tokens: usize,
    /// Whether only a part of it is there.
    pub cut: bool,
    /// Where it lives.
    pub scope: String,
    /// The conversation it belongs to.
    pub session_id: Option<String>,
    /// The file it came from.
    pub path: Option<String>,
    /// When it happened; for a file, when it was changed last.
    pub event_time: String,
    /// On request: what it says, at most 700 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// On request: how it came to its place; null for the reflection, which is not searched for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// What was left out of a block, and why.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InjectExplanation {
    /// The relevance that the best hit must have, or nothing is injected.
    pub threshold: f64,
    /// The relevance that is enough for what comes along with it.
    pub following_threshold: f64,
    /// If nothing is relevant: what was missing.
    pub missing: Option<MissingRecord>,
    /// What was found and is not in the block, the most relevant first.
    pub left_out: Vec<LeftOutHit>,
}

/// Something that was found and is not in the block.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutHit {
    /// The memory's id; for a piece of a file, the document's with the lines.
    pub id: String,
    /// The memory's kind, or `chunk`.
    pub kind: String,
    /// `below_threshold`, `shown`, `superseded`, `newer`, `states_nothing`, `foreign`, `task_note`, `file_gone`, `too_many`, `no_room` or, for a reflection, `once_a_day`.
    pub reason: String,
    /// The same in words.
    pub detail: String,
    /// How well it fits, 0 to 1; null for a reflection, which is not searched for.
    pub relevance: Option<f64>,
    /// When it happened; for a file, when it was changed last.
    pub event_time: String,
    /// What it says, at most 700 characters.
    pub snippet: String,
}

/// `inject`.
pub struct Inject;

impl Operation for Inject {
    type Input = InjectInput;
    type Output = InjectOutput;
    const NAME: &'static str = "inject";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["inject"], http: true, mcp: None };
    const SYNCS_FILES: bool = true;
    const GROUP: Group = Group::Agent;
    const EXAMPLES: &'static str = r#"  scrubjay inject "who owns billing?"
  scrubjay inject --explain "who owns billing?"
  scrubjay inject --session standup --json "who owns billing?" | jq -r .text
  tail -n 3 conversation.jsonl | scrubjay inject --messages - --budget 300"#;

    async fn run(ctx: &Ctx, input: InjectInput) -> Result<InjectOutput> {
        let quiet = Quiet::of(ctx)?.reason(&ctx.view().home(), input.session.as_deref(), None);
        if let Some(why) = quiet {
            return Ok(InjectOutput {
                warnings: vec![format!("nothing is handed out here: {why}")],
                ..InjectOutput::default()
            });
        }
        let client = input.client.as_deref().map(clients::find).transpose()?;
        let (explains, peeks) = (input.explain, input.peek);
        let wanted = wanted(ctx, input).await?;
        let (mut block, client) = match client {
            Some(client) => {
                let handed = hand_to(ctx, client, &wanted).await?;
                (handed.block, Some(handed.client))
            }
            None if peeks => (preview(ctx, &wanted).await?, None),
            None => (inject(ctx, &wanted).await?, None),
        };
        block.warnings.extend(set_aside_warning(ctx));
        let explanation = if explains { Some(why(ctx, &wanted, &block).await?) } else { None };
        let max_chars = explains.then_some(ctx.config().settings.query.snippet_chars);
        Ok(InjectOutput {
            items: block.items.iter().map(|item| record(item, max_chars)).collect(),
            text: block.text,
            tokens: block.tokens,
            receipt: block.receipt,
            explanation,
            client,
            warnings: block.warnings,
        })
    }
}

struct Handed {
    block: Block,
    client: HookRecord,
}

// What the hook of a client would do with this prompt, without noting it.
async fn hand_to(ctx: &Ctx, client: &Client, wanted: &Wanted) -> Result<Handed> {
    let preview = hook_preview(ctx, client, wanted).await?;
    let record = HookRecord {
        name: client.name.to_owned(),
        title: client.title.to_owned(),
        beginning: preview.beginning,
        output: preview.output,
        nothing_because: preview.nothing_because,
    };
    Ok(Handed { block: preview.block, client: record })
}

/// The text that [`Inject`] would give, without noting that it was given.
pub(crate) async fn injected_text(ctx: &Ctx, input: InjectInput) -> Result<String> {
    Ok(preview(ctx, &wanted(ctx, input).await?).await?.text)
}

async fn wanted(ctx: &Ctx, input: InjectInput) -> Result<Wanted> {
    let settings = &ctx.config().settings;
    let session_id = match input.session.as_deref().map(str::trim) {
        Some("") => return Err(EngineError::invalid("the session is empty; leave it out or name one")),
        other => other.map(|session| stored_id(ctx, session)),
    };
    let mut messages: Vec<String> = input.messages.into_iter().map(|turn| turn.content).collect();
    messages.push(input.text);
    messages.retain(|message| !message.trim().is_empty());
    if messages.is_empty() && session_id.is_none() {
        return Err(EngineError::invalid(
            "say what the agent is about to answer: a text, --messages FILE or --session S",
        ));
    }
    let count = settings.inject.messages;
    let redact = settings.capture.redact;
    let recent = messages.split_off(messages.len().saturating_sub(count));
    let mut asked = InjectionQuery::of(&recent, redact);
    if let Some(session_id) = session_id.as_deref().filter(|_| asked.is_empty() || asked.wants_more()) {
        asked = InjectionQuery::following(last_messages(ctx, session_id, count).await?, recent, count, redact);
    }
    let min_relevance = input.min_score.unwrap_or(settings.inject.min_score);
    if !(0.0..=1.0).contains(&min_relevance) {
        return Err(EngineError::invalid(format!("min_score {min_relevance} is not between 0 and 1")));
    }
    let sources = if input.sources.is_empty() { &settings.inject.sources } else { &input.sources };
    Ok(Wanted {
        asked,
        session_id,
        max_items: super::list::limit(input.limit, settings.inject.max_items)?,
        max_tokens: check_budget(input.budget.unwrap_or(settings.inject.max_tokens))?,
        min_relevance,
        sources: sources.iter().map(|name| name.parse().map_err(EngineError::invalid)).collect::<Result<_>>()?,
        reflection: settings.inject.reflection,
        now: ctx.now(),
    })
}

// With `max_chars` characters of its text and how it came to its place, if those are wanted.
fn record(item: &Injected, max_chars: Option<usize>) -> InjectedRecord {
    let piece = &item.piece;
    let (kind, memory_type, session_id, path) = match &piece.item {
        Item::Memory(memory) => (
            memory.kind().to_string(),
            memory.memory_type.to_string(),
            memory.session_id.clone(),
            memory.origin.path.clone(),
        ),
        Item::Chunk(chunk) => ("chunk".to_owned(), chunk.source.to_string(), None, Some(chunk.path.clone())),
    };
    let place = item.found.as_ref().map_or(0, |found| found.place);
    InjectedRecord {
        id: piece.shown.to_string(),
        kind,
        memory_type,
        source: piece.source().to_string(),
        section: item.section.to_owned(),
        relevance: round(piece.relevance),
        score: round(piece.score),
        tokens: item.tokens,
        cut: item.cut,
        scope: piece.item.scope().to_string(),
        session_id,
        path,
        event_time: time_of(&piece.item).to_string(),
        snippet: max_chars.map(|max_chars| snippet(piece.item.text(), place, max_chars).text),
        explanation: item.found.as_ref().filter(|_| max_chars.is_some()).map(explanation),
    }
}

async fn why(ctx: &Ctx, wanted: &Wanted, block: &Block) -> Result<InjectExplanation> {
    let near = near_misses(ctx, wanted, block).await?;
    let mut all: Vec<&Rejected> = block.rejected.iter().chain(&near).collect();
    all.sort_by(|a, b| b.relevance.unwrap_or_default().total_cmp(&a.relevance.unwrap_or_default()));
    let best = all.iter().filter_map(|rejected| rejected.relevance).reduce(f64::max);
    let is_empty = !block.items.iter().any(|item| item.found.is_some());
    let missing =
        is_empty.then(|| MissingRecord::of(wanted.min_relevance, best, block.asks_for_nothing, &block.missing));
    let max_chars = ctx.config().settings.query.snippet_chars;
    Ok(InjectExplanation {
        threshold: round(wanted.min_relevance),
        following_threshold: round(following_threshold(wanted.min_relevance)),
        missing,
        left_out: all.into_iter().map(|rejected| left_out(rejected, max_chars)).collect(),
    })
}

fn left_out(rejected: &Rejected, max_chars: usize) -> LeftOutHit {
    let kind = match &rejected.item {
        Item::Memory(memory) => memory.kind().to_string(),
        Item::Chunk(_) => "chunk".to_owned(),
    };
    LeftOutHit {
        id: shown(&rejected.item).to_string(),
        kind,
        reason: rejected.why.name().to_owned(),
        detail: rejected.why.sentence(),
        relevance: rejected.relevance.map(round),
        event_time: time_of(&rejected.item).to_string(),
        snippet: snippet(rejected.item.text(), rejected.place, max_chars).text,
    }
}

fn time_of(item: &Item) -> Timestamp {
    match item {
        Item::Memory(memory) => memory.event_time,
        Item::Chunk(chunk) => chunk.modified_at,
    }
}
