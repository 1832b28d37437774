//! Reading memories: one and many.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use scrubjay_core::filter::{Cursor, Field, Filter, Operator, Scalar, Test};
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::filter::{Clauses, order_by};
use super::{changes, row, scopes};
use crate::change::FeedItem;
use crate::query::{ListQuery, Page};

/// The memories of a conversation or an entity are sorted when they are at most so many; of more, the newest of the scope
/// are looked through until enough are found.
const FEW: i64 = 10_000;

/// Memories by conditions, in order.
pub(super) fn list(connection: &Connection, view: &View, query: &ListQuery) -> Result<Page, Fault> {
    let visible = scopes::visible(connection, view)?;
    let mut clauses = Clauses::default();
    clauses.filter(&query.filter);
    clauses.activity(query.activity);
    let rarely_mentioned = query.entity.map(|entity| is_rare(connection, entity)).transpose()?.unwrap_or(false);
    if let Some(entity) = query.entity {
        let clause = if rarely_mentioned { MENTIONS_RARE } else { MENTIONS };
        clauses.push(clause, [Value::Blob(entity.uuid().as_bytes().to_vec())]);
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
        let mut clauses = clauses.clone();
        let mut from = if rarely_mentioned { row::FROM_NUMBERED } else { row::FROM };
        if let Some(session_id) = session_of(&query.filter).filter(|_| !rarely_mentioned)
            && is_short(connection, scope, session_id)?
        {
            clauses.push(of_session(scope), [Value::Text(session_id.to_owned())]);
            from = row::FROM_NUMBERED;
        }
        let sql = format!(
            "SELECT {} FROM {from} WHERE m.scope = {scope}{} {} LIMIT ?",
            row::COLUMNS,
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

// The conversation that all memories of a filter belong to, if it names one.
fn session_of(filter: &Filter) -> Option<&str> {
    filter.conditions.iter().find_map(|condition| match (&condition.field, &condition.test) {
        (Field::SessionId, Test::Compare(Operator::Equal, Scalar::Text(session_id))) => Some(session_id.as_str()),
        _ => None,
    })
}

// In a query of its own: named for the whole query, the index is an error where other conditions can never hold.
fn of_session(scope: &str) -> String {
    format!(
        "m.pk IN (SELECT o.pk FROM memories o INDEXED BY memories_by_session WHERE o.scope = {scope} AND o.session_id = ?)"
    )
}

fn is_short(connection: &Connection, scope: &str, session_id: &str) -> Result<bool, Fault> {
    let mut statement =
        connection.prepare_cached("SELECT messages FROM sessions WHERE scope = ?1 AND session_id = ?2")?;
    let scope: i64 = scope.parse().unwrap_or_default();
    let messages: Option<i64> = statement.query_row((scope, session_id), |row| row.get(0)).optional()?;
    Ok(messages.is_none_or(|messages| messages <= FEW))
}

const MENTIONS: &str =
    "EXISTS (SELECT 1 FROM memory_entities l JOIN entities e ON e.pk = l.entity WHERE l.memory = m.pk AND e.id = ?)";
const MENTIONS_RARE: &str =
    "m.pk IN (SELECT l.memory FROM memory_entities l WHERE l.entity = (SELECT e.pk FROM entities e WHERE e.id = ?))";

fn is_rare(connection: &Connection, entity: EntityId) -> Result<bool, Fault> {
    let mut statement = connection.prepare_cached("SELECT mention_count FROM entities WHERE id = ?1")?;
    let mentions: Option<i64> = statement.query_row([entity.uuid()], |row| row.get(0)).optional()?;
    Ok(mentions.is_none_or(|mentions| mentions <= FEW))
}

#[cfg(test)]
mod tests {
    use super::super::migrate::plan_of;
    use super::*;

    fn plan(from: &str, clause: &str) -> Vec<String> {
        let (columns, order) = (row::COLUMNS, "ORDER BY m.event_time DESC, m.id DESC LIMIT ?");
        plan_of(&format!("SELECT {columns} FROM {from} WHERE m.scope = 1 AND {clause} {order}"))
    }

    #[test]
    fn a_conversation_and_a_rare_entity_do_not_read_the_whole_scope() {
        let by_number = |step: &String| step == "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)";
        let steps = plan(row::FROM_NUMBERED, &format!("m.session_id = ? AND m.kind = ? AND {}", of_session("1")));
        assert!(steps.iter().any(by_number), "{steps:?}");
        let by_session = |step: &String| step.contains("memories_by_session (scope=? AND session_id=?)");
        assert!(steps.iter().any(by_session), "{steps:?}");
        // Conditions that never hold leave a query that can be answered.
        plan(row::FROM_NUMBERED, &format!("m.session_id = ? AND (0) AND {}", of_session("1")));
        let steps = plan(row::FROM_NUMBERED, MENTIONS_RARE);
        assert!(steps.iter().any(by_number), "{steps:?}");
        let steps = plan(row::FROM, MENTIONS);
        assert!(steps.iter().any(|step| step == "SEARCH m USING INDEX memories_by_time (scope=?)"), "{steps:?}");
    }

    #[test]
    fn the_newest_of_what_was_learned_are_looked_up() {
        let steps = plan_of(&format!(
            "SELECT {} FROM {} WHERE m.scope = 1 ORDER BY m.created_at DESC, m.id DESC LIMIT ?",
            row::COLUMNS,
            row::FROM
        ));
        assert!(steps.iter().any(|step| step.contains("memories_by_learning (scope=?)")), "{steps:?}");
    }
}
