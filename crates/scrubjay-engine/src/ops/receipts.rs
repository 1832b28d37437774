//! What agents were handed, and what they made of it.

use schemars::JsonSchema;
use scrubjay_core::id::ReceiptId;
use scrubjay_core::snippet::snippet;
use scrubjay_core::text::TextHash;
use scrubjay_store::context::{Receipt, ReceiptItem, ReceiptQuery, Verdict};
use serde::{Deserialize, Serialize};

use super::list::limit;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::session_id;
use crate::context::{judge, text_of};
use crate::record::round;
use crate::{Ctx, EngineError, Result};

/// How many receipts a page has unless told otherwise.
const PAGE: usize = 20;

/// How much of an item's text is shown.
const SNIPPET_CHARS: usize = 200;

/// Show what was injected into conversations, what it says, and whether the replies used it.
///
/// A receipt holds no text; what an item says is looked up now, so that what was purged is gone from here, too. Use is told by words that an item and the reply have in common, apart from those of the question. It changes no rank by itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReceiptsInput {
    /// Only this receipt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"id": "receipt", "positional": "optional", "value": "RECEIPT"}))]
    pub id: Option<String>,
    /// Only this conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// How many at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
    /// Where to go on, as the last answer's `next` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"id": "receipt"}))]
    pub cursor: Option<String>,
}

/// Part of the list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptsOutput {
    /// The receipts, newest first.
    pub receipts: Vec<ReceiptRecord>,
    /// Where to go on; null at the end.
    pub next: Option<String>,
    /// What could not be told.
    pub warnings: Vec<String>,
}

/// What an agent was handed at one time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptRecord {
    /// Its id.
    pub id: String,
    /// When.
    pub time: String,
    /// `inject`, `session-start`, `loop` or `tiers`.
    pub profile: String,
    /// The conversation.
    pub session_id: Option<String>,
    /// How many tokens there was room for; 0 for `session-start`, whose room is counted in characters.
    pub budget: u64,
    /// How many it took.
    pub tokens: u64,
    /// Whether there was a reply to compare with.
    pub judged: bool,
    /// What was in it.
    pub items: Vec<ReceiptItemRecord>,
}

/// One thing that an agent was handed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptItemRecord {
    /// The memory, or the document with its lines.
    pub id: String,
    /// The part of the block.
    pub section: String,
    /// How many tokens it took.
    pub tokens: u64,
    /// How well it fitted.
    pub relevance: f64,
    /// What the order followed.
    pub score: f64,
    /// Whether the reply used it; null while there is no reply.
    pub used: Option<bool>,
    /// The share of its own words that the reply had.
    pub overlap: Option<f64>,
    /// What it says now, at most 200 characters; not there if it is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Whether only part of it was handed over.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// `changed` if it says something else since, `gone` if it was purged or cannot be seen from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// `receipts`.
pub struct Receipts;

impl Operation for Receipts {
    type Input = ReceiptsInput;
    type Output = ReceiptsOutput;
    const NAME: &'static str = "receipts";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["receipts"], http: true, mcp: None };
    const GROUP: Group = Group::Agent;
    const EXAMPLES: &'static str = r#"  scrubjay receipts -n 5
  scrubjay receipts --session standup"#;

    async fn run(ctx: &Ctx, input: ReceiptsInput) -> Result<ReceiptsOutput> {
        let limit = limit(input.limit, PAGE)?;
        let query = ReceiptQuery {
            id: input.id.as_deref().map(receipt_id).transpose()?,
            session_id: input.session.map(|session| session_id(ctx, &session)),
            before: input.cursor.as_deref().map(receipt_id).transpose()?,
            limit: limit + 1,
        };
        let wanted = query.id;
        let mut receipts = ctx.store().await?.receipts(ctx.view(), query).await?;
        if let Some(id) = wanted.filter(|_| receipts.is_empty()) {
            return Err(EngineError::not_found(format!(
                "there is no {id} here; `scrubjay receipts` lists those there are"
            )));
        }
        let more = receipts.len() > limit;
        receipts.truncate(limit);
        let mut warnings = Vec::new();
        judge_open(ctx, &mut receipts, &mut warnings).await?;
        let mut records = Vec::with_capacity(receipts.len());
        for receipt in &receipts {
            records.push(record(ctx, receipt).await?);
        }
        Ok(ReceiptsOutput {
            next: receipts.last().filter(|_| more).map(|receipt| receipt.id.to_string()),
            receipts: records,
            warnings,
        })
    }
}

/// Compares receipts with the replies that have come since. A store that cannot
/// be written still tells what is known.
pub(super) async fn judge_open(ctx: &Ctx, receipts: &mut [Receipt], warnings: &mut Vec<String>) -> Result<()> {
    for receipt in receipts.iter_mut().filter(|receipt| receipt.judged_at.is_none()) {
        match judge(ctx, receipt).await {
            Ok(Some(verdicts)) => {
                receipt.judged_at = Some(ctx.now());
                for (item, verdict) in receipt.items.iter_mut().zip(verdicts) {
                    item.verdict = Some(verdict);
                }
            }
            Ok(None) => {}
            Err(EngineError::Store(error)) => {
                warnings.push(format!("what {} was used for was not noted: {error}", receipt.id));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn receipt_id(text: &str) -> Result<ReceiptId> {
    text.trim().parse().map_err(EngineError::invalid)
}

async fn record(ctx: &Ctx, receipt: &Receipt) -> Result<ReceiptRecord> {
    let mut items = Vec::with_capacity(receipt.items.len());
    for entry in &receipt.items {
        // The view of whoever asks decides, not that of whom it was handed to.
        let text = text_of(ctx, &entry.item).await?;
        let state = match (&text, entry.text) {
            (None, _) => Some("gone"),
            (Some(now), Some(then)) if TextHash::of_message(now) != then => Some("changed"),
            _ => None,
        };
        items.push(ReceiptItemRecord {
            snippet: text.map(|text| snippet(&text, 0, SNIPPET_CHARS).text),
            state: state.map(str::to_owned),
            ..item(entry)
        });
    }
    Ok(ReceiptRecord {
        id: receipt.id.to_string(),
        time: receipt.at.to_string(),
        profile: receipt.profile.clone(),
        session_id: receipt.session_id.clone(),
        budget: receipt.budget_tokens,
        tokens: receipt.tokens,
        judged: receipt.judged_at.is_some(),
        items,
    })
}

/// A line of a receipt as answers show it, without its text.
pub(super) fn item(item: &ReceiptItem) -> ReceiptItemRecord {
    ReceiptItemRecord {
        id: item.item.to_string(),
        section: item.section.clone(),
        tokens: item.tokens,
        relevance: round(item.relevance),
        score: round(item.score),
        used: item.verdict.map(|verdict: Verdict| verdict.used),
        overlap: item.verdict.map(|verdict| round(verdict.overlap)),
        ..ReceiptItemRecord::default()
    }
}
