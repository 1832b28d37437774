//! Ids by part of them.

use std::collections::BTreeSet;

use async_trait::async_trait;
use scrubjay_core::abbreviation::{Abbreviation, IdKind};
use scrubjay_core::scope::{Scope, View};
use uuid::Uuid;

use super::store::MemoryStore;
use super::tables::Tables;
use crate::Result;
use crate::traits::Abbreviations;

#[async_trait]
impl Abbreviations for MemoryStore {
    async fn ids_named(&self, view: &View, kind: IdKind, part: &Abbreviation, limit: usize) -> Result<Vec<String>> {
        Ok(self.read(|tables| {
            let named: BTreeSet<(Uuid, String)> = ids(tables, kind)
                .filter(|(uuid, _, scope)| part.names(*uuid) && view.sees(scope))
                .map(|(uuid, id, _)| (uuid, id))
                .collect();
            named.into_iter().take(limit).map(|(_, id)| id).collect()
        }))
    }
}

type Named<'a> = (Uuid, String, &'a Scope);

// Every id of a kind, with where it lives.
fn ids(tables: &Tables, kind: IdKind) -> Box<dyn Iterator<Item = Named<'_>> + '_> {
    match kind {
        IdKind::Memory(kind) => Box::new(
            tables
                .memories
                .iter()
                .map(|(_, stored)| &stored.memory)
                .filter(move |memory| kind.is_none_or(|kind| memory.kind() == kind))
                .map(|memory| (memory.id.uuid(), memory.id.to_string(), &memory.scope)),
        ),
        IdKind::Entity => {
            Box::new(tables.entities.iter().map(|(_, entity)| (entity.id.uuid(), entity.id.to_string(), &entity.scope)))
        }
        IdKind::Job => Box::new(
            tables
                .jobs
                .iter()
                .map(|(_, claimed)| &claimed.job)
                .map(|job| (job.id.uuid(), job.id.to_string(), &job.scope)),
        ),
        IdKind::Run => Box::new(
            tables
                .changes
                .iter()
                .filter(|(_, past)| past.entry.operation != "capture")
                .map(|(_, past)| (past.entry.run.uuid(), past.entry.run.to_string(), &past.scope)),
        ),
        IdKind::Document => Box::new(
            tables.documents.iter().map(|(_, document)| (document.id.uuid(), document.id.to_string(), &document.scope)),
        ),
        IdKind::Confirmation => Box::new(
            tables.confirmations.iter().map(|(id, confirmation)| (id.uuid(), id.to_string(), &confirmation.scope)),
        ),
        IdKind::Receipt => Box::new(
            tables.receipts.iter().map(|(_, receipt)| (receipt.id.uuid(), receipt.id.to_string(), &receipt.scope)),
        ),
    }
}
