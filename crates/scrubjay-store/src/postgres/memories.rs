//! Reading memories: one, many, and how many.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::filter::Cursor;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Memory;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::{DAY_MS, Timestamp};

use super::fault::Fault;
use super::filter::{Clauses, order_by};
use super::value::{count, get, integer, limit, parse};
use super::work::Work;
use super::{changes, row, scopes};
use crate::change::FeedItem;
use crate::query::{Counts, DayCount, JobState, ListQuery, Page};

/// Memories by conditions, in order.
pub(super) async fn list(work: &Work, view: &View, query: &ListQuery) -> Result<Page, Fault> {
    let visible = scopes::visible(work, view).await?;
    // One more than asked tells whether there is more.
    let most = limit(query.limit).saturating_add(1);
    let mut memories = Vec::new();
    // Scope by scope: within one the index gives the order, over several all their rows would be sorted.
    for scope in visible {
        let mut clauses = Clauses::default();
        let place = clauses.bind(scope);
        clauses.push(format!("m.scope = {place}"));
        clauses.filter(&query.filter);
        clauses.activity(query.activity);
        if let Some(entity) = query.entity {
            let place = clauses.bind(entity.uuid());
            clauses.push(format!(
                "EXISTS (SELECT 1 FROM memory_entities l JOIN entities e ON e.agent = l.agent AND e.pk = l.entity
                         WHERE l.agent = m.agent AND l.memory = m.pk AND e.id = {place})"
            ));
        }
        if let Some(cursor) = &query.after {
            clauses.after(&query.order, cursor);
        }
        let place = clauses.bind(most);
        let sql = format!(
            "SELECT {} FROM {} WHERE m.agent = $1{} {} LIMIT {place}",
            row::COLUMNS,
            row::FROM,
            clauses.sql(),
            order_by(&query.order),
        );
        for found in work.rows(&sql, &clauses.values()).await? {
            memories.push(row::read(&found)?.memory);
        }
    }
    memories.sort_by(|a, b| query.order.compare(a, b));
    let more = memories.len() > query.limit;
    memories.truncate(query.limit);
    let last = memories.last().filter(|_| more);
    let next = last.map(|memory| Cursor { key: query.order.key(memory), id: memory.id });
    Ok(Page { memories, next })
}

/// Notes that memories were used.
pub(super) async fn touch(work: &Work, view: &View, ids: &[MemoryId], at: Timestamp) -> Result<(), Fault> {
    let visible = scopes::visible(work, view).await?;
    // One that is named twice was used twice.
    for id in ids {
        work.execute(
            "UPDATE memories SET access_count = least(access_count, 1000000000000) + 1,
                 last_accessed = greatest(last_accessed, $3)
             WHERE agent = $1 AND id = $2 AND kind = $4 AND scope = ANY ($5)",
            &[&id.uuid(), &at.millis(), &id.kind().name(), &visible],
        )
        .await?;
    }
    Ok(())
}

/// What changed in one scope after a position.
pub(super) async fn feed(work: &Work, scope: &Scope, after: u64, most: usize) -> Result<Vec<FeedItem>, Fault> {
    let Some(number) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let sql =
        "SELECT seq, effect, memory FROM changes WHERE agent = $1 AND scope = $2 AND seq > $3 ORDER BY seq LIMIT $4";
    let rows = work.rows(sql, &[&number, &integer(after), &limit(most)]).await?;
    let mut wanted = BTreeSet::new();
    for row in &rows {
        wanted.extend(get::<Option<i64>>(row, 2)?);
    }
    let present: BTreeMap<i64, Memory> = by_number(work, wanted.into_iter().collect()).await?.into_iter().collect();
    let mut items = Vec::with_capacity(rows.len());
    for row in &rows {
        let memory = get::<Option<i64>>(row, 2)?.and_then(|pk| present.get(&pk)).cloned();
        // One that moved on is another project's.
        let memory = memory.filter(|memory| memory.scope == *scope);
        items.push(FeedItem { position: count(row, 0)?, effect: changes::effect(get(row, 1)?)?, memory });
    }
    Ok(items)
}

/// The memories with these row numbers, wherever they live.
pub(super) async fn by_number(work: &Work, numbers: Vec<i64>) -> Result<Vec<(i64, Memory)>, Fault> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let sql =
        format!("SELECT {} FROM {} WHERE m.agent = $1 AND m.pk = ANY ($2) ORDER BY m.pk", row::COLUMNS, row::FROM);
    let rows = work.rows(&sql, &[&numbers]).await?;
    rows.iter().map(|found| row::read(found).map(|stored| (stored.pk, stored.memory))).collect()
}

/// Numbers about what the view can see.
pub(super) async fn counts(work: &Work, view: &View) -> Result<Counts, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!(
        "SELECT s.name, m.kind, m.type, count(*) FROM {}
         WHERE m.agent = $1 AND m.scope = ANY ($2) AND m.valid_until IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
        row::FROM
    );
    let mut active = Vec::new();
    for row in work.rows(&sql, &[&visible]).await? {
        active.push((parse(&row, 0)?, get(&row, 1)?, get(&row, 2)?, count(&row, 3)?));
    }
    let totals = work.one(include_str!("counts.sql"), &[&visible]).await?;
    let mut jobs = Vec::new();
    for (column, state) in JobState::ALL.into_iter().enumerate() {
        jobs.push((state, count(&totals, 5 + column)?));
    }
    Ok(Counts {
        active,
        ended: count(&totals, 0)?,
        latest: get::<Option<i64>>(&totals, 1)?.map(Timestamp::from_millis),
        entities: count(&totals, 2)?,
        links: count(&totals, 3)?,
        sessions: count(&totals, 4)?,
        jobs,
    })
}

/// What happened since, day by day.
pub(super) async fn growth(work: &Work, view: &View, since: Timestamp) -> Result<Vec<DayCount>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let mut days: BTreeMap<i64, DayCount> = BTreeMap::new();
    let new = |day: i64| DayCount { day, ..DayCount::default() };
    let learned = "SELECT event_time / $4, count(*) FILTER (WHERE kind IN ('fact', 'reflection')),
                       count(*) FILTER (WHERE kind = 'episode')
                   FROM memories WHERE agent = $1 AND scope = ANY ($2) AND event_time >= $3 AND kind <> 'scratch'
                   GROUP BY 1";
    for row in work.rows(learned, &[&visible, &since.millis(), &DAY_MS]).await? {
        let day = get(&row, 0)?;
        let entry = days.entry(day).or_insert_with(|| new(day));
        (entry.facts, entry.episodes) = (count(&row, 1)?, count(&row, 2)?);
    }
    let handed_over = "SELECT r.at / $4, count(*), count(*) FILTER (WHERE i.used)
                       FROM receipts r JOIN receipt_items i ON i.agent = r.agent AND i.receipt = r.pk
                       WHERE r.agent = $1 AND r.scope = ANY ($2) AND r.at >= $3 GROUP BY 1";
    for row in work.rows(handed_over, &[&visible, &since.millis(), &DAY_MS]).await? {
        let day = get(&row, 0)?;
        let entry = days.entry(day).or_insert_with(|| new(day));
        (entry.handed_over, entry.used) = (count(&row, 1)?, count(&row, 2)?);
    }
    Ok(days.into_values().collect())
}
