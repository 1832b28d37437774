//! What models cost, what is known about them, and batches under way.

use async_trait::async_trait;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;

use super::fault::Fault;
use super::store::{PostgresStore, read, write};
use super::value::{count, from_json, get, integer, small, to_json};
use super::work::Work;
use crate::Result;
use crate::item::GenerationId;
use crate::model::{Batch, Spend};
use crate::traits::{Ledger, ModelNotes};

#[async_trait]
impl Ledger for PostgresStore {
    async fn add_spend(&self, spend: Spend) -> Result<()> {
        write!(self, "note what was spent", |work| add(&work, &spend))
    }

    async fn spend(&self, from_day: &str, through_day: &str) -> Result<Vec<Spend>> {
        read!(self, "read what was spent", |work| list(&work, from_day, through_day))
    }

    async fn spent_micros(&self, day: &str) -> Result<u64> {
        read!(self, "add up what was spent", |work| total(&work, day))
    }
}

#[async_trait]
impl ModelNotes for PostgresStore {
    async fn card(&self, id: &str) -> Result<Option<String>> {
        read!(self, "read about a model", |work| card(&work, id))
    }

    async fn put_card(&self, id: &str, card: &str, at: Timestamp) -> Result<()> {
        write!(self, "note about a model", |work| put_card(&work, id, card, at))
    }

    async fn batches(&self) -> Result<Vec<Batch>> {
        read!(self, "list batches", |work| batches(&work))
    }

    async fn put_batch(&self, batch: Batch) -> Result<()> {
        write!(self, "note a batch", |work| put_batch(&work, &batch))
    }

    async fn remove_batch(&self, name: &str) -> Result<bool> {
        write!(self, "forget a batch", |work| remove_batch(&work, name))
    }
}

async fn add(work: &Work, spend: &Spend) -> std::result::Result<(), Fault> {
    work.execute(
        "INSERT INTO spend AS s (agent, day, role, model, calls, input_tokens, output_tokens, cost_micros)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (agent, day, role, model) DO UPDATE SET calls = s.calls + excluded.calls,
             input_tokens = s.input_tokens + excluded.input_tokens,
             output_tokens = s.output_tokens + excluded.output_tokens, cost_micros = s.cost_micros + excluded.cost_micros",
        &[
            &spend.day,
            &spend.role,
            &spend.model,
            &integer(spend.calls),
            &integer(spend.input_tokens),
            &integer(spend.output_tokens),
            &integer(spend.cost_micros),
        ],
    )
    .await?;
    Ok(())
}

async fn list(work: &Work, from_day: &str, through_day: &str) -> std::result::Result<Vec<Spend>, Fault> {
    let sql = "SELECT day, role, model, calls, input_tokens, output_tokens, cost_micros FROM spend
               WHERE agent = $1 AND day BETWEEN $2 AND $3 ORDER BY day, role, model";
    let read = |row: &Row| {
        Ok(Spend {
            day: get(row, 0)?,
            role: get(row, 1)?,
            model: get(row, 2)?,
            calls: count(row, 3)?,
            input_tokens: count(row, 4)?,
            output_tokens: count(row, 5)?,
            cost_micros: count(row, 6)?,
        })
    };
    work.rows(sql, &[&from_day, &through_day]).await?.iter().map(read).collect()
}

async fn total(work: &Work, day: &str) -> std::result::Result<u64, Fault> {
    let sql = "SELECT coalesce(sum(cost_micros), 0)::bigint FROM spend WHERE agent = $1 AND day = $2";
    count(&work.one(sql, &[&day]).await?, 0)
}

async fn card(work: &Work, id: &str) -> std::result::Result<Option<String>, Fault> {
    let found = work.row("SELECT card FROM model_cards WHERE agent = $1 AND id = $2", &[&id]).await?;
    found.map(|row| get(&row, 0)).transpose()
}

async fn put_card(work: &Work, id: &str, card: &str, at: Timestamp) -> std::result::Result<(), Fault> {
    let sql = "INSERT INTO model_cards (agent, id, card, learned_at) VALUES ($1, $2, $3, $4)
               ON CONFLICT (agent, id) DO UPDATE SET card = excluded.card, learned_at = excluded.learned_at";
    work.execute(sql, &[&id, &card, &at.millis()]).await?;
    Ok(())
}

async fn batches(work: &Work) -> std::result::Result<Vec<Batch>, Fault> {
    let sql = "SELECT name, provider, model, generation, remote_id, items, tries, created_at, updated_at FROM batches
               WHERE agent = $1 ORDER BY created_at, name";
    let read = |row: &Row| {
        Ok(Batch {
            name: get(row, 0)?,
            provider: get(row, 1)?,
            model: get(row, 2)?,
            generation: GenerationId(count(row, 3)?),
            remote_id: get(row, 4)?,
            items: from_json(row, 5)?,
            tries: small(row, 6)?,
            created_at: Timestamp::from_millis(get(row, 7)?),
            updated_at: Timestamp::from_millis(get(row, 8)?),
        })
    };
    work.rows(sql, &[]).await?.iter().map(read).collect()
}

async fn put_batch(work: &Work, batch: &Batch) -> std::result::Result<(), Fault> {
    work.execute(
        "INSERT INTO batches AS b (agent, name, provider, model, generation, remote_id, items, tries, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (agent, name) DO UPDATE SET remote_id = excluded.remote_id, items = excluded.items,
             tries = excluded.tries, created_at = least(b.created_at, excluded.created_at),
             updated_at = excluded.updated_at",
        &[
            &batch.name,
            &batch.provider,
            &batch.model,
            &integer(batch.generation.0),
            &batch.remote_id,
            &to_json(&batch.items)?,
            &batch.tries,
            &batch.created_at.millis(),
            &batch.updated_at.millis(),
        ],
    )
    .await?;
    Ok(())
}

async fn remove_batch(work: &Work, name: &str) -> std::result::Result<bool, Fault> {
    Ok(work.execute("DELETE FROM batches WHERE agent = $1 AND name = $2", &[&name]).await? > 0)
}
