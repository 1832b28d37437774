//! The traits about what agents are handed, what waits, and tasks: each method
//! runs under one lock.

use async_trait::async_trait;
use scrubjay_core::id::{ConfirmationId, MemoryId, ReceiptId, RunId};
use scrubjay_core::scope::{Scope, TaskId, View};
use scrubjay_core::time::Timestamp;

use super::store::MemoryStore;
use super::{confirmations, receipts, tiers};
use crate::Result;
use crate::context::{
    Capacity, Confirmation, ConfirmationState, Outdated, Receipt, ReceiptQuery, Settlement, ShownText, Task, Verdict,
};
use crate::traits::{Confirmations, Receipts, Tiers};

#[async_trait]
impl Receipts for MemoryStore {
    async fn put_receipt(&self, receipt: Receipt, keep_since: Timestamp) -> Result<()> {
        self.write(|tables| receipts::put(tables, receipt, keep_since))
    }

    async fn receipts(&self, view: &View, query: ReceiptQuery) -> Result<Vec<Receipt>> {
        self.read(|tables| receipts::list(tables, view, &query))
    }

    async fn shown(&self, view: &View, session_id: &str) -> Result<Vec<ShownText>> {
        Ok(self.read(|tables| receipts::shown(tables, view, session_id)))
    }

    async fn last_handed_over(&self, view: &View, section: &str, since: Timestamp) -> Result<Option<Timestamp>> {
        Ok(self.read(|tables| receipts::last_handed_over(tables, &view.home(), section, since)))
    }

    async fn judge(&self, view: &View, id: ReceiptId, verdicts: Vec<Verdict>, at: Timestamp) -> Result<bool> {
        self.write(|tables| receipts::judge(tables, view, id, &verdicts, at))
    }
}

#[async_trait]
impl Confirmations for MemoryStore {
    async fn put_confirmation(&self, confirmation: Confirmation) -> Result<()> {
        self.write(|tables| confirmations::put(tables, confirmation))
    }

    async fn confirmations(
        &self,
        view: &View,
        state: Option<ConfirmationState>,
        limit: usize,
    ) -> Result<Vec<Confirmation>> {
        Ok(self.read(|tables| confirmations::list(tables, view, state, limit)))
    }

    async fn confirmation(&self, view: &View, id: ConfirmationId) -> Result<Option<Confirmation>> {
        Ok(self.read(|tables| confirmations::find(tables, view, id)))
    }

    async fn settle_confirmation(&self, view: &View, id: ConfirmationId, settlement: Settlement) -> Result<bool> {
        self.write(|tables| confirmations::settle(tables, view, id, &settlement))
    }

    async fn expire_confirmations(&self, at: Timestamp) -> Result<usize> {
        self.write(|tables| Ok(confirmations::expire(tables, at)))
    }
}

#[async_trait]
impl Tiers for MemoryStore {
    async fn begin_task(&self, task: Task) -> Result<()> {
        self.write(|tables| tiers::begin(tables, task))
    }

    async fn tasks(&self, view: &View, open: bool, limit: usize) -> Result<Vec<Task>> {
        Ok(self.read(|tables| tiers::list(tables, view, open, limit)))
    }

    async fn task(&self, view: &View, id: &TaskId) -> Result<Option<Task>> {
        Ok(self.read(|tables| tiers::find(tables, view, id)))
    }

    async fn end_task(&self, view: &View, id: &TaskId, at: Timestamp) -> Result<bool> {
        self.write(|tables| tiers::end(tables, view, id, at))
    }

    async fn reopen_task(&self, view: &View, id: &TaskId) -> Result<bool> {
        self.write(|tables| tiers::reopen(tables, view, id))
    }

    async fn task_of_run(&self, view: &View, run: Option<RunId>) -> Result<Option<TaskId>> {
        Ok(self.read(|tables| tiers::of_run(tables, view, run)))
    }

    async fn overfull(&self, scope: &Scope, capacity: Capacity) -> Result<Vec<MemoryId>> {
        Ok(self.read(|tables| tiers::overfull(tables, scope, &capacity)))
    }

    async fn outdated(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Outdated>> {
        Ok(self.read(|tables| tiers::outdated(tables, view, &ids)))
    }
}
