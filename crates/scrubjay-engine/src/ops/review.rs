//! What changed by itself and nobody looked at yet.

use schemars::JsonSchema;
use scrubjay_core::entity::Entity;
use scrubjay_core::error::ErrorCode;
use scrubjay_core::filter::{Cursor, Field, Filter, Operator, Order, Scalar, Test};
use scrubjay_core::memory::{Kind, Memory, Relation};
use scrubjay_core::scope::View;
use scrubjay_core::snippet::one_line;
use scrubjay_store::context::{Confirmation, ConfirmationState};
use scrubjay_store::query::{Activity, ListQuery};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EntityMerge;
use super::entity::find_one;
use super::list::limit;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::record::round;
use crate::{Ctx, EngineError, Result};

/// How many are shown unless asked for another number.
const SHOWN: usize = 20;

/// How much of a turn is shown, in characters.
const TURN_CHARS: usize = 200;

/// How many memories that mention an entity are looked at, and how many of them are shown.
const MENTIONS: usize = 100;
const SHOWN_MENTIONS: usize = 3;

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
    /// For the question whether two names mean one: what speaks for it and against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<ReviewMerge>,
}

/// Two entities that may be one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewMerge {
    /// The one that would stay.
    pub into: ReviewEntity,
    /// The one that would become another name of it.
    pub from: ReviewEntity,
    /// Memories that mention both, among the newest hundred of each, shortened.
    pub together: Vec<ReviewTurn>,
}

/// An entity, and where it is mentioned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewEntity {
    /// The entity.
    pub id: String,
    /// The name it goes by.
    pub name: String,
    /// Its type, such as person.
    #[serde(rename = "type")]
    pub entity_type: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// How many memories mention it.
    pub mention_count: u64,
    /// The newest of those that do not mention the other, shortened.
    pub memories: Vec<ReviewTurn>,
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
        let mut confirmations = Vec::new();
        for waiting in waiting.into_iter().filter(|waiting| waiting.expires_at > ctx.now()) {
            let merge = merge(ctx, &waiting).await?;
            confirmations.push(ReviewQuestion { id: waiting.id.to_string(), question: waiting.question, merge });
        }
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
            item.turns.push(self::turn(&turn));
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

// What there is to know about a merge that waits; none if it is another question, or one of the two is gone.
async fn merge(ctx: &Ctx, waiting: &Confirmation) -> Result<Option<ReviewMerge>> {
    if waiting.operation != EntityMerge::NAME {
        return Ok(None);
    }
    let place = ctx.at(View::of(&waiting.scope))?;
    let mut entities = Vec::with_capacity(2);
    for side in ["into", "from"] {
        let named = waiting.input.get(side).and_then(Value::as_str).unwrap_or_default();
        let found = match find_one(&place, named).await {
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            found => found?,
        };
        let query = ListQuery { entity: Some(found.id), limit: MENTIONS, ..ListQuery::default() };
        entities.push((found, ctx.store().await?.list(place.view(), query).await?.memories));
    }
    let [(into, in_into), (from, in_from)] = &entities[..] else { return Ok(None) };
    let has = |memories: &[Memory], id| memories.iter().any(|memory| memory.id == id);
    let together = in_from.iter().filter(|memory| has(in_into, memory.id));
    Ok(Some(ReviewMerge {
        into: side(into, in_into.iter().filter(|memory| !has(in_from, memory.id))),
        from: side(from, in_from.iter().filter(|memory| !has(in_into, memory.id))),
        together: together.take(SHOWN_MENTIONS).map(turn).collect(),
    }))
}

fn side<'a>(entity: &Entity, memories: impl Iterator<Item = &'a Memory>) -> ReviewEntity {
    ReviewEntity {
        id: entity.id.to_string(),
        name: entity.name.clone(),
        entity_type: entity.entity_type.to_string(),
        aliases: entity.aliases.clone(),
        mention_count: entity.mention_count,
        memories: memories.take(SHOWN_MENTIONS).map(turn).collect(),
    }
}

fn turn(memory: &Memory) -> ReviewTurn {
    ReviewTurn { id: memory.id.to_string(), role: memory.role.clone(), text: one_line(&memory.content, TURN_CHARS) }
}
