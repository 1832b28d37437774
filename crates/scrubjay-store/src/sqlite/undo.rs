//! Taking a run back.

use std::collections::BTreeSet;

use rusqlite::{Connection, Params};
use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::Link;
use scrubjay_core::scope::View;
use uuid::Uuid;

use super::changes::{self, Past};
use super::connection::Fault;
use super::{entities, projects, row, scopes};
use crate::change::{Effect, HistoryEntry, MentionedEntity, NewMention, Stamp, UndoTarget, Undone};
use crate::{StoreError, rules};

/// What is taken back: a run, or of a run of captures the message with this row
/// number alone. Messages that happened to share a commit are not undone
/// together.
type Target = (RunId, Option<i64>);

/// Takes a run back, newest change first.
pub(super) fn undo(connection: &Connection, view: &View, stamp: &Stamp, target: UndoTarget) -> Result<Undone, Fault> {
    let stamp = &Stamp { operation: rules::UNDO, ..stamp.clone() };
    let visible = scopes::visible(connection, view)?;
    let target = match target {
        UndoTarget::Run(run) => (run, None),
        UndoTarget::Last => {
            let deliberate = format!("scope IN ({visible}) AND operation <> 'capture' AND effect <> 'purged'");
            last(connection, view, &visible, &deliberate, [])?
        }
        UndoTarget::Memory(id) => {
            let stored = row::need(connection, view, id)?;
            last(connection, view, &visible, "memory = ?1", [stored.pk])?
        }
    };
    // A run that reached out of this view answers like one that never was.
    let run = target.0;
    let pasts = in_view(connection, view, &visible, target)?.ok_or_else(|| StoreError::not_found(run))?;
    let entries: Vec<HistoryEntry> = pasts.iter().map(|past| past.entry.clone()).collect();
    rules::check_undo(run, &entries)?;
    for past in &pasts {
        let condition = "c.seq > ?1 AND c.memory IS ?2 AND +c.scope = ?3";
        let later = changes::pasts(connection, condition, (past.seq, past.pk, past.scope))?;
        if later.iter().any(|later| later.entry.stands_on(&past.entry)) {
            return Err(rules::buried(&past.entry).into());
        }
    }
    for past in &pasts {
        take_back(connection, view, stamp, &past.entry)?;
        connection
            .prepare_cached("UPDATE changes SET undone_by = ?1 WHERE seq = ?2")?
            .execute((stamp.run.uuid(), past.seq))?;
    }
    let memories: BTreeSet<MemoryId> = entries.iter().filter_map(|entry| entry.memory_id).collect();
    let operation = entries.into_iter().next().map(|entry| entry.operation).unwrap_or_default();
    Ok(Undone { run, operation, memories: memories.into_iter().collect(), changes: pasts.len() })
}

/// Whether a run has made changes, all by this operation and none out of view.
pub(super) fn continues(
    connection: &Connection,
    view: Option<&View>,
    run: RunId,
    operation: &str,
) -> Result<bool, Fault> {
    let in_view = match view {
        Some(view) => format!("scope IN ({})", scopes::visible(connection, view)?),
        None => "1".to_owned(),
    };
    let sql = format!("SELECT operation = ?2 AND {in_view} FROM changes WHERE run = ?1");
    let mut statement = connection.prepare_cached(&sql)?;
    let fits = statement.query_map((run.uuid(), operation), |row| row.get(0))?;
    let fits = fits.collect::<rusqlite::Result<Vec<bool>>>()?;
    Ok(!fits.is_empty() && fits.into_iter().all(|fits| fits))
}

fn take_back(connection: &Connection, view: &View, stamp: &Stamp, entry: &HistoryEntry) -> Result<(), Fault> {
    match (entry.effect, entry.memory_id) {
        (Effect::Created | Effect::Updated | Effect::Ended | Effect::Reopened, Some(id)) => {
            let stored = row::need(connection, view, id)?;
            let patch = rules::taking_back(entry, &stored.memory, stamp.at);
            changes::patch_memory(connection, stamp, stored, &patch)?;
        }
        (Effect::Linked, _) => {
            if let Some(link) = standing(connection, entry)? {
                changes::unlink(connection, view, stamp, link)?;
            }
        }
        (Effect::Unlinked, _) => {
            if let Some(link) = standing(connection, entry)? {
                changes::link(connection, view, stamp, link)?;
            }
        }
        (Effect::Merged, _) => {
            if let Some(merged) = &entry.before.entity {
                entities::split(connection, view, stamp, merged)?;
            }
        }
        (Effect::Split, _) => {
            if let Some(merged) = &entry.before.entity {
                entities::merge(connection, view, stamp, merged.into, merged.id)?;
            }
        }
        (Effect::Mentioned, Some(id)) => entities::unmention(connection, view, stamp, id, &entry.before.mentions)?,
        (Effect::Unmentioned, Some(id)) => {
            let again = |one: &MentionedEntity| NewMention {
                id: one.id,
                name: one.name.clone(),
                entity_type: one.entity_type,
                alias: None,
            };
            let mentions: Vec<NewMention> = entry.before.mentions.iter().map(again).collect();
            entities::mention(connection, view, stamp, id, &mentions)?;
        }
        (Effect::Moved, Some(id)) => {
            if let Some(moved) = &entry.before.moved {
                projects::take_back(connection, stamp, id, moved, &view.home())?;
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
fn standing<'a>(connection: &Connection, entry: &'a HistoryEntry) -> Result<Option<&'a Link>, Fault> {
    let Some(link) = &entry.before.link else { return Ok(None) };
    let exists = changes::pk_of(connection, link.from)?.is_some() && changes::pk_of(connection, link.to)?.is_some();
    Ok(exists.then_some(link))
}

// The last among those rows that is not an undoing, not undone and wholly in
// view.
fn last(
    connection: &Connection,
    view: &View,
    visible: &str,
    condition: &str,
    values: impl Params,
) -> Result<Target, Fault> {
    let sql = format!(
        "SELECT run, undone_by, iif(operation = 'capture', memory, NULL) FROM changes
         WHERE {condition} AND operation <> 'undo' ORDER BY seq DESC"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(values)?;
    let mut passed_over = BTreeSet::new();
    while let Some(found) = rows.next()? {
        let target = (RunId::from(row::uuid(found, 0)?), found.get(2)?);
        let undone_by = found.get::<_, Option<[u8; 16]>>(1)?.map(|bytes| RunId::from(Uuid::from_bytes(bytes)));
        if passed_over.contains(&target) || changes::undone_by(connection, undone_by)?.is_some() {
            continue;
        }
        if in_view(connection, view, visible, target)?.is_some() {
            return Ok(target);
        }
        passed_over.insert(target);
    }
    Err(rules::nothing_to_undo().into())
}

// The rows to be taken back, newest first; none if there are none, or if the run
// touched anything out of view.
fn in_view(connection: &Connection, view: &View, visible: &str, target: Target) -> Result<Option<Vec<Past>>, Fault> {
    let (run, message) = target;
    let which = match message {
        Some(_) => "operation = 'capture' AND memory = ?2",
        None => "operation <> 'capture' AND ?2 IS NULL",
    };
    let hidden = format!("SELECT 1 FROM changes WHERE run = ?1 AND {which} AND scope NOT IN ({visible})");
    if connection.prepare_cached(&hidden)?.exists((run.uuid(), message))? {
        return Ok(None);
    }
    let condition = format!("c.run = ?1 AND {} ORDER BY c.seq DESC", which.replace("memory", "c.memory"));
    let pasts = changes::pasts(connection, &condition, (run.uuid(), message))?;
    // Moving is the owner's, and so is moving back.
    if view.hides_global() && pasts.iter().any(|past| past.entry.effect == Effect::Moved) {
        return Ok(None);
    }
    for past in &pasts {
        if let Some(link) = standing(connection, &past.entry)?
            && (row::find(connection, view, link.from)?.is_none() || row::find(connection, view, link.to)?.is_none())
        {
            return Ok(None);
        }
    }
    Ok(Some(pasts).filter(|pasts| !pasts.is_empty()))
}
