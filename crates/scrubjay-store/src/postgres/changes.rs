//! Changes to memories, and the history they leave.

use scrubjay_core::id::{MemoryId, RunId};
use scrubjay_core::memory::{Ended, Kind, Link, Memory, Origin, OriginKind, Relation};
use scrubjay_core::scope::View;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::row::{self, Stored};
use super::value::{Value, count, from_json, get, integer, parse, to_json};
use super::work::{Counter, Work};
use super::{capture, entities, index_log, jobs, scopes, sessions};
use crate::change::{Applied, Before, Change, Effect, HistoryEntry, NewJob, NewMemory, Patch, Stamp};
use crate::item::ItemKey;
use crate::{StoreError, rules};

/// A row of history with what its table alone knows.
pub(super) struct Past {
    pub(super) seq: i64,
    pub(super) scope: i64,
    pub(super) pk: Option<i64>,
    pub(super) entry: HistoryEntry,
}

/// Makes all changes of a run.
pub(super) async fn apply(
    work: &Work,
    view: &View,
    stamp: &Stamp,
    changes: &[Change],
    new_jobs: &[NewJob],
) -> Result<Vec<Applied>, Fault> {
    let mut applied = Vec::with_capacity(changes.len());
    for change in changes {
        applied.push(apply_one(work, view, stamp, change).await?);
    }
    jobs::enqueue(work, new_jobs, stamp.at).await?;
    Ok(applied)
}

async fn apply_one(work: &Work, view: &View, stamp: &Stamp, change: &Change) -> Result<Applied, Fault> {
    Ok(match change {
        Change::Create(new) => create(work, view, stamp, new).await?,
        Change::Update { id, expected_version, patch } => {
            let stored = row::need(work, view, *id).await?;
            rules::expect_version(&stored.memory, *expected_version)?;
            applied_memory(update(work, view, stamp, stored, patch).await?)
        }
        Change::End { id, expected_version, by } => {
            let stored = row::need(work, view, *id).await?;
            rules::expect_version(&stored.memory, *expected_version)?;
            let patch = rules::ending(&stored.memory, Ended { at: stamp.at, by: *by })?;
            applied_memory(patch_memory(work, stamp, stored, &patch).await?)
        }
        Change::Reopen { id } => {
            let stored = row::need(work, view, *id).await?;
            let patch = rules::reopening(&stored.memory)?;
            applied_memory(patch_memory(work, stamp, stored, &patch).await?)
        }
        Change::Link(link) => Applied::Link(self::link(work, view, stamp, link).await?),
        Change::Unlink(link) => Applied::Link(unlink(work, view, stamp, link).await?),
        Change::Mention { id, mentions } => {
            Applied::Mentions(entities::mention(work, view, stamp, *id, mentions).await?)
        }
    })
}

/// Applies a patch and records what it changed; nothing if it changed nothing.
pub(super) async fn patch_memory(
    work: &Work,
    stamp: &Stamp,
    mut stored: Stored,
    patch: &Patch,
) -> Result<Stored, Fault> {
    if let Some(attributes) = &patch.attributes {
        rules::check_attributes(attributes)?;
    }
    let fields = patch.apply(&mut stored.memory);
    if fields.is_empty() {
        return Ok(stored);
    }
    stored.memory.version += 1;
    row::update(work, stored.pk, &stored.memory).await?;
    let scope = scopes::number_or_new(work, &stored.memory.scope).await?;
    // What is embedded is the text alone.
    index_log::note(work, scope, ItemKey::memory(stored.pk.unsigned_abs()), fields.content.is_some()).await?;
    let effect = Effect::of_patch(patch);
    let before = Before { fields, ..Before::default() };
    record(work, stamp, scope, Some(stored.pk), effect, stored.memory.version, Some(&before)).await?;
    Ok(stored)
}

/// Makes a link; false if it was there.
pub(super) async fn link(work: &Work, view: &View, stamp: &Stamp, link: &Link) -> Result<bool, Fault> {
    let (from, to) = ends(work, view, link).await?;
    let new = insert_link(work, from.pk, link.relation, to.pk).await?;
    if new {
        record_link(work, stamp, &from, link, Effect::Linked).await?;
    }
    Ok(new)
}

/// Removes a link; false if there was none.
pub(super) async fn unlink(work: &Work, view: &View, stamp: &Stamp, link: &Link) -> Result<bool, Fault> {
    let (from, to) = ends(work, view, link).await?;
    let sql = "DELETE FROM links WHERE agent = $1 AND from_memory = $2 AND relation = $3 AND to_memory = $4";
    let gone = work.execute(sql, &[&from.pk, &link.relation.name(), &to.pk]).await? > 0;
    if gone {
        record_link(work, stamp, &from, link, Effect::Unlinked).await?;
    }
    Ok(gone)
}

/// Adds a row to history.
pub(super) async fn record(
    work: &Work,
    stamp: &Stamp,
    scope: i64,
    memory: Option<i64>,
    effect: Effect,
    version: u64,
    before: Option<&Before>,
) -> Result<(), Fault> {
    let before = before.map(to_json).transpose()?;
    work.execute(
        "INSERT INTO changes (agent, seq, memory, scope, run, at, actor, operation, effect, version, before)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        &[
            &work.draw(Counter::Changes)?,
            &memory,
            &scope,
            &stamp.run.uuid(),
            &stamp.at.millis(),
            &stamp.actor,
            &stamp.operation,
            &effect.name(),
            &integer(version),
            &before,
        ],
    )
    .await?;
    Ok(())
}

/// Everything that happened to a memory, oldest first. A link to a memory out of view is nobody's business here.
pub(super) async fn history(work: &Work, view: &View, id: MemoryId) -> Result<Vec<HistoryEntry>, Fault> {
    let stored = row::need(work, view, id).await?;
    let mut entries = Vec::new();
    for past in pasts(work, "c.memory = $2 ORDER BY c.seq", &[&stored.pk]).await? {
        let shown = match &past.entry.before.link {
            Some(link) => {
                row::find(work, view, link.from).await?.is_some() && row::find(work, view, link.to).await?.is_some()
            }
            None => true,
        };
        if shown {
            entries.push(past.entry);
        }
    }
    Ok(entries)
}

/// The rows of history that meet a condition, whose values begin at `$2`.
pub(super) async fn pasts(work: &Work, condition: &str, values: &[&dyn Value]) -> Result<Vec<Past>, Fault> {
    let sql = format!(
        "SELECT c.seq, c.scope, c.memory, m.id, m.kind, c.run, c.at, c.actor, c.operation, c.effect, c.version, c.before,
             c.undone_by
         FROM changes c LEFT JOIN memories m ON m.agent = c.agent AND m.pk = c.memory
         WHERE c.agent = $1 AND {condition}"
    );
    let mut pasts = Vec::new();
    for row in work.rows(&sql, values).await? {
        let mut past = read(&row)?;
        past.entry.undone_by = undone_by(work, past.entry.undone_by).await?;
        pasts.push(past);
    }
    Ok(pasts)
}

/// The run that undid a change whose row names one, unless it was undone itself.
pub(super) async fn undone_by(work: &Work, undone_by: Option<RunId>) -> Result<Option<RunId>, Fault> {
    let sql = "SELECT undone_by FROM changes
               WHERE agent = $1 AND run = $2 AND operation <> 'capture' AND undone_by IS NOT NULL LIMIT 1";
    // The rule asks run by run, so the chain is read ahead of it.
    let mut chain: Vec<(RunId, Option<RunId>)> = Vec::new();
    let mut next = undone_by;
    while let Some(run) = next.filter(|run| !chain.iter().any(|(known, _)| known == run)) {
        let found = work.row(sql, &[&run.uuid()]).await?;
        next = found.map(|row| get::<Uuid>(&row, 0)).transpose()?.map(RunId::from);
        chain.push((run, next));
    }
    let of_run = |run: RunId| -> Result<Option<RunId>, Fault> {
        Ok(chain.iter().find(|(known, _)| *known == run).and_then(|(_, next)| *next))
    };
    rules::still_undone_by(undone_by, of_run)
}

/// The links from and to a memory, both ends of which are visible.
pub(super) async fn links(work: &Work, view: &View, id: MemoryId) -> Result<Vec<Link>, Fault> {
    let pk = row::need(work, view, id).await?.pk;
    links_at(work, view, vec![pk]).await
}

/// The links from and to any of these memories, each once.
pub(super) async fn links_of(work: &Work, view: &View, ids: &[MemoryId]) -> Result<Vec<Link>, Fault> {
    let keys = index_log::keys_of(work, view, ids).await?;
    let mut links = links_at(work, view, keys.iter().map(|(_, key)| integer(key.row())).collect()).await?;
    links.sort_by_key(|link| (link.from.uuid(), link.relation.name(), link.to.uuid()));
    links.dedup();
    Ok(links)
}

/// Makes a link without a row in history; false if it was there.
pub(super) async fn insert_link(work: &Work, from: i64, relation: Relation, to: i64) -> Result<bool, Fault> {
    let sql = "INSERT INTO links (agent, from_memory, relation, to_memory) VALUES ($1, $2, $3, $4)
               ON CONFLICT DO NOTHING";
    Ok(work.execute(sql, &[&from, &relation.name(), &to]).await? > 0)
}

/// An effect's name as stored.
pub(super) fn effect(name: &str) -> Result<Effect, Fault> {
    Effect::from_name(name).ok_or_else(|| {
        StoreError::Unreadable { what: "history row", detail: format!("unknown effect `{name}`") }.into()
    })
}

async fn links_at(work: &Work, view: &View, numbers: Vec<i64>) -> Result<Vec<Link>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = "SELECT f.id, f.kind, l.relation, t.id, t.kind FROM links l
               JOIN memories f ON f.agent = l.agent AND f.pk = l.from_memory
               JOIN memories t ON t.agent = l.agent AND t.pk = l.to_memory
               WHERE l.agent = $1 AND (l.from_memory = ANY ($2) OR l.to_memory = ANY ($2)) AND f.scope = ANY ($3)
                   AND t.scope = ANY ($3)
               ORDER BY f.id, l.relation, t.id";
    let rows = work.rows(sql, &[&numbers, &visible]).await?;
    let read = |row: &Row| -> Result<Link, Fault> {
        Ok(Link { from: row::id(row, 0)?, relation: parse(row, 2)?, to: row::id(row, 3)? })
    };
    rows.iter().map(read).collect()
}

async fn create(work: &Work, view: &View, stamp: &Stamp, new: &NewMemory) -> Result<Applied, Fault> {
    let memory = &new.memory;
    if !view.sees(&memory.scope) {
        return Err(StoreError::not_found("such a scope").into());
    }
    let scope = scopes::number_or_new(work, &memory.scope).await?;
    if let Some(client_id) = &new.client_id
        && let Some(id) = capture::by_client_id(work, scope, memory.session_id.as_deref(), client_id).await?
    {
        return Ok(Applied::Duplicate(id));
    }
    let value = TextHash::of_value(&memory.content);
    if capture::is_purged(work, scope, value).await? {
        if !new.despite_purge {
            return Ok(Applied::Purged);
        }
        let sql = "DELETE FROM tombstones WHERE agent = $1 AND scope = $2 AND hash = $3";
        work.execute(sql, &[&scope, &value.as_bytes()]).await?;
    }
    let inheriting = inherited_origin(work, view, memory, &memory.source_ids).await?.map(|kind| {
        let memory = Memory { origin: Origin { kind, ..memory.origin.clone() }, ..memory.clone() };
        NewMemory { memory, ..new.clone() }
    });
    let new = inheriting.as_ref().unwrap_or(new);
    let memory = &new.memory;
    let pk = capture::store(work, stamp, scope, new).await?;
    // What it was made from is a link as well, so that forgetting a source can find everything derived from it.
    for source in memory.source_ids.iter().filter(|source| **source != memory.id) {
        if let Some(source) = row::find(work, view, *source).await? {
            insert_link(work, pk, Relation::DerivedFrom, source.pk).await?;
        }
    }
    if let Some(session_id) = &memory.session_id {
        sessions::saw(work, scope, session_id, memory.event_time).await?;
    }
    Ok(Applied::Memory(Box::new(memory.clone())))
}

async fn update(work: &Work, view: &View, stamp: &Stamp, stored: Stored, patch: &Patch) -> Result<Stored, Fault> {
    let Some(source_ids) = &patch.source_ids else { return patch_memory(work, stamp, stored, patch).await };
    let origin = inherited_origin(work, view, &stored.memory, source_ids).await?;
    let patch = Patch { origin: origin.or(patch.origin), ..patch.clone() };
    let stored = patch_memory(work, stamp, stored, &patch).await?;
    link_new_sources(work, view, stamp, &stored.memory).await?;
    Ok(stored)
}

async fn inherited_origin(
    work: &Work,
    view: &View,
    memory: &Memory,
    source_ids: &[MemoryId],
) -> Result<Option<OriginKind>, Fault> {
    let mut sources = Vec::new();
    for source in source_ids.iter().filter(|source| **source != memory.id) {
        sources.extend(row::find(work, view, *source).await?.map(|source| source.memory.origin.kind));
    }
    Ok(rules::inherited_origin(memory.origin.kind, &sources))
}

// Sources named later are links as well, and are taken back with the update that named them.
async fn link_new_sources(work: &Work, view: &View, stamp: &Stamp, memory: &Memory) -> Result<(), Fault> {
    for source in memory.source_ids.iter().filter(|source| **source != memory.id) {
        if row::find(work, view, *source).await?.is_some() {
            let link = Link { from: memory.id, relation: Relation::DerivedFrom, to: *source };
            self::link(work, view, stamp, &link).await?;
        }
    }
    Ok(())
}

fn read(row: &Row) -> Result<Past, Fault> {
    let memory_id = match get::<Option<Uuid>>(row, 3)? {
        Some(uuid) => Some(MemoryId::new(parse::<Kind>(row, 4)?, uuid)),
        None => None,
    };
    let entry = HistoryEntry {
        memory_id,
        run: RunId::from(get::<Uuid>(row, 5)?),
        at: Timestamp::from_millis(get(row, 6)?),
        actor: get(row, 7)?,
        operation: get(row, 8)?,
        effect: effect(get(row, 9)?)?,
        version: count(row, 10)?,
        before: from_json(row, 11)?,
        undone_by: get::<Option<Uuid>>(row, 12)?.map(RunId::from),
    };
    Ok(Past { seq: get(row, 0)?, scope: get(row, 1)?, pk: get(row, 2)?, entry })
}

fn applied_memory(stored: Stored) -> Applied {
    Applied::Memory(Box::new(stored.memory))
}

async fn ends(work: &Work, view: &View, link: &Link) -> Result<(Stored, Stored), Fault> {
    rules::check_link(link)?;
    Ok((row::need(work, view, link.from).await?, row::need(work, view, link.to).await?))
}

async fn record_link(work: &Work, stamp: &Stamp, from: &Stored, link: &Link, effect: Effect) -> Result<(), Fault> {
    let scope = scopes::number_or_new(work, &from.memory.scope).await?;
    let before = Before { link: Some(link.clone()), ..Before::default() };
    record(work, stamp, scope, Some(from.pk), effect, from.memory.version, Some(&before)).await
}
