//! Vectors by generation.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::{index_log, row, scopes};
use crate::StoreError;
use crate::item::{Coverage, Generation, GenerationId, GenerationState, ItemKey, NewGeneration, NewVectors, Waiting};

const COLUMNS: &str = "pk, model, dimensions, scheme, state, created_at";

/// The generations, oldest first.
pub(super) fn generations(connection: &Connection) -> Result<Vec<Generation>, Fault> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM generations ORDER BY pk"))?;
    Ok(statement.query_map([], read)?.collect::<rusqlite::Result<_>>()?)
}

/// Begins a generation, or finds the one with this description.
pub(super) fn begin(connection: &Connection, spec: &NewGeneration, at: Timestamp) -> Result<Generation, Fault> {
    let known = generations(connection)?;
    let current = known.iter().filter(|known| known.state != GenerationState::Retired);
    let mut state = GenerationState::Serving;
    for generation in current {
        if generation.spec == *spec {
            return Ok(generation.clone());
        }
        match generation.state {
            GenerationState::Serving => state = GenerationState::Building,
            _ => retire(connection, generation.id)?,
        }
    }
    let mut statement = connection.prepare_cached(
        "INSERT INTO generations (model, dimensions, scheme, state, created_at, memories_queued_through,
             chunks_queued_through, memories_end, chunks_end)
         VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, (SELECT ifnull(max(pk), 0) FROM memories),
             (SELECT ifnull(max(pk), 0) FROM chunks))",
    )?;
    statement.execute((&spec.model, spec.dimensions, &spec.scheme, state.name(), at.millis()))?;
    let id = GenerationId(connection.last_insert_rowid().unsigned_abs());
    Ok(Generation { id, spec: spec.clone(), state, created_at: at })
}

/// Queues older items; false when all are queued.
pub(super) fn queue_older(connection: &Connection, generation: GenerationId, limit: usize) -> Result<bool, Fault> {
    need(connection, generation)?;
    let mut left = i64::try_from(limit).unwrap_or(i64::MAX);
    for (table, parity) in [("memories", 0), ("chunks", 1)] {
        let sql = format!("SELECT {table}_queued_through, {table}_end FROM generations WHERE pk = ?1");
        let (through, end): (i64, i64) =
            connection.prepare_cached(&sql)?.query_row([number(generation)], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if through >= end || left <= 0 {
            continue;
        }
        let sql = format!(
            "SELECT max(pk), count(*) FROM (SELECT pk FROM {table} WHERE pk > ?1 AND pk <= ?2 ORDER BY pk LIMIT ?3)"
        );
        let (last, count): (Option<i64>, i64) =
            connection.prepare_cached(&sql)?.query_row((through, end, left), |row| Ok((row.get(0)?, row.get(1)?)))?;
        // Nothing was found: what there was is gone, and the end is reached.
        let last = if count < left { end } else { last.unwrap_or(end) };
        let sql = format!(
            "INSERT OR IGNORE INTO embed_queue (generation, item, ticket)
             SELECT ?1, pk * 2 + {parity}, 0 FROM {table} t WHERE pk > ?2 AND pk <= ?3 AND NOT EXISTS
                 (SELECT 1 FROM vectors v WHERE v.generation = ?1 AND v.item = t.pk * 2 + {parity})"
        );
        connection.prepare_cached(&sql)?.execute((number(generation), through, last))?;
        let sql = format!("UPDATE generations SET {table}_queued_through = ?2 WHERE pk = ?1");
        connection.prepare_cached(&sql)?.execute((number(generation), last))?;
        left -= count;
    }
    let sql = "SELECT memories_queued_through < memories_end OR chunks_queued_through < chunks_end FROM generations WHERE pk = ?1";
    Ok(connection.prepare_cached(sql)?.query_row([number(generation)], |row| row.get(0))?)
}

/// Items that wait for vectors, in the order they were queued.
pub(super) fn waiting(connection: &Connection, generation: GenerationId, limit: usize) -> Result<Vec<Waiting>, Fault> {
    let mut statement = connection
        .prepare_cached("SELECT item, ticket FROM embed_queue WHERE generation = ?1 ORDER BY item LIMIT ?2")?;
    let queued = statement
        .query_map((number(generation), i64::try_from(limit).unwrap_or(i64::MAX)), |row| {
            Ok((ItemKey::from_number(row.get::<_, i64>(0)?.unsigned_abs()), row.get::<_, i64>(1)?.unsigned_abs()))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let rows = index_log::read_rows(connection, queued.iter().map(|(key, _)| *key))?;
    let ticket = |key| queued.iter().find(|(queued, _)| *queued == key).map_or(0, |(_, ticket)| *ticket);
    Ok(rows.into_iter().map(|row| Waiting { ticket: ticket(row.key), row }).collect())
}

/// Stores vectors and takes their items off the queue.
pub(super) fn put(connection: &Connection, generation: GenerationId, vectors: &[NewVectors]) -> Result<usize, Fault> {
    need(connection, generation)?;
    let mut stored = 0;
    for new in vectors {
        let item = row::integer(new.key.number());
        connection
            .prepare_cached("DELETE FROM embed_queue WHERE generation = ?1 AND item = ?2 AND ticket = ?3")?
            .execute((number(generation), item, row::integer(new.ticket)))?;
        let Some(scope) = scope_of(connection, new.key)? else { continue };
        connection
            .prepare_cached(
                "INSERT INTO vectors (generation, item, text_hash, vectors) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET text_hash = excluded.text_hash, vectors = excluded.vectors",
            )?
            .execute((number(generation), item, new.text.as_bytes(), &new.encoded))?;
        index_log::note(connection, scope, new.key, false)?;
        stored += 1;
    }
    Ok(stored)
}

/// Switches to a generation.
pub(super) fn serve(connection: &Connection, generation: GenerationId) -> Result<(), Fault> {
    match need(connection, generation)?.state {
        GenerationState::Serving => return Ok(()),
        GenerationState::Retired => return Err(StoreError::not_found("such a generation of vectors").into()),
        GenerationState::Building => {}
    }
    let serving: Option<i64> = connection
        .prepare_cached("SELECT pk FROM generations WHERE state = 'serving'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    if let Some(serving) = serving {
        retire(connection, GenerationId(serving.unsigned_abs()))?;
    }
    connection
        .prepare_cached("UPDATE generations SET state = 'serving' WHERE pk = ?1")?
        .execute([number(generation)])?;
    Ok(())
}

/// Removes vectors of retired generations; false when none are left.
pub(super) fn remove_retired(connection: &Connection, limit: usize) -> Result<bool, Fault> {
    let retired: Vec<i64> = connection
        .prepare_cached("SELECT pk FROM generations WHERE state = 'retired' ORDER BY pk")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut left = limit;
    for generation in retired {
        for table in ["embed_queue", "vectors"] {
            let sql = format!(
                "DELETE FROM {table} WHERE generation = ?1 AND item IN
                     (SELECT item FROM {table} WHERE generation = ?1 ORDER BY item LIMIT ?2)"
            );
            let gone =
                connection.prepare_cached(&sql)?.execute((generation, i64::try_from(left).unwrap_or(i64::MAX)))?;
            left = left.saturating_sub(gone);
            if left == 0 {
                return Ok(true);
            }
        }
        connection.prepare_cached("DELETE FROM generations WHERE pk = ?1")?.execute([generation])?;
    }
    Ok(false)
}

/// How many of the visible items wait for vectors of a generation.
///
/// What is queued is looked at, and what is older than the generation and not queued yet: nothing, once all are done.
pub(super) fn count_waiting(connection: &Connection, view: &View, generation: GenerationId) -> Result<u64, Fault> {
    let visible = scopes::visible(connection, view)?;
    let mut waiting = 0;
    for (table, parity, items) in
        [("memories", 0, "memories t"), ("chunks", 1, "chunks t CROSS JOIN documents d ON d.pk = t.document")]
    {
        let scope = if parity == 0 { "t.scope" } else { "d.scope" };
        let queued = format!(
            "SELECT count(*) FROM embed_queue q CROSS JOIN {items}
             WHERE q.generation = ?1 AND q.item % 2 = {parity} AND t.pk = q.item / 2 AND {scope} IN ({visible})"
        );
        let older = format!(
            "SELECT count(*) FROM generations g CROSS JOIN {items}
             WHERE g.pk = ?1 AND t.pk > g.{table}_queued_through AND t.pk <= g.{table}_end AND {scope} IN ({visible})
                 AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.generation = ?1 AND v.item = t.pk * 2 + {parity})
                 AND NOT EXISTS (SELECT 1 FROM embed_queue q WHERE q.generation = ?1 AND q.item = t.pk * 2 + {parity})"
        );
        for sql in [queued, older] {
            let count: i64 = connection.prepare_cached(&sql)?.query_row([number(generation)], |row| row.get(0))?;
            waiting += count.unsigned_abs();
        }
    }
    Ok(waiting)
}

/// How far a generation has come.
pub(super) fn coverage(connection: &Connection, generation: GenerationId) -> Result<Coverage, Fault> {
    let count = |sql: &str, value: Option<i64>| -> Result<u64, Fault> {
        let mut statement = connection.prepare_cached(sql)?;
        let count: i64 = match value {
            Some(value) => statement.query_row([value], |row| row.get(0))?,
            None => statement.query_row([], |row| row.get(0))?,
        };
        Ok(count.unsigned_abs())
    };
    let embedded = count("SELECT count(*) FROM vectors WHERE generation = ?1", Some(number(generation)))?;
    let items = count("SELECT (SELECT count(*) FROM memories) + (SELECT count(*) FROM chunks)", None)?;
    Ok(Coverage { embedded, items })
}

fn retire(connection: &Connection, generation: GenerationId) -> Result<(), Fault> {
    connection
        .prepare_cached("UPDATE generations SET state = 'retired' WHERE pk = ?1")?
        .execute([number(generation)])?;
    Ok(())
}

fn need(connection: &Connection, generation: GenerationId) -> Result<Generation, Fault> {
    let mut statement = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM generations WHERE pk = ?1"))?;
    statement
        .query_row([number(generation)], read)
        .optional()?
        .ok_or_else(|| StoreError::not_found("such a generation of vectors").into())
}

fn scope_of(connection: &Connection, key: ItemKey) -> Result<Option<i64>, Fault> {
    let sql = if key.is_chunk() {
        "SELECT d.scope FROM chunks c JOIN documents d ON d.pk = c.document WHERE c.pk = ?1"
    } else {
        "SELECT scope FROM memories WHERE pk = ?1"
    };
    Ok(connection.prepare_cached(sql)?.query_row([row::integer(key.row())], |row| row.get(0)).optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Generation> {
    let state: String = row.get(4)?;
    let state = GenerationState::from_name(&state).ok_or_else(|| {
        let error = StoreError::Unreadable { what: "generation", detail: format!("unknown state `{state}`") };
        rusqlite::Error::FromSqlConversionFailure(4, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(Generation {
        id: GenerationId(row.get::<_, i64>(0)?.unsigned_abs()),
        spec: NewGeneration { model: row.get(1)?, dimensions: row.get(2)?, scheme: row.get(3)? },
        state,
        created_at: Timestamp::from_millis(row.get(5)?),
    })
}

fn number(generation: GenerationId) -> i64 {
    row::integer(generation.0)
}
