//! Forgetting, reversibly.

use schemars::JsonSchema;
use scrubjay_core::count::counted;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::EndedBy;
use scrubjay_store::change::Change;
use scrubjay_store::query::{Activity, ListQuery};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::meant::Meant;
use super::operation::{Group, Operation, Risk, Surfaces};
use super::pick::Pick;
use super::preview::{Preview, previews};
use super::tool::Tool;
use crate::record::memory_id;
use crate::tiers::{Ask, ask};
use crate::{Ctx, EngineError, Result};

/// How many memories one call forgets at most.
const AT_MOST: usize = 10_000;

/// Forget memories; they can be restored.
///
/// Give ids, or conditions for many at once: those are only counted unless `yes` is set.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ForgetInput {
    /// The memories.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "many", "value": "ID"}, "x-mcp" = "Their ids, from search_memory."))]
    pub ids: Vec<String>,
    /// Which memories, instead of ids.
    #[serde(flatten)]
    pub pick: Pick,
    /// Everything that names a person or thing, and what was made from it, instead of ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"value": "NAME"}))]
    pub entity: Option<String>,
    /// Only say what would be forgotten.
    pub dry_run: bool,
    /// Really forget everything that meets the conditions.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// What was forgotten.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ForgetOutput {
    /// The memories.
    pub ids: Vec<String>,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
    /// The run, for undoing it whole.
    pub run: Option<String>,
    /// What would be forgotten, with its texts; the first twenty, with `dry_run`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<Preview>,
    /// The confirmation that clearing all projects' memory waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
}

/// `forget`.
pub struct Forget;

impl Operation for Forget {
    type Input = ForgetInput;
    type Output = ForgetOutput;
    const NAME: &'static str = "forget";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["forget"], http: true, mcp: Some("forget_memory") };
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r#"  scrubjay forget fact_2b7e91c4
  scrubjay forget --tag old --dry-run
  scrubjay forget --kind episode --until "last year" --yes"#;
    const TOOL: Tool = Tool {
        about: "Forget memories that the person wants gone. They can be restored.",
        required: &["ids"],
        optional: &[],
    };

    async fn run(ctx: &Ctx, input: ForgetInput) -> Result<ForgetOutput> {
        let by_conditions = input.ids.is_empty();
        if by_conditions && input.pick.is_empty() && input.entity.is_none() {
            return Err(EngineError::invalid(
                "say what to forget: ids, --entity NAME, or conditions such as --session S or --tag T",
            ));
        }
        let ways = [!by_conditions, !input.pick.is_empty(), input.entity.is_some()];
        if ways.iter().filter(|way| **way).count() > 1 {
            return Err(EngineError::invalid("give ids, an entity or conditions: one of them"));
        }
        let store = ctx.store().await?;
        let only_session = Pick { session: input.pick.session.clone(), ..Pick::default() } == input.pick;
        let ids: Vec<MemoryId> = if let Some(name) = &input.entity {
            active(ctx, Meant::of_entity(ctx, name).await?).await?
        } else if let Some(session) = input.pick.session.as_ref().filter(|_| only_session) {
            active(ctx, Meant::of_session(ctx, session).await?).await?
        } else if by_conditions {
            let query = ListQuery {
                filter: input.pick.filter(ctx)?,
                activity: Activity::Active,
                limit: AT_MOST,
                ..ListQuery::default()
            };
            let page = store.list(ctx.view(), query).await?;
            if page.next.is_some() {
                return Err(EngineError::invalid(format!(
                    "more than {AT_MOST} memories meet these conditions; narrow them"
                )));
            }
            page.memories.iter().map(|memory| memory.id).collect()
        } else {
            let mut ids: Vec<MemoryId> = input.ids.iter().map(|id| memory_id(id)).collect::<Result<_>>()?;
            ids.sort_unstable();
            ids.dedup();
            for id in &ids {
                store.get(ctx.view(), *id).await?.ok_or_else(|| super::show::missing(&id.to_string()))?;
            }
            ids
        };
        let shown: Vec<String> = ids.iter().map(ToString::to_string).collect();
        if input.dry_run || ids.is_empty() {
            let memories = previews(ctx, &ids).await?;
            return Ok(ForgetOutput { ids: shown, memories, dry_run: input.dry_run, ..ForgetOutput::default() });
        }
        // Whoever asks for it, a person must allow that everything goes.
        let clears = input.pick == Pick { scope: Some("global".to_owned()), ..Pick::default() };
        if clears && !ctx.has_consent(input.yes) {
            let question = format!("Forget all {} memories that hold for all projects", ids.len());
            let pending = ask(ctx, Self::NAME, json!({"scope": "global", "yes": true}), question).await?;
            return Ok(ForgetOutput { pending: Some(pending.to_string()), ..ForgetOutput::default() });
        }
        // What is out of the caller's reach is the owner's to forget, and by id: conditions may be met by more then.
        let mut beyond = Vec::new();
        for id in &ids {
            let found = store.get(ctx.view(), *id).await?;
            beyond.extend(found.filter(|memory| !ctx.may_write(&memory.scope, &memory.memory_type)));
        }
        if let Some(first) = beyond.first() {
            let question = match ids.len() {
                1 => format!("Forget “{}”, which holds for all projects", first.content),
                count => format!("Forget {count} memories, {} of which hold for all projects", beyond.len()),
            };
            let pending = ask(ctx, Self::NAME, json!({"ids": shown}), question).await?;
            return Ok(ForgetOutput { pending: Some(pending.to_string()), ..ForgetOutput::default() });
        }
        if by_conditions && !input.yes {
            let memories = counted(ids.len() as u64, "memory", "memories");
            let message = format!("this would forget {memories}; repeat with --yes, or look first with --dry-run");
            return Err(EngineError::refused(message));
        }
        let stamp = ctx.stamp(Self::NAME)?;
        let run = Some(stamp.run.to_string());
        let end = |id| Change::End { id, expected_version: None, by: EndedBy::Forgotten };
        store.apply(ctx.view(), stamp, ids.into_iter().map(end).collect(), Vec::new()).await?;
        Ok(ForgetOutput { ids: shown, run, ..ForgetOutput::default() })
    }
}

// Those of these that are active, with what was made from them.
async fn active(ctx: &Ctx, meant: Meant) -> Result<Vec<MemoryId>> {
    let store = ctx.store().await?;
    let mut ids = Vec::new();
    for id in meant.with_derived(ctx).await?.ids {
        if store.get(ctx.view(), id).await?.is_some_and(|memory| memory.is_active()) {
            ids.push(id);
        }
    }
    Ok(ids)
}
