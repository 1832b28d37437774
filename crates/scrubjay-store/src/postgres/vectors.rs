//! Vectors by generation.

use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;

use super::fault::Fault;
use super::value::{count, get, integer, limit, small};
use super::work::{Counter, Work};
use super::{index_log, scopes};
use crate::StoreError;
use crate::item::{Coverage, Generation, GenerationId, GenerationState, ItemKey, NewGeneration, NewVectors, Waiting};

const COLUMNS: &str = "pk, model, dimensions, scheme, state, created_at";

/// The generations, oldest first.
pub(super) async fn generations(work: &Work) -> Result<Vec<Generation>, Fault> {
    let sql = format!("SELECT {COLUMNS} FROM generations WHERE agent = $1 ORDER BY pk");
    work.rows(&sql, &[]).await?.iter().map(read).collect()
}

/// Begins a generation, or finds the one with this description.
pub(super) async fn begin(work: &Work, spec: &NewGeneration, at: Timestamp) -> Result<Generation, Fault> {
    let mut state = GenerationState::Serving;
    for generation in generations(work).await? {
        match generation.state {
            GenerationState::Retired => {}
            _ if generation.spec == *spec => return Ok(generation),
            GenerationState::Serving => state = GenerationState::Building,
            GenerationState::Building => retire(work, generation.id).await?,
        }
    }
    let pk = work.draw(Counter::Generations)?;
    work.execute(
        "INSERT INTO generations (agent, pk, model, dimensions, scheme, state, created_at, memories_queued_through,
             chunks_queued_through, memories_end, chunks_end)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, (SELECT coalesce(max(pk), 0) FROM memories WHERE agent = $1),
             (SELECT coalesce(max(pk), 0) FROM chunks WHERE agent = $1))",
        &[&pk, &spec.model, &spec.dimensions, &spec.scheme, &state.name(), &at.millis()],
    )
    .await?;
    Ok(Generation { id: GenerationId(pk.unsigned_abs()), spec: spec.clone(), state, created_at: at })
}

/// Queues older items; false when all are queued.
pub(super) async fn queue_older(work: &Work, generation: GenerationId, most: usize) -> Result<bool, Fault> {
    need(work, generation).await?;
    let mut left = limit(most);
    for (table, parity) in [("memories", 0), ("chunks", 1)] {
        let sql = format!("SELECT {table}_queued_through, {table}_end FROM generations WHERE agent = $1 AND pk = $2");
        let stand = work.one(&sql, &[&number(generation)]).await?;
        let (through, end): (i64, i64) = (get(&stand, 0)?, get(&stand, 1)?);
        if through >= end || left <= 0 {
            continue;
        }
        let sql = format!(
            "SELECT max(pk), count(*) FROM (SELECT pk FROM {table} WHERE agent = $1 AND pk > $2 AND pk <= $3
                 ORDER BY pk LIMIT $4) part"
        );
        let part = work.one(&sql, &[&through, &end, &left]).await?;
        let (last, found): (Option<i64>, i64) = (get(&part, 0)?, get(&part, 1)?);
        // Nothing was found: what there was is gone, and the end is reached.
        let last = if found < left { end } else { last.unwrap_or(end) };
        let sql = format!(
            "INSERT INTO embed_queue (agent, generation, item, ticket)
             SELECT $1, $2, pk * 2 + {parity}, 0 FROM {table} t
             WHERE t.agent = $1 AND pk > $3 AND pk <= $4 AND NOT EXISTS
                 (SELECT 1 FROM vectors v WHERE v.agent = $1 AND v.generation = $2 AND v.item = t.pk * 2 + {parity})
             ORDER BY pk ON CONFLICT DO NOTHING"
        );
        work.execute(&sql, &[&number(generation), &through, &last]).await?;
        let sql = format!("UPDATE generations SET {table}_queued_through = $3 WHERE agent = $1 AND pk = $2");
        work.execute(&sql, &[&number(generation), &last]).await?;
        left -= found;
    }
    let sql = "SELECT memories_queued_through < memories_end OR chunks_queued_through < chunks_end FROM generations
               WHERE agent = $1 AND pk = $2";
    get(&work.one(sql, &[&number(generation)]).await?, 0)
}

/// Items that wait for vectors, in the order of their keys.
pub(super) async fn waiting(work: &Work, generation: GenerationId, most: usize) -> Result<Vec<Waiting>, Fault> {
    let sql = "SELECT item, ticket FROM embed_queue WHERE agent = $1 AND generation = $2 ORDER BY item LIMIT $3";
    let mut queued = Vec::new();
    for row in work.rows(sql, &[&number(generation), &limit(most)]).await? {
        queued.push((ItemKey::from_number(count(&row, 0)?), count(&row, 1)?));
    }
    let rows = index_log::read_rows(work, queued.iter().map(|(key, _)| *key)).await?;
    let ticket = |key| queued.iter().find(|(queued, _)| *queued == key).map_or(0, |(_, ticket)| *ticket);
    Ok(rows.into_iter().map(|row| Waiting { ticket: ticket(row.key), row }).collect())
}

/// Stores vectors and takes their items off the queue.
pub(super) async fn put(work: &Work, generation: GenerationId, vectors: &[NewVectors]) -> Result<usize, Fault> {
    need(work, generation).await?;
    let mut stored = 0;
    for new in vectors {
        let item = integer(new.key.number());
        let sql = "DELETE FROM embed_queue WHERE agent = $1 AND generation = $2 AND item = $3 AND ticket = $4";
        work.execute(sql, &[&number(generation), &item, &integer(new.ticket)]).await?;
        let Some(scope) = scope_of(work, new.key).await? else { continue };
        work.execute(
            "INSERT INTO vectors (agent, generation, item, text_hash, vectors) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (agent, generation, item)
                 DO UPDATE SET text_hash = excluded.text_hash, vectors = excluded.vectors",
            &[&number(generation), &item, &new.text.as_bytes(), &new.encoded],
        )
        .await?;
        index_log::note(work, scope, new.key, false).await?;
        stored += 1;
    }
    Ok(stored)
}

/// Switches to a generation.
pub(super) async fn serve(work: &Work, generation: GenerationId) -> Result<(), Fault> {
    match need(work, generation).await?.state {
        GenerationState::Serving => return Ok(()),
        GenerationState::Retired => return Err(StoreError::not_found("such a generation of vectors").into()),
        GenerationState::Building => {}
    }
    work.execute("UPDATE generations SET state = 'retired' WHERE agent = $1 AND state = 'serving'", &[]).await?;
    let sql = "UPDATE generations SET state = 'serving' WHERE agent = $1 AND pk = $2";
    work.execute(sql, &[&number(generation)]).await?;
    Ok(())
}

/// Removes vectors of retired generations; false when none are left.
pub(super) async fn remove_retired(work: &Work, most: usize) -> Result<bool, Fault> {
    let retired =
        work.rows("SELECT pk FROM generations WHERE agent = $1 AND state = 'retired' ORDER BY pk", &[]).await?;
    let mut left = most;
    for row in &retired {
        let generation: i64 = get(row, 0)?;
        for table in ["embed_queue", "vectors"] {
            let sql = format!(
                "DELETE FROM {table} WHERE agent = $1 AND generation = $2 AND item IN
                     (SELECT item FROM {table} WHERE agent = $1 AND generation = $2 ORDER BY item LIMIT $3)"
            );
            let gone = work.execute(&sql, &[&generation, &limit(left)]).await?;
            left = left.saturating_sub(usize::try_from(gone).unwrap_or(usize::MAX));
            if left == 0 {
                return Ok(true);
            }
        }
        work.execute("DELETE FROM generations WHERE agent = $1 AND pk = $2", &[&generation]).await?;
    }
    Ok(false)
}

/// How many of the visible items wait for vectors of a generation.
///
/// What is queued is looked at, and what is older than the generation and not queued yet: nothing, once all are done.
pub(super) async fn count_waiting(work: &Work, view: &View, generation: GenerationId) -> Result<u64, Fault> {
    let visible = scopes::visible(work, view).await?;
    let mut waiting = 0;
    for (table, parity, items, scope) in [
        ("memories", 0, "memories t", "t.scope"),
        ("chunks", 1, "chunks t JOIN documents d ON d.agent = t.agent AND d.pk = t.document", "d.scope"),
    ] {
        let queued = format!(
            "SELECT count(*) FROM {items} JOIN embed_queue q ON q.agent = t.agent AND q.item / 2 = t.pk
             WHERE q.agent = $1 AND q.generation = $2 AND q.item % 2 = {parity} AND {scope} = ANY ($3)"
        );
        let older = format!(
            "SELECT count(*) FROM {items} JOIN generations g ON g.agent = t.agent
                 AND t.pk > g.{table}_queued_through AND t.pk <= g.{table}_end
             WHERE g.agent = $1 AND g.pk = $2 AND {scope} = ANY ($3)
                 AND NOT EXISTS (SELECT 1 FROM vectors v
                                 WHERE v.agent = $1 AND v.generation = $2 AND v.item = t.pk * 2 + {parity})
                 AND NOT EXISTS (SELECT 1 FROM embed_queue q
                                 WHERE q.agent = $1 AND q.generation = $2 AND q.item = t.pk * 2 + {parity})"
        );
        for sql in [queued, older] {
            waiting += count(&work.one(&sql, &[&number(generation), &visible]).await?, 0)?;
        }
    }
    Ok(waiting)
}

/// How far a generation has come.
pub(super) async fn coverage(work: &Work, generation: GenerationId) -> Result<Coverage, Fault> {
    let sql = "SELECT (SELECT count(*) FROM vectors WHERE agent = $1 AND generation = $2),
                   (SELECT count(*) FROM memories WHERE agent = $1) + (SELECT count(*) FROM chunks WHERE agent = $1)";
    let row = work.one(sql, &[&number(generation)]).await?;
    Ok(Coverage { embedded: count(&row, 0)?, items: count(&row, 1)? })
}

async fn retire(work: &Work, generation: GenerationId) -> Result<(), Fault> {
    let sql = "UPDATE generations SET state = 'retired' WHERE agent = $1 AND pk = $2";
    work.execute(sql, &[&number(generation)]).await?;
    Ok(())
}

async fn need(work: &Work, generation: GenerationId) -> Result<Generation, Fault> {
    let sql = format!("SELECT {COLUMNS} FROM generations WHERE agent = $1 AND pk = $2");
    let found = work.row(&sql, &[&number(generation)]).await?;
    read(&found.ok_or_else(|| StoreError::not_found("such a generation of vectors"))?)
}

async fn scope_of(work: &Work, key: ItemKey) -> Result<Option<i64>, Fault> {
    let sql = if key.is_chunk() {
        "SELECT d.scope FROM chunks c JOIN documents d ON d.agent = c.agent AND d.pk = c.document
         WHERE c.agent = $1 AND c.pk = $2"
    } else {
        "SELECT scope FROM memories WHERE agent = $1 AND pk = $2"
    };
    work.row(sql, &[&integer(key.row())]).await?.map(|row| get(&row, 0)).transpose()
}

fn read(row: &Row) -> Result<Generation, Fault> {
    let state: &str = get(row, 4)?;
    let unknown = || StoreError::Unreadable { what: "generation", detail: format!("unknown state `{state}`") };
    Ok(Generation {
        id: GenerationId(count(row, 0)?),
        spec: NewGeneration { model: get(row, 1)?, dimensions: small(row, 2)?, scheme: get(row, 3)? },
        state: GenerationState::from_name(state).ok_or_else(unknown)?,
        created_at: Timestamp::from_millis(get(row, 5)?),
    })
}

fn number(generation: GenerationId) -> i64 {
    integer(generation.0)
}
