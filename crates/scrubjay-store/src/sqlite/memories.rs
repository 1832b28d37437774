//! Reading memories: one, many, and how many.

use std::collections::BTreeMap;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use scrubjay_core::filter::Cursor;
use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::{DAY_MS, Timestamp};

use super::connection::Fault;
use super::filter::{Clauses, order_by};
use super::{changes, row, scopes};
use crate::change::FeedItem;
use crate::query::{Counts, DayCount, JobState, ListQuery, Page};

/// Memories by conditions, in order.
pub(super) fn list(connection: &Connection, view: &View, query: &ListQuery) -> Result<Page, Fault> {
    let visible = scopes::visible(connection, view)?;
    let mut clauses = Clauses::default();
    clauses.filter(&query.filter);
    clauses.activity(query.activity);
    if let Some(entity) = query.entity {
        clauses.push(
            "EXISTS (SELECT 1 FROM memory_entities l JOIN entities e ON e.pk = l.entity WHERE l.memory = m.pk AND e.id = ?)",
            [Value::Blob(entity.uuid().as_bytes().to_vec())],
        );
    }
    if let Some(cursor) = &query.after {
        clauses.after(&query.order, cursor);
    }
    // One more than asked tells whether there is more.
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX).saturating_add(1);
    let mut memories = Vec::new();
    // Scope by scope: within one the index gives the order, over several SQLite
    // would sort all their rows.
    for scope in visible.split(',').filter(|scope| !scope.is_empty()) {
        let sql = format!(
            "SELECT {} FROM {} WHERE m.scope = {scope}{} {} LIMIT ?",
            row::COLUMNS,
            row::FROM,
            clauses.sql(),
            order_by(&query.order),
        );
        let values = clauses.values.iter().cloned().chain(std::iter::once(Value::Integer(limit)));
        let mut statement = connection.prepare(&sql)?;
        for stored in statement.query_map(params_from_iter(values), row::read)? {
            memories.push(stored?.memory);
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
pub(super) fn touch(connection: &Connection, view: &View, ids: &[MemoryId], at: Timestamp) -> Result<(), Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "UPDATE memories SET access_count = min(access_count, 1000000000000) + 1, last_accessed = max(ifnull(last_accessed, ?2), ?2)
         WHERE id = ?1 AND kind = ?3 AND scope IN ({visible})"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    for id in ids {
        statement.execute((id.uuid(), at.millis(), id.kind().name()))?;
    }
    Ok(())
}

/// What changed in one scope after a position.
pub(super) fn feed(connection: &Connection, scope: &Scope, after: u64, limit: usize) -> Result<Vec<FeedItem>, Fault> {
    let place = scope;
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(Vec::new()) };
    let mut positions = connection.prepare_cached(
        "SELECT seq, effect, memory FROM changes WHERE scope = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = positions.query_map((scope, row::integer(after), limit), |row| {
        Ok((row.get::<_, i64>(0)?, changes::effect(&row.get::<_, String>(1)?)?, row.get::<_, Option<i64>>(2)?))
    })?;
    let mut by_pk =
        connection.prepare_cached(&format!("SELECT {} FROM {} WHERE m.pk = ?1", row::COLUMNS, row::FROM))?;
    let mut items = Vec::new();
    for row in rows {
        let (position, effect, pk) = row?;
        let memory = match pk {
            Some(pk) => by_pk.query_map([pk], row::read)?.next().transpose()?.map(|stored| stored.memory),
            None => None,
        };
        // One that moved on is another project's.
        let memory = memory.filter(|memory| memory.scope == *place);
        items.push(FeedItem { position: position.unsigned_abs(), effect, memory });
    }
    Ok(items)
}

/// Numbers about what the view can see.
pub(super) fn counts(connection: &Connection, view: &View) -> Result<Counts, Fault> {
    let visible = scopes::visible(connection, view)?;
    let number = |sql: String| -> Result<i64, Fault> { Ok(connection.query_row(&sql, [], |row| row.get(0))?) };
    let mut statement = connection.prepare(&format!(
        "SELECT s.name, m.kind, m.type, count(*) FROM {} WHERE m.scope IN ({visible}) AND m.valid_until IS NULL
         GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
        row::FROM
    ))?;
    let active = statement
        .query_map([], |row| Ok((row::parse(row, 0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?.unsigned_abs())))?
        .collect::<rusqlite::Result<_>>()?;
    let latest: Option<i64> = connection.query_row(
        &format!("SELECT max(created_at) FROM memories WHERE scope IN ({visible})"),
        [],
        |row| row.get(0),
    )?;
    let mut jobs = Vec::new();
    for state in JobState::ALL {
        let count =
            number(format!("SELECT count(*) FROM jobs WHERE scope IN ({visible}) AND state = '{}'", state.name()))?;
        jobs.push((state, count.unsigned_abs()));
    }
    let ended = format!("SELECT count(*) FROM memories WHERE scope IN ({visible}) AND valid_until IS NOT NULL");
    Ok(Counts {
        active,
        ended: number(ended)?.unsigned_abs(),
        latest: latest.map(Timestamp::from_millis),
        entities: number(format!("SELECT count(*) FROM entities WHERE scope IN ({visible})"))?.unsigned_abs(),
        links: number(links_sql(&visible))?.unsigned_abs(),
        sessions: number(format!("SELECT count(*) FROM sessions WHERE scope IN ({visible})"))?.unsigned_abs(),
        jobs,
    })
}

/// What happened since, day by day.
pub(super) fn growth(connection: &Connection, view: &View, since: Timestamp) -> Result<Vec<DayCount>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let mut days: BTreeMap<i64, DayCount> = BTreeMap::new();
    let mut each = |sql: &str, note: fn(&mut DayCount, u64, u64)| -> Result<(), Fault> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query((since.millis(), DAY_MS))?;
        while let Some(row) = rows.next()? {
            let day = row.get(0)?;
            let count =
                |column: usize| row.get::<_, Option<i64>>(column).map(|count| count.unwrap_or(0).unsigned_abs());
            note(days.entry(day).or_insert(DayCount { day, ..DayCount::default() }), count(1)?, count(2)?);
        }
        Ok(())
    };
    each(&growth_sql(&visible), |day, facts, episodes| (day.facts, day.episodes) = (facts, episodes))?;
    each(&handed_over_sql(&visible), |day, handed_over, used| (day.handed_over, day.used) = (handed_over, used))?;
    Ok(days.into_values().collect())
}

// Only the days that are asked for are read, by the index over time.
fn growth_sql(visible: &str) -> String {
    format!(
        "SELECT event_time / ?2, sum(kind IN ('fact', 'reflection')), sum(kind = 'episode') FROM memories
         WHERE scope IN ({visible}) AND event_time >= ?1 AND kind <> 'scratch' GROUP BY 1"
    )
}

fn handed_over_sql(visible: &str) -> String {
    format!(
        "SELECT r.at / ?2, count(*), sum(i.used) FROM receipts r JOIN receipt_items i ON i.receipt = r.pk
         WHERE r.scope IN ({visible}) AND r.at >= ?1 GROUP BY 1"
    )
}

// Begins with the links: left to itself, SQLite tries every memory of the scope with every other.
fn links_sql(visible: &str) -> String {
    format!(
        "SELECT count(*) FROM links l CROSS JOIN memories f ON f.pk = l.from_memory
             CROSS JOIN memories t ON t.pk = l.to_memory
         WHERE f.scope IN ({visible}) AND t.scope IN ({visible})"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_reads_the_days_that_are_asked_for() {
        let plan = super::super::migrate::plan_of(&growth_sql("1,2"));
        assert!(plan[0].contains("memories_by_time (scope=? AND event_time>?)"), "{plan:?}");
    }

    #[test]
    fn links_are_counted_from_the_links() {
        let plan = super::super::migrate::plan_of(&links_sql("1,2"));
        assert!(plan[0].starts_with("SCAN l"), "{plan:?}");
        assert_eq!(plan.iter().filter(|step| step.contains("USING INTEGER PRIMARY KEY")).count(), 2, "{plan:?}");
    }
}
