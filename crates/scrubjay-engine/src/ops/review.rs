//! What changed by itself and nobody looked at yet.

use schemars::JsonSchema;
use scrubjay_core::filter::{Cursor, Field, Filter, Operator, Order, Scalar, Test};
use scrubjay_core::memory::{Kind, Memory, Relation};
use scrubjay_core::snippet::one_line;
use scrubjay_store::context::ConfirmationState;
use scrubjay_store::query::{Activity, ListQuery};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::list::limit;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::record::round;
use crate::{Ctx, EngineError, Result};

/// How many are shown unless asked for another number.
const SHOWN: usize = 20;

/// How much of a turn is shown, in characters.
const TURN_CHARS: usize = 200;

/// The attribute that says what there is to look at.
pub(super) const REVIEW: &str = "review";

/// List facts that came about or changed by themselves: new ones, merged ones, conflicts, and questions that wait.
///
/// `review keep`, `review edit` and `review reject` settle them; `undo RUN` takes back everything a run did.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReviewInput {
    /// Only these: new, merged or conflict.
    #[schemars(extend("enum" = ["new", "merged", "conflict"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
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
pub struct ReviewOutput {
    /// The facts, newest first.
    pub items: Vec<ReviewItem>,
    /// Where to go on; null at the end.
    pub next: Option<String>,
    /// What waits for an answer: `confirmations answer` takes it.
    pub confirmations: Vec<ReviewQuestion>,
}

/// A question to a person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewQuestion {
    /// The confirmation.
    pub id: String,
    /// What is asked.
    pub question: String,
}

/// A fact to look at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewItem {
    /// The fact.
    pub id: String,
    /// `new`, `merged` or `conflict`.
    pub reason: String,
    /// What it says.
    pub content: String,
    /// Its type.
    #[serde(rename = "type")]
    pub memory_type: String,
    /// Where it lives.
    pub scope: String,
    /// How much it matters.
    pub importance: f64,
    /// How sure it is.
    pub confidence: f64,
    /// Who found it: `rules`, or a model; null for a fact that a person made.
    pub extractor: Option<String>,
    /// The last run that changed it, for undoing it whole.
    pub run: Option<String>,
    /// The turns it rests on, shortened.
    pub turns: Vec<ReviewTurn>,
    /// Facts whose place it took.
    pub supersedes: Vec<ReviewOther>,
    /// Facts that it contradicts.
    pub contradicts: Vec<ReviewOther>,
}

/// A turn of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewTurn {
    /// The episode.
    pub id: String,
    /// Who said it.
    pub role: Option<String>,
    /// What was said, shortened.
    pub text: String,
}

/// Another fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewOther {
    /// The fact.
    pub id: String,
    /// What it says.
    pub content: String,
    /// How sure it is now.
    pub confidence: f64,
}

/// `review`.
pub struct Review;

impl Operation for Review {
    type Input = ReviewInput;
    type Output = ReviewOutput;
    const NAME: &'static str = "review";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["review"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = r#"  scrubjay review
  scrubjay review --only conflict"#;

    async fn run(ctx: &Ctx, input: ReviewInput) -> Result<ReviewOutput> {
        let field = || Field::Attribute(REVIEW.to_owned());
        let filter = Filter::default().and_equal(Field::Kind, Kind::Fact.name());
        let filter = match input.only.as_deref() {
            None => filter.and(field(), Test::Compare(Operator::NotEqual, Scalar::Null)),
            Some(reason @ ("new" | "merged" | "conflict")) => filter.and_equal(field(), reason),
            Some(other) => return Err(EngineError::invalid(format!("`{other}` is none of new, merged and conflict"))),
        };
        let order = Order { field: Field::CreatedAt, ascending: false };
        let after = input.cursor.as_deref().map(|text| Cursor::decode(text, &order)).transpose();
        let query = ListQuery {
            filter,
            activity: Activity::Active,
            order,
            limit: limit(input.limit, SHOWN)?,
            after: after.map_err(EngineError::invalid)?,
            ..ListQuery::default()
        };
        let page = ctx.store().await?.list(ctx.view(), query).await?;
        let mut items = Vec::with_capacity(page.memories.len());
        for memory in &page.memories {
            items.push(item(ctx, memory).await?);
        }
        let store = ctx.store().await?;
        let waiting = store.confirmations(ctx.view(), Some(ConfirmationState::Waiting), SHOWN).await?;
        let confirmations = waiting
            .into_iter()
            .filter(|waiting| waiting.expires_at > ctx.now())
            .map(|waiting| ReviewQuestion { id: waiting.id.to_string(), question: waiting.question })
            .collect();
        Ok(ReviewOutput { items, next: page.next.map(|cursor| cursor.encode()), confirmations })
    }
}

async fn item(ctx: &Ctx, memory: &Memory) -> Result<ReviewItem> {
    let store = ctx.store().await?;
    let text = |name: &str| memory.attributes.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut item = ReviewItem {
        id: memory.id.to_string(),
        reason: text(REVIEW).unwrap_or_default(),
        content: memory.content.clone(),
        memory_type: memory.memory_type.to_string(),
        scope: memory.scope.to_string(),
        importance: memory.importance.value(),
        confidence: memory.confidence.value(),
        extractor: text("extractor"),
        run: store.history(ctx.view(), memory.id).await?.last().map(|entry| entry.run.to_string()),
        ..ReviewItem::default()
    };
    for id in memory.source_ids.iter().take(5) {
        if let Some(turn) = store.get(ctx.view(), *id).await? {
            item.turns.push(ReviewTurn {
                id: id.to_string(),
                role: turn.role,
                text: one_line(&turn.content, TURN_CHARS),
            });
        }
    }
    for link in store.links(ctx.view(), memory.id).await?.iter().filter(|link| link.from == memory.id) {
        let list = match link.relation {
            Relation::Supersedes => &mut item.supersedes,
            Relation::Contradicts => &mut item.contradicts,
            _ => continue,
        };
        if let Some(other) = store.get(ctx.view(), link.to).await? {
            list.push(ReviewOther {
                id: other.id.to_string(),
                content: other.content,
                confidence: round(other.confidence.value()),
            });
        }
    }
    Ok(item)
}
