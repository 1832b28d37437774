//! Destroying for good.

use scrubjay_core::count::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use schemars::JsonSchema;
use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::Scope;
use scrubjay_store::Store;
use scrubjay_store::change::{PURGES, PURGES_IN_INDEX};
use scrubjay_store::item::ItemKey;
use scrubjay_store::query::{Activity, ListQuery};
use serde::{Deserialize, Serialize};

use super::meant::{Meant, every_view};
use super::operation::{Group, Operation, Risk, Surfaces};
use super::preview::{Preview, previews};
use crate::record::memory_id;
use crate::tiers::{current, inside};
use crate::{Ctx, EngineError, Result};

/// Destroy memories for good, with everything derived from them.
///
/// Text, search index, links, entities that only they mention and the contents of their history go. A hash stays, so that the same text is not learned again. Backups made earlier still hold them. This cannot be undone; to forget reversibly use `forget`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PurgeInput {
    /// The memories.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
    /// Everything of a conversation, instead of ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Everything that names a person or thing, instead of ids; what is known of it goes as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"value": "NAME"}))]
    pub entity: Option<String>,
    /// With a conversation or a name: in every project. For the owner.
    pub all_projects: bool,
    /// The task whose notes are meant; all of them if no ids are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Only say what would be destroyed.
    pub dry_run: bool,
    /// Really destroy them.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// What was destroyed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PurgeOutput {
    /// The memories, derived ones included.
    pub ids: Vec<String>,
    /// How many of them were only made from what was meant, such as facts from a conversation.
    #[serde(default)]
    pub derived: usize,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
    /// What would be destroyed, with its texts; the first twenty, with `dry_run`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<Preview>,
    /// What still holds copies.
    pub warnings: Vec<String>,
}

/// How many files are told by name.
const FILES_TOLD: usize = 5;

/// How often and how long to wait for a process that writes the index.
const INDEX_TRIES: usize = 100;
const INDEX_WAIT: Duration = Duration::from_millis(20);

/// `purge`.
pub struct Purge;

impl Operation for Purge {
    type Input = PurgeInput;
    type Output = PurgeOutput;
    const NAME: &'static str = "purge";
    const RISK: Risk = Risk::Destroy;
    const SURFACES: Surfaces = Surfaces { command: &["purge"], http: true, mcp: None };
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r#"  scrubjay purge --dry-run fact_2b7e91c4
  scrubjay purge --yes fact_2b7e91c4"#;

    async fn run(ctx: &Ctx, input: PurgeInput) -> Result<PurgeOutput> {
        let ids: Vec<MemoryId> = input.ids.iter().map(|id| memory_id(id)).collect::<Result<_>>()?;
        if input.session.is_some() || input.entity.is_some() {
            if !ids.is_empty() || input.task.is_some() || (input.session.is_some() && input.entity.is_some()) {
                return Err(EngineError::invalid("give ids, a task, a session or an entity: one of them"));
            }
            return purge_by_name(ctx, &input).await;
        }
        if input.all_projects {
            return Err(EngineError::invalid("--all-projects goes with --session or --entity"));
        }
        let (ctx, ids) = match &input.task {
            Some(name) => {
                let there = inside(ctx, &current(ctx, Some(name)).await?)?;
                let ids = if ids.is_empty() { notes(&there).await? } else { ids };
                (there, ids)
            }
            None if ids.is_empty() => {
                return Err(EngineError::invalid(
                    "say which memories to destroy: by id, --session S, --entity NAME or --task NAME",
                ));
            }
            None => (ctx.clone(), ids),
        };
        if input.dry_run || !input.yes {
            let would = would_destroy(&ctx, Self::NAME, ids).await?;
            return if input.dry_run { Ok(would) } else { Err(refusal(&would)) };
        }
        destroy(&ctx, Self::NAME, ids).await
    }
}

// What belongs to a conversation or names someone, in this project or in all of them.
async fn purge_by_name(ctx: &Ctx, input: &PurgeInput) -> Result<PurgeOutput> {
    let mut sum = PurgeOutput { dry_run: input.dry_run, ..PurgeOutput::default() };
    let views = if input.all_projects { every_view(ctx).await? } else { vec![ctx.view().clone()] };
    let (mut found, mut files) = (Vec::new(), BTreeSet::new());
    for view in views {
        let there = ctx.at(view)?;
        let meant = match (&input.session, &input.entity) {
            (Some(session), _) => Meant::of_session(&there, session).await?,
            (None, Some(name)) => Meant::of_entity(&there, name).await?,
            (None, None) => Meant::default(),
        };
        if input.entity.is_some() {
            files.extend(meant.files(&there).await?);
        }
        if !meant.is_empty() {
            found.push((there, meant));
        }
    }
    if found.is_empty() {
        let name = input.session.as_ref().or(input.entity.as_ref()).map_or("", String::as_str);
        let files = still_in(&files).map(|files| format!("; {files}")).unwrap_or_default();
        return Err(EngineError::not_found(format!("nothing here is from or about `{}`{files}", name.trim())));
    }
    let is_done = input.yes && !input.dry_run;
    for (there, Meant { ids, entities, .. }) in found {
        // What is global was found from every project, and is gone after the first.
        let store = there.store().await?;
        let mut left = Vec::new();
        for id in ids {
            if !sum.ids.contains(&id.to_string()) && store.get(there.view(), id).await?.is_some() {
                left.push(id);
            }
        }
        let one = match is_done {
            true => destroy(&there, Purge::NAME, left).await?,
            false => would_destroy(&there, Purge::NAME, left).await?,
        };
        sum.derived += one.derived;
        sum.ids.extend(one.ids);
        sum.memories.extend(one.memories);
        sum.warnings = one.warnings;
        if is_done {
            for entity in entities {
                store.forget_entity(there.view(), entity).await?;
            }
        }
    }
    sum.warnings.extend(still_in(&files));
    if is_done || input.dry_run { Ok(sum) } else { Err(refusal(&sum)) }
}

// Files are their owner's: they are told, and stay.
fn still_in(files: &BTreeSet<String>) -> Option<String> {
    let named: Vec<&str> = files.iter().take(FILES_TOLD).map(String::as_str).collect();
    let more = files.len().saturating_sub(named.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let advice = "change them, or `scrubjay sources remove` their folder";
    (!named.is_empty()).then(|| format!("indexed files still say it: {}{more}; {advice}", named.join(", ")))
}

fn refusal(would: &PurgeOutput) -> EngineError {
    let memories = counted(would.ids.len() as u64, "memory", "memories");
    let derived = match would.derived {
        0 => String::new(),
        count => format!(", {count} of them made from the others"),
    };
    EngineError::refused(format!(
        "this destroys {memories} for good{derived}; repeat with --yes, or use `scrubjay forget`, which can be undone"
    ))
}

async fn would_destroy(ctx: &Ctx, operation: &'static str, ids: Vec<MemoryId>) -> Result<PurgeOutput> {
    let named = ids.len();
    let purged = ctx.store().await?.purge(ctx.view(), ctx.stamp(operation)?, ids, true).await?;
    let memories = previews(ctx, &purged.memories).await?;
    let ids: Vec<String> = purged.memories.iter().map(ToString::to_string).collect();
    let derived = ids.len().saturating_sub(named);
    Ok(PurgeOutput { derived, ids, dry_run: true, memories, warnings: Vec::new() })
}

/// Destroys memories, and tells what still holds copies.
pub(super) async fn destroy(ctx: &Ctx, operation: &'static str, ids: Vec<MemoryId>) -> Result<PurgeOutput> {
    let store = ctx.store().await?;
    let named = ids.len();
    let before = store.mark(PURGES).await?.unwrap_or(0);
    let purged = store.purge(ctx.view(), ctx.stamp(operation)?, ids, false).await?;
    let in_index = purge_index(ctx, &purged.items).await;
    if in_index.is_ok() {
        note_index_purged(&*store, before).await?;
    }
    let mut warnings = Vec::new();
    if purged.still_in_log {
        warnings.push(
            "another process is reading an earlier state of the store, so what was purged is still in the store's \
             log file, though nothing finds it; it is wiped at the next write after that process has finished, \
             or when the store is next opened"
                .to_owned(),
        );
    }
    let older = crate::backups::list(ctx.home())?.len();
    if older > 0 {
        let folder = ctx.home().backups();
        warnings.push(format!("{older} earlier backups in {} still hold what was purged", folder.display()));
    }
    if let Err(why) = in_index {
        let what = "vectors of what was purged may still be in the index files, though nothing finds them";
        warnings.push(format!("{what} ({why}); they go when the daemon next looks, or by `scrubjay doctor --repair`"));
    }
    let ids: Vec<String> = purged.memories.iter().map(ToString::to_string).collect();
    let derived = ids.len().saturating_sub(named);
    Ok(PurgeOutput { derived, ids, warnings, ..PurgeOutput::default() })
}

// Every note of the task that the context stands in, whether it ended or not.
async fn notes(ctx: &Ctx) -> Result<Vec<MemoryId>> {
    let filter = Filter::default().and_equal(Field::Kind, Kind::Scratch.name());
    let mut query = ListQuery { filter, activity: Activity::Any, limit: 1000, ..ListQuery::default() };
    let store = ctx.store().await?;
    let mut ids = Vec::new();
    loop {
        let page = store.list(ctx.view(), query.clone()).await?;
        let in_task = |memory: &&Memory| matches!(memory.scope, Scope::Task(..));
        ids.extend(page.memories.iter().filter(in_task).map(|memory| memory.id));
        match page.next {
            Some(next) => query.after = Some(next),
            None if ids.is_empty() => return Err(EngineError::not_found("the task has no notes")),
            None => return Ok(ids),
        }
    }
}

// If another purge is not in the index yet, whoever finishes it makes the files
// anew, and counts this one too.
async fn note_index_purged(store: &dyn Store, before: u64) -> Result<()> {
    let now = store.mark(PURGES).await?.unwrap_or(0);
    if now == before + 1 && store.mark(PURGES_IN_INDEX).await?.unwrap_or(0) == before {
        store.set_mark(PURGES_IN_INDEX, now).await?;
    }
    Ok(())
}

// The index holds no text, but vectors tell a good deal about one.
async fn purge_index(ctx: &Ctx, items: &[(Scope, ItemKey)]) -> std::result::Result<(), String> {
    let mut by_scope: BTreeMap<String, Vec<ItemKey>> = BTreeMap::new();
    for (scope, key) in items {
        by_scope.entry(scope.to_string()).or_default().push(*key);
    }
    let index = ctx.index().await.map_err(|error| error.to_string())?;
    for _ in 0..INDEX_TRIES {
        if index.purge(&by_scope).map_err(|error| error.to_string())? {
            return Ok(());
        }
        tokio::time::sleep(INDEX_WAIT).await;
    }
    Err("another process is writing them".to_owned())
}
