//! Looking back upon a week.

use std::collections::BTreeMap;

use scrubjay_core::filter::{Field, Filter, Operator, Order, Scalar, Test};
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::{Kind, Memory, Origin, OriginKind};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::{DAY_MS, Timestamp};
use scrubjay_models::chat::{ChatRequest, ask};
use scrubjay_store::change::Change;
use scrubjay_store::query::{Activity, ListQuery};
use serde::Deserialize;
use serde_json::{Value, json};

use super::digest::digest;
use crate::capture::{Draft, clean, prepare};
use crate::consolidate::Extent;
use crate::extract::{PromptName, marked, prompt};
use crate::models::Role;
use crate::queue::after_writing;
use crate::{Ctx, Result};

/// How far it looks back, in days.
const DAYS: i64 = 7;

/// So soon after the last one there is no other, in days.
const APART_DAYS: f64 = 6.0;

/// Fewer facts add up to nothing.
const FACTS: usize = 3;

/// How many memories it looks at.
const MEMORIES: usize = 200;

/// The longest reflection, in characters.
const CHARS: usize = 4000;

/// What came of looking back.
#[derive(Debug, Clone, PartialEq)]
pub struct Reflected {
    /// Whose week it was.
    pub scope: Scope,
    /// What it adds up to; none if there was no reason to look.
    pub content: Option<String>,
    /// The reflection, if it was kept.
    pub id: Option<MemoryId>,
    /// The run that kept it.
    pub run: Option<RunId>,
    /// How many facts were looked at.
    pub facts: usize,
    /// Who wrote it: `digest`, or a model's id.
    pub by: String,
    /// Why there is none.
    pub skipped: Option<String>,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Answer {
    content: String,
}

/// The newest reflection that a view sees.
///
/// # Errors
/// When the store fails.
pub async fn latest(ctx: &Ctx, view: &View) -> Result<Option<Memory>> {
    let filter = Filter::default().and_equal(Field::Kind, Kind::Reflection.name());
    let order = Order { field: Field::CreatedAt, ascending: false };
    let query = ListQuery { filter, activity: Activity::Active, order, limit: 1, ..ListQuery::default() };
    Ok(ctx.store().await?.list(view, query).await?.memories.into_iter().next())
}

/// Looks back upon the last week of a scope, unless too little happened or it was done lately. What tools printed or
/// pages said is left out: the reflection would be theirs, and nobody would be handed it.
///
/// # Errors
/// When the store or a model fails.
pub async fn reflect(ctx: &Ctx, scope: &Scope, extent: Extent) -> Result<Reflected> {
    let mut reflected = Reflected {
        scope: scope.clone(),
        content: None,
        id: None,
        run: None,
        facts: 0,
        by: "digest".to_owned(),
        skipped: None,
        warnings: Vec::new(),
    };
    let now = ctx.now();
    if let Some(last) = last_of(ctx, scope).await?.filter(|last| now.days_since(last.created_at) < APART_DAYS) {
        reflected.skipped = Some(format!("the last one is of {}", last.created_at.date()));
        return Ok(reflected);
    }
    let since = now.plus_millis(-DAYS * DAY_MS);
    let facts = facts_since(ctx, scope, since).await?;
    reflected.facts = facts.len();
    if facts.len() < FACTS {
        let counted = if facts.len() == 1 { "one new fact".to_owned() } else { format!("{} new facts", facts.len()) };
        reflected.skipped = Some(format!("only {counted} in {DAYS} days; at least {FACTS} are needed"));
        return Ok(reflected);
    }
    let episodes = episodes_since(ctx, scope, since, MEMORIES - facts.len()).await?;
    let written = write(ctx, &facts, &episodes, &mut reflected).await?;
    let content = match written {
        Some(written) => written,
        None => digest(ctx, &View::of(scope), &facts, since, now).await?.text(),
    };
    let content = clean(&content, ctx.config().settings.capture.redact).text;
    if extent == Extent::Apply {
        keep(ctx, scope, &content, &facts, &mut reflected).await?;
    }
    reflected.content = Some(content);
    Ok(reflected)
}

async fn write(ctx: &Ctx, facts: &[Memory], episodes: &[Memory], reflected: &mut Reflected) -> Result<Option<String>> {
    let Some(chat) = ctx.chat(Role::Reflect).await? else { return Ok(None) };
    let line = |memory: &Memory| {
        let text: String = memory.content.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(400).collect();
        format!("- {} [{}] {text}", memory.event_time.date(), memory.memory_type)
    };
    let lines: Vec<String> = facts.iter().chain(episodes).map(line).collect();
    let schema = json!({
        "type": "object",
        "properties": {"content": {"type": "string"}},
        "required": ["content"],
        "additionalProperties": false,
    });
    let instructions = prompt(ctx, PromptName::Reflect)?.text;
    let request = ChatRequest::new(instructions, marked(&lines.join("\n"))).shaped("reflection", schema).up_to(1500);
    match ask::<Answer>(&*chat, &request, ctx.config().settings.chat.tries).await {
        Ok(asked) => {
            let content: String = asked.value.content.trim().chars().take(CHARS).collect();
            if content.is_empty() {
                let model = &chat.model().id;
                reflected.warnings.push(format!("{model} wrote nothing; a digest was made instead"));
                return Ok(None);
            }
            reflected.by = chat.model().id.clone();
            Ok(Some(content))
        }
        Err(error) if error.leaves_it_to_rules(chat.model()) => {
            reflected.warnings.push(format!("{error}; a digest was made instead"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

async fn keep(ctx: &Ctx, scope: &Scope, content: &str, facts: &[Memory], reflected: &mut Reflected) -> Result<()> {
    let stamp = ctx.stamp("reflect")?;
    let text = |text: &str| Value::String(text.to_owned());
    let draft = Draft {
        kind: Kind::Reflection,
        scope: scope.clone(),
        content: content.to_owned(),
        memory_type: Some("weekly".to_owned()),
        session_id: None,
        role: None,
        importance: None,
        confidence: None,
        event_time: None,
        origin: Origin::from(OriginKind::System),
        tags: vec!["weekly".to_owned()],
        source_ids: facts.iter().map(|fact| fact.id).collect(),
        attributes: BTreeMap::from([
            ("extractor".to_owned(), text(&reflected.by)),
            ("run".to_owned(), text(&stamp.run.to_string())),
        ]),
        client_id: None,
        explicit: false,
    };
    let new = prepare(ctx, draft)?;
    let (id, run) = (new.memory.id, stamp.run);
    let jobs = after_writing(ctx, scope)?;
    ctx.store().await?.apply(&View::of(scope), stamp, vec![Change::Create(Box::new(new))], jobs).await?;
    reflected.id = Some(id);
    reflected.run = Some(run);
    Ok(())
}

async fn last_of(ctx: &Ctx, scope: &Scope) -> Result<Option<Memory>> {
    let query = ListQuery {
        filter: of_scope(scope, Kind::Reflection),
        activity: Activity::Active,
        order: Order { field: Field::CreatedAt, ascending: false },
        limit: 1,
        ..ListQuery::default()
    };
    Ok(ctx.store().await?.list(&View::of(scope), query).await?.memories.into_iter().next())
}

async fn facts_since(ctx: &Ctx, scope: &Scope, since: Timestamp) -> Result<Vec<Memory>> {
    let query = ListQuery {
        filter: of_scope(scope, Kind::Fact).and_not_foreign().and(Field::CreatedAt, at_least(since)),
        activity: Activity::Active,
        order: Order { field: Field::Importance, ascending: false },
        limit: MEMORIES,
        ..ListQuery::default()
    };
    Ok(ctx.store().await?.list(&View::of(scope), query).await?.memories)
}

async fn episodes_since(ctx: &Ctx, scope: &Scope, since: Timestamp, limit: usize) -> Result<Vec<Memory>> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let query = ListQuery {
        filter: of_scope(scope, Kind::Episode).and_not_foreign().and(Field::CreatedAt, at_least(since)),
        activity: Activity::Active,
        order: Order { field: Field::EventTime, ascending: false },
        limit,
        ..ListQuery::default()
    };
    Ok(ctx.store().await?.list(&View::of(scope), query).await?.memories)
}

fn of_scope(scope: &Scope, kind: Kind) -> Filter {
    Filter::default().and_equal(Field::Kind, kind.name()).and_equal(Field::Scope, scope.to_string())
}

fn at_least(time: Timestamp) -> Test {
    Test::Compare(Operator::GreaterOrEqual, Scalar::Number(time.millis() as f64))
}
