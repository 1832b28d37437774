//! What models cost, what is known about them, and batches under way.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::row;
use super::store::SqliteStore;
use crate::Result;
use crate::item::GenerationId;
use crate::model::{Batch, Spend};
use crate::traits::{Ledger, ModelNotes};

#[async_trait]
impl Ledger for SqliteStore {
    async fn add_spend(&self, spend: Spend) -> Result<()> {
        self.writer.write("note what was spent", &self.options, move |connection| add(connection, &spend)).await
    }

    async fn spend(&self, from_day: &str, through_day: &str) -> Result<Vec<Spend>> {
        let (from_day, through_day) = (from_day.to_owned(), through_day.to_owned());
        self.readers.read("read what was spent", move |connection| list(connection, &from_day, &through_day)).await
    }

    async fn spent_micros(&self, day: &str) -> Result<u64> {
        let day = day.to_owned();
        self.readers.read("add up what was spent", move |connection| total(connection, &day)).await
    }
}

#[async_trait]
impl ModelNotes for SqliteStore {
    async fn card(&self, id: &str) -> Result<Option<String>> {
        let id = id.to_owned();
        self.readers.read("read about a model", move |connection| card(connection, &id)).await
    }

    async fn put_card(&self, id: &str, card: &str, at: Timestamp) -> Result<()> {
        let (id, card) = (id.to_owned(), card.to_owned());
        self.writer
            .write("note about a model", &self.options, move |connection| put_card(connection, &id, &card, at))
            .await
    }

    async fn batches(&self) -> Result<Vec<Batch>> {
        self.readers.read("list batches", batches).await
    }

    async fn put_batch(&self, batch: Batch) -> Result<()> {
        self.writer.write("note a batch", &self.options, move |connection| put_batch(connection, &batch)).await
    }

    async fn remove_batch(&self, name: &str) -> Result<bool> {
        let name = name.to_owned();
        self.writer.write("forget a batch", &self.options, move |connection| remove_batch(connection, &name)).await
    }
}

fn add(connection: &Connection, spend: &Spend) -> std::result::Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO spend (day, role, model, calls, input_tokens, output_tokens, cost_micros)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
                 input_tokens = input_tokens + excluded.input_tokens,
                 output_tokens = output_tokens + excluded.output_tokens,
                 cost_micros = cost_micros + excluded.cost_micros",
        )?
        .execute((
            &spend.day,
            &spend.role,
            &spend.model,
            row::integer(spend.calls),
            row::integer(spend.input_tokens),
            row::integer(spend.output_tokens),
            row::integer(spend.cost_micros),
        ))?;
    Ok(())
}

fn list(connection: &Connection, from_day: &str, through_day: &str) -> std::result::Result<Vec<Spend>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT day, role, model, calls, input_tokens, output_tokens, cost_micros FROM spend
         WHERE day BETWEEN ?1 AND ?2 ORDER BY day, role, model",
    )?;
    let rows = statement.query_map((from_day, through_day), |row| {
        Ok(Spend {
            day: row.get(0)?,
            role: row.get(1)?,
            model: row.get(2)?,
            calls: number(row, 3)?,
            input_tokens: number(row, 4)?,
            output_tokens: number(row, 5)?,
            cost_micros: number(row, 6)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn total(connection: &Connection, day: &str) -> std::result::Result<u64, Fault> {
    let mut statement = connection.prepare_cached("SELECT ifnull(sum(cost_micros), 0) FROM spend WHERE day = ?1")?;
    Ok(statement.query_row([day], |row| number(row, 0))?)
}

fn card(connection: &Connection, id: &str) -> std::result::Result<Option<String>, Fault> {
    let mut statement = connection.prepare_cached("SELECT card FROM model_cards WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| row.get(0)).optional()?)
}

fn put_card(connection: &Connection, id: &str, card: &str, at: Timestamp) -> std::result::Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO model_cards (id, card, learned_at) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET card = excluded.card, learned_at = excluded.learned_at",
        )?
        .execute((id, card, at.millis()))?;
    Ok(())
}

fn batches(connection: &Connection) -> std::result::Result<Vec<Batch>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT name, provider, model, generation, remote_id, items, tries, created_at, updated_at FROM batches
         ORDER BY created_at, name",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(Batch {
            name: row.get(0)?,
            provider: row.get(1)?,
            model: row.get(2)?,
            generation: GenerationId(number(row, 3)?),
            remote_id: row.get(4)?,
            items: row::from_json(row, 5)?,
            tries: row.get(6)?,
            created_at: Timestamp::from_millis(row.get(7)?),
            updated_at: Timestamp::from_millis(row.get(8)?),
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn put_batch(connection: &Connection, batch: &Batch) -> std::result::Result<(), Fault> {
    connection
        .prepare_cached(
            "INSERT INTO batches (name, provider, model, generation, remote_id, items, tries, created_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT DO UPDATE SET remote_id = excluded.remote_id, items = excluded.items, tries = excluded.tries,
                 created_at = min(created_at, excluded.created_at), updated_at = excluded.updated_at",
        )?
        .execute((
            &batch.name,
            &batch.provider,
            &batch.model,
            row::integer(batch.generation.0),
            &batch.remote_id,
            batch.items.to_string(),
            batch.tries,
            batch.created_at.millis(),
            batch.updated_at.millis(),
        ))?;
    Ok(())
}

fn remove_batch(connection: &Connection, name: &str) -> std::result::Result<bool, Fault> {
    Ok(connection.prepare_cached("DELETE FROM batches WHERE name = ?1")?.execute([name])? > 0)
}

fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}
