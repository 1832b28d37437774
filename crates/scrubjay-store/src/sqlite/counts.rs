//! How many memories there are.
//!
//! Triggers keep `memory_counts`, a row per scope, kind, type, state and day, so that numbers cost the same however much
//! is stored. The table is derived: it can be checked against the memories, and made anew from them.

use std::collections::BTreeMap;

use rusqlite::Connection;
use scrubjay_core::scope::View;
use scrubjay_core::time::{DAY_MS, Timestamp};

use super::connection::Fault;
use super::{row, scopes};
use crate::query::{Counts, DayCount, JobState};

/// Numbers about what the view can see.
pub(super) fn counts(connection: &Connection, view: &View) -> Result<Counts, Fault> {
    let visible = scopes::visible(connection, view)?;
    let number = |sql: String| -> Result<i64, Fault> { Ok(connection.query_row(&sql, [], |row| row.get(0))?) };
    let mut statement = connection.prepare(&format!(
        "SELECT s.name, c.kind, c.type, sum(c.memories) FROM memory_counts c JOIN scopes s ON s.pk = c.scope
         WHERE c.scope IN ({visible}) AND NOT c.ended GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    ))?;
    let active = statement
        .query_map([], |row| Ok((row::parse(row, 0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?.unsigned_abs())))?
        .collect::<rusqlite::Result<_>>()?;
    let mut jobs = Vec::new();
    for state in JobState::ALL {
        let count =
            number(format!("SELECT count(*) FROM jobs WHERE scope IN ({visible}) AND state = '{}'", state.name()))?;
        jobs.push((state, count.unsigned_abs()));
    }
    let ended = format!("SELECT ifnull(sum(memories), 0) FROM memory_counts WHERE scope IN ({visible}) AND ended");
    let mut latest = None;
    for scope in visible.split(',').filter_map(|number| number.parse().ok()) {
        latest = latest.max(newest(connection, scope)?);
    }
    Ok(Counts {
        active,
        ended: number(ended)?.unsigned_abs(),
        latest,
        entities: number(format!("SELECT count(*) FROM entities WHERE scope IN ({visible})"))?.unsigned_abs(),
        links: number(links_sql(&visible))?.unsigned_abs(),
        sessions: number(format!("SELECT count(*) FROM sessions WHERE scope IN ({visible})"))?.unsigned_abs(),
        jobs,
    })
}

/// When the newest memory of a scope was learned.
pub(super) fn newest(connection: &Connection, scope: i64) -> Result<Option<Timestamp>, Fault> {
    let mut statement = connection.prepare_cached(NEWEST)?;
    let newest: Option<i64> = statement.query_row([scope], |row| row.get(0))?;
    Ok(newest.map(Timestamp::from_millis))
}

// For one scope: over several, SQLite would read all their entries.
const NEWEST: &str = "SELECT max(created_at) FROM memories WHERE scope = ?1";

/// What happened since, day by day.
pub(super) fn growth(connection: &Connection, view: &View, since: Timestamp) -> Result<Vec<DayCount>, Fault> {
    let visible = scopes::visible(connection, view)?;
    // Days are counted whole; what is left of the first one is read. Nothing is counted by whole days before 1970-01-02,
    // because the division rounds towards that.
    let first_whole = (since.millis().saturating_add(DAY_MS - 1)).div_euclid(DAY_MS).max(1);
    let mut days: BTreeMap<i64, DayCount> = BTreeMap::new();
    let mut each = |sql: &str, values: &[i64], note: fn(&mut DayCount, u64, u64)| -> Result<(), Fault> {
        let mut statement = connection.prepare(sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            let day = row.get(0)?;
            let count =
                |column: usize| row.get::<_, Option<i64>>(column).map(|count| count.unwrap_or(0).unsigned_abs());
            note(days.entry(day).or_insert(DayCount { day, ..DayCount::default() }), count(1)?, count(2)?);
        }
        Ok(())
    };
    let learned = |day: &mut DayCount, facts: u64, episodes: u64| (day.facts, day.episodes) = (facts, episodes);
    each(&part_of_day_sql(&visible), &[since.millis(), first_whole.saturating_mul(DAY_MS), DAY_MS], learned)?;
    each(&whole_days_sql(&visible), &[first_whole], learned)?;
    each(&handed_over_sql(&visible), &[since.millis(), DAY_MS], |day, handed_over, used| {
        (day.handed_over, day.used) = (handed_over, used);
    })?;
    Ok(days.into_values().collect())
}

// Only the rest of one day is read, by the index over time.
fn part_of_day_sql(visible: &str) -> String {
    format!(
        "SELECT event_time / ?3, sum(kind IN ('fact', 'reflection')), sum(kind = 'episode') FROM memories
         WHERE scope IN ({visible}) AND event_time >= ?1 AND event_time < ?2 AND kind <> 'scratch' GROUP BY 1"
    )
}

fn whole_days_sql(visible: &str) -> String {
    format!(
        "SELECT day, sum(iif(kind = 'episode', 0, memories)), sum(iif(kind = 'episode', memories, 0)) FROM memory_counts
         WHERE scope IN ({visible}) AND day >= ?1 AND kind <> 'scratch' GROUP BY 1"
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

const COUNTED: &str = "SELECT scope, kind, type, valid_until IS NOT NULL, event_time / 86400000, count(*) FROM memories
     GROUP BY 1, 2, 3, 4, 5";
const NOTED: &str = "SELECT scope, kind, type, ended, day, memories FROM memory_counts";

/// How many counts are not what the memories say.
pub(super) fn wrong(connection: &Connection) -> Result<usize, Fault> {
    let sql = format!(
        "SELECT (SELECT count(*) FROM (SELECT * FROM ({COUNTED}) EXCEPT {NOTED}))
              + (SELECT count(*) FROM ({NOTED} EXCEPT SELECT * FROM ({COUNTED})))"
    );
    let count: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// Counts all memories again.
pub(super) fn recount(connection: &Connection) -> Result<(), Fault> {
    connection.execute("DELETE FROM memory_counts", [])?;
    connection
        .execute(&format!("INSERT INTO memory_counts (scope, kind, type, ended, day, memories) {COUNTED}"), [])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::migrate::plan_of;
    use super::*;

    #[test]
    fn growth_reads_counts_and_one_day_of_memories() {
        let plan = plan_of(&part_of_day_sql("1,2"));
        assert!(plan[0].contains("memories_by_time (scope=? AND event_time>? AND event_time<?)"), "{plan:?}");
        let plan = plan_of(&whole_days_sql("1,2"));
        assert!(plan.iter().all(|step| !step.contains(" memories ")), "{plan:?}");
    }

    #[test]
    fn the_newest_memory_is_looked_up() {
        let plan = plan_of(NEWEST);
        assert_eq!(plan, ["SEARCH memories USING COVERING INDEX memories_by_learning (scope=?)"]);
    }

    #[test]
    fn links_are_counted_from_the_links() {
        let plan = plan_of(&links_sql("1,2"));
        assert!(plan[0].starts_with("SCAN l"), "{plan:?}");
        assert_eq!(plan.iter().filter(|step| step.contains("USING INTEGER PRIMARY KEY")).count(), 2, "{plan:?}");
    }
}
