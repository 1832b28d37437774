//! What models cost, what is known about them, and batches under way.

use async_trait::async_trait;
use scrubjay_core::time::Timestamp;

use super::store::MemoryStore;
use crate::Result;
use crate::model::{Batch, Spend};
use crate::traits::{Ledger, ModelNotes};

#[async_trait]
impl Ledger for MemoryStore {
    async fn add_spend(&self, spend: Spend) -> Result<()> {
        self.write(|tables| {
            let key = (spend.day.clone(), spend.role.clone(), spend.model.clone());
            let added = tables.spend.change(&key, |known| {
                known.calls += spend.calls;
                known.input_tokens += spend.input_tokens;
                known.output_tokens += spend.output_tokens;
                known.cost_micros += spend.cost_micros;
            });
            if added.is_none() {
                tables.spend.put(key, spend);
            }
            Ok(())
        })
    }

    async fn spend(&self, from_day: &str, through_day: &str) -> Result<Vec<Spend>> {
        let within = |spend: &&Spend| (from_day..=through_day).contains(&spend.day.as_str());
        Ok(self.read(|tables| tables.spend.iter().map(|(_, spend)| spend).filter(within).cloned().collect()))
    }

    async fn spent_micros(&self, day: &str) -> Result<u64> {
        let of_day = |spend: &&Spend| spend.day == day;
        Ok(self.read(|tables| {
            tables.spend.iter().map(|(_, spend)| spend).filter(of_day).map(|spend| spend.cost_micros).sum()
        }))
    }
}

#[async_trait]
impl ModelNotes for MemoryStore {
    async fn card(&self, id: &str) -> Result<Option<String>> {
        Ok(self.read(|tables| tables.model_cards.get(&id.to_owned()).cloned()))
    }

    async fn put_card(&self, id: &str, card: &str, _at: Timestamp) -> Result<()> {
        self.write(|tables| {
            tables.model_cards.put(id.to_owned(), card.to_owned());
            Ok(())
        })
    }

    async fn batches(&self) -> Result<Vec<Batch>> {
        let mut batches: Vec<Batch> =
            self.read(|tables| tables.batches.iter().map(|(_, batch)| batch.clone()).collect());
        batches.sort_by(|one, other| (one.created_at, &one.name).cmp(&(other.created_at, &other.name)));
        Ok(batches)
    }

    async fn put_batch(&self, batch: Batch) -> Result<()> {
        self.write(|tables| {
            let known = tables.batches.change(&batch.name, |known| {
                known.remote_id.clone_from(&batch.remote_id);
                known.items.clone_from(&batch.items);
                (known.tries, known.updated_at) = (batch.tries, batch.updated_at);
                known.created_at = known.created_at.min(batch.created_at);
            });
            if known.is_none() {
                tables.batches.put(batch.name.clone(), batch);
            }
            Ok(())
        })
    }

    async fn remove_batch(&self, name: &str) -> Result<bool> {
        self.write(|tables| Ok(tables.batches.take(&name.to_owned()).is_some()))
    }
}
