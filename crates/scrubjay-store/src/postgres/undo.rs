//! Taking a run back.

use std::collections::BTreeSet;

use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::Link;
use scrubjay_core::scope::View;
use uuid::Uuid;

use super::changes::{self, Past};
use super::fault::Fault;
use super::value::{Value, get};
use super::work::Work;
use super::{entities, projects, row, scopes};
use crate::change::{Effect, HistoryEntry, MentionedEntity, NewMention, Stamp, UndoTarget, Undone};
use crate::{StoreError, rules};

/// What is taken back: a run, or of a run of captures the message with this row number alone. Messages that happened to
/// share a commit are not undone together.
type Target = (RunId, Option<i64>);

/// How many rows of history are looked through at a time for the last change.
const PAGE: i64 = 100;

/// Takes a run back, newest change first.
pub(super) async fn undo(work: &Work, view: &View, stamp: &Stamp, target: UndoTarget) -> Result<Undone, Fault> {
    let stamp = &Stamp { operation: rules::UNDO, ..stamp.clone() };
    let visible = scopes::visible(work, view).await?;
    let target = match target {
        UndoTarget::Run(run) => (run, None),
        UndoTarget::Last => {
            let deliberate = "scope = ANY ($2) AND operation <> 'capture' AND effect <> 'purged'";
            last(work, view, &visible, deliberate, &visible).await?
        }
        UndoTarget::Memory(id) => {
            let stored = row::need(work, view, id).await?;
            last(work, view, &visible, "memory = $2", &stored.pk).await?
        }
    };
    // A run that reached out of this view answers like one that never was.
    let run = target.0;
    let pasts = in_view(work, view, &visible, target).await?.ok_or_else(|| StoreError::not_found(run))?;
    let entries: Vec<HistoryEntry> = pasts.iter().map(|past| past.entry.clone()).collect();
    rules::check_undo(run, &entries)?;
    for past in &pasts {
        let condition = match past.pk {
            Some(_) => "c.seq > $2 AND c.memory = $3 AND c.scope = $4",
            None => "c.seq > $2 AND c.memory IS NULL AND $3 IS NULL AND c.scope = $4",
        };
        let later = changes::pasts(work, condition, &[&past.seq, &past.pk, &past.scope]).await?;
        if later.iter().any(|later| later.entry.stands_on(&past.entry)) {
            return Err(rules::buried(&past.entry).into());
        }
    }
    for past in &pasts {
        take_back(work, view, stamp, &past.entry).await?;
        let sql = "UPDATE changes SET undone_by = $2 WHERE agent = $1 AND seq = $3";
        work.execute(sql, &[&stamp.run.uuid(), &past.seq]).await?;
    }
    let memories: BTreeSet<MemoryId> = entries.iter().filter_map(|entry| entry.memory_id).collect();
    let operation = entries.into_iter().next().map(|entry| entry.operation).unwrap_or_default();
    Ok(Undone { run, operation, memories: memories.into_iter().collect(), changes: pasts.len() })
}

/// Whether a run has made changes, all by this operation and none out of view.
pub(super) async fn continues(work: &Work, view: Option<&View>, run: RunId, operation: &str) -> Result<bool, Fault> {
    let visible = match view {
        Some(view) => Some(scopes::visible(work, view).await?),
        None => None,
    };
    let sql = "SELECT coalesce(bool_and(operation = $3 AND ($4 IS NULL OR scope = ANY ($4))), false) FROM changes
               WHERE agent = $1 AND run = $2";
    get(&work.one(sql, &[&run.uuid(), &operation, &visible]).await?, 0)
}

async fn take_back(work: &Work, view: &View, stamp: &Stamp, entry: &HistoryEntry) -> Result<(), Fault> {
    match (entry.effect, entry.memory_id) {
        (Effect::Created | Effect::Updated | Effect::Ended | Effect::Reopened, Some(id)) => {
            let stored = row::need(work, view, id).await?;
            let patch = rules::taking_back(entry, &stored.memory, stamp.at);
            changes::patch_memory(work, stamp, stored, &patch).await?;
        }
        (Effect::Linked, _) => {
            if let Some(link) = standing(work, entry).await? {
                changes::unlink(work, view, stamp, link).await?;
            }
        }
        (Effect::Unlinked, _) => {
            if let Some(link) = standing(work, entry).await? {
                changes::link(work, view, stamp, link).await?;
            }
        }
        (Effect::Merged, _) => {
            if let Some(merged) = &entry.before.entity {
                entities::split(work, view, stamp, merged).await?;
            }
        }
        (Effect::Split, _) => {
            if let Some(merged) = &entry.before.entity {
                entities::merge(work, view, stamp, merged.into, merged.id).await?;
            }
        }
        (Effect::Mentioned, Some(id)) => {
            entities::unmention(work, view, stamp, id, &entry.before.mentions).await?;
        }
        (Effect::Unmentioned, Some(id)) => {
            let again = |one: &MentionedEntity| NewMention {
                id: one.id,
                name: one.name.clone(),
                entity_type: one.entity_type,
                alias: None,
            };
            let mentions: Vec<NewMention> = entry.before.mentions.iter().map(again).collect();
            entities::mention(work, view, stamp, id, &mentions).await?;
        }
        (Effect::Moved, Some(id)) => {
            if let Some(moved) = &entry.before.moved {
                projects::take_back(work, stamp, id, moved, &view.home()).await?;
            }
        }
        // Refused before, and a change without its memory was purged.
        (
            Effect::Purged
            | Effect::Moved
            | Effect::Created
            | Effect::Updated
            | Effect::Ended
            | Effect::Reopened
            | Effect::Mentioned
            | Effect::Unmentioned,
            _,
        ) => {}
    }
    Ok(())
}

// The link of a change while both its ends exist; a purge takes links along.
async fn standing<'a>(work: &Work, entry: &'a HistoryEntry) -> Result<Option<&'a Link>, Fault> {
    let Some(link) = &entry.before.link else { return Ok(None) };
    let exists = row::pk_of(work, link.from).await?.is_some() && row::pk_of(work, link.to).await?.is_some();
    Ok(exists.then_some(link))
}

// The last among those rows that is not an undoing, not undone and wholly in view.
async fn last(work: &Work, view: &View, visible: &[i64], condition: &str, value: &dyn Value) -> Result<Target, Fault> {
    let sql = format!(
        "SELECT seq, run, undone_by, CASE WHEN operation = 'capture' THEN memory END FROM changes
         WHERE agent = $1 AND {condition} AND operation <> 'undo' AND seq < $3 ORDER BY seq DESC LIMIT $4"
    );
    let mut passed_over = BTreeSet::new();
    let mut before = i64::MAX;
    loop {
        let page = work.rows(&sql, &[value, &before, &PAGE]).await?;
        for found in &page {
            before = get(found, 0)?;
            let target = (RunId::from(get::<Uuid>(found, 1)?), get(found, 3)?);
            let undone_by = get::<Option<Uuid>>(found, 2)?.map(RunId::from);
            if passed_over.contains(&target) || changes::undone_by(work, undone_by).await?.is_some() {
                continue;
            }
            if in_view(work, view, visible, target).await?.is_some() {
                return Ok(target);
            }
            passed_over.insert(target);
        }
        if page.is_empty() {
            return Err(rules::nothing_to_undo().into());
        }
    }
}

// The rows to be taken back, newest first; none if there are none, or if the run touched anything out of view.
async fn in_view(work: &Work, view: &View, visible: &[i64], target: Target) -> Result<Option<Vec<Past>>, Fault> {
    let (run, message) = target;
    let which = match message {
        Some(_) => "c.operation = 'capture' AND c.memory = $3",
        None => "c.operation <> 'capture' AND $3 IS NULL",
    };
    let hidden =
        format!("SELECT 1 FROM changes c WHERE c.agent = $1 AND c.run = $2 AND {which} AND c.scope <> ALL ($4)");
    if work.exists(&hidden, &[&run.uuid(), &message, &visible.to_vec()]).await? {
        return Ok(None);
    }
    let condition = format!("c.run = $2 AND {which} ORDER BY c.seq DESC");
    let pasts = changes::pasts(work, &condition, &[&run.uuid(), &message]).await?;
    // Moving is the owner's, and so is moving back.
    if view.hides_global() && pasts.iter().any(|past| past.entry.effect == Effect::Moved) {
        return Ok(None);
    }
    for past in &pasts {
        if let Some(link) = standing(work, &past.entry).await?
            && (row::find(work, view, link.from).await?.is_none() || row::find(work, view, link.to).await?.is_none())
        {
            return Ok(None);
        }
    }
    Ok(Some(pasts).filter(|pasts| !pasts.is_empty()))
}
