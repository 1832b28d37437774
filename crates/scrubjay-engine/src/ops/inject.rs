//! What an agent should know before its next turn.

use schemars::JsonSchema;
use scrubjay_store::item::Item;
use serde::{Deserialize, Serialize};

use super::operation::{Operation, Risk, Surfaces};
use super::pick::session_id as stored_id;
use super::record::round;
use super::spool::set_aside_warning;
use super::turn::Turn;
use crate::context::{Asked, Injected, Wanted, check_budget, inject, last_messages};
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
    /// What was missing in the search.
    pub warnings: Vec<String>,
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
}

/// `inject`.
pub struct Inject;

impl Operation for Inject {
    type Input = InjectInput;
    type Output = InjectOutput;
    const NAME: &'static str = "inject";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["inject"], http: true, mcp: None };

    async fn run(ctx: &Ctx, input: InjectInput) -> Result<InjectOutput> {
        let mut block = inject(ctx, &wanted(ctx, input).await?).await?;
        block.warnings.extend(set_aside_warning(ctx));
        Ok(InjectOutput {
            items: block.items.iter().map(record).collect(),
            text: block.text,
            tokens: block.tokens,
            receipt: block.receipt,
            warnings: block.warnings,
        })
    }
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
    let mut asked = Asked::of(&recent, redact);
    if let Some(session_id) = session_id.as_deref().filter(|_| asked.is_empty() || asked.wants_more()) {
        asked = Asked::following(last_messages(ctx, session_id, count).await?, recent, count, redact);
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

fn record(item: &Injected) -> InjectedRecord {
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
    }
}
