//! The traits about what agents are handed, what waits, and tasks: each method
//! hands its work to the writer or to a reader.

use async_trait::async_trait;
use scrubjay_core::id::{ConfirmationId, MemoryId, ReceiptId, RunId};
use scrubjay_core::scope::{Scope, TaskId, View};
use scrubjay_core::time::Timestamp;

use super::store::SqliteStore;
use super::{confirmations, receipts, tiers};
use crate::Result;
use crate::context::{
    Capacity, Confirmation, ConfirmationState, Outdated, Receipt, ReceiptQuery, Settlement, ShownText, Task, Verdict,
};
use crate::traits::{Confirmations, Receipts, Tiers};

#[async_trait]
impl Receipts for SqliteStore {
    async fn put_receipt(&self, receipt: Receipt, keep_since: Timestamp) -> Result<()> {
        self.writer
            .write("keep a receipt", &self.options, move |connection| receipts::put(connection, &receipt, keep_since))
            .await
    }

    async fn receipts(&self, view: &View, query: ReceiptQuery) -> Result<Vec<Receipt>> {
        let view = view.clone();
        self.readers.read("read receipts", move |connection| receipts::list(connection, &view, &query)).await
    }

    async fn shown(&self, view: &View, session_id: &str) -> Result<Vec<ShownText>> {
        let (view, session_id) = (view.clone(), session_id.to_owned());
        self.readers
            .read("read what a session was shown", move |connection| receipts::shown(connection, &view, &session_id))
            .await
    }

    async fn last_handed_over(&self, view: &View, section: &str, since: Timestamp) -> Result<Option<Timestamp>> {
        let (home, section) = (view.home(), section.to_owned());
        self.readers
            .read("read when something was handed over", move |connection| {
                receipts::last_handed_over(connection, &home, &section, since)
            })
            .await
    }

    async fn judge(&self, view: &View, id: ReceiptId, verdicts: Vec<Verdict>, at: Timestamp) -> Result<bool> {
        let view = view.clone();
        self.writer
            .write("note what a reply used", &self.options, move |connection| {
                receipts::judge(connection, &view, id, &verdicts, at)
            })
            .await
    }
}

#[async_trait]
impl Confirmations for SqliteStore {
    async fn put_confirmation(&self, confirmation: Confirmation) -> Result<()> {
        self.writer
            .write("put a write off", &self.options, move |connection| confirmations::put(connection, &confirmation))
            .await
    }

    async fn confirmations(
        &self,
        view: &View,
        state: Option<ConfirmationState>,
        limit: usize,
    ) -> Result<Vec<Confirmation>> {
        let view = view.clone();
        self.readers
            .read("list confirmations", move |connection| confirmations::list(connection, &view, state, limit))
            .await
    }

    async fn confirmation(&self, view: &View, id: ConfirmationId) -> Result<Option<Confirmation>> {
        let view = view.clone();
        self.readers.read("read a confirmation", move |connection| confirmations::find(connection, &view, id)).await
    }

    async fn settle_confirmation(&self, view: &View, id: ConfirmationId, settlement: Settlement) -> Result<bool> {
        let view = view.clone();
        self.writer
            .write("settle a confirmation", &self.options, move |connection| {
                confirmations::settle(connection, &view, id, &settlement)
            })
            .await
    }

    async fn expire_confirmations(&self, at: Timestamp) -> Result<usize> {
        self.writer
            .write("expire confirmations", &self.options, move |connection| confirmations::expire(connection, at))
            .await
    }
}

#[async_trait]
impl Tiers for SqliteStore {
    async fn begin_task(&self, task: Task) -> Result<()> {
        self.writer.write("begin a task", &self.options, move |connection| tiers::begin(connection, &task)).await
    }

    async fn tasks(&self, view: &View, open: bool, limit: usize) -> Result<Vec<Task>> {
        let view = view.clone();
        self.readers.read("list tasks", move |connection| tiers::list(connection, &view, open, limit)).await
    }

    async fn task(&self, view: &View, id: &TaskId) -> Result<Option<Task>> {
        let (view, id) = (view.clone(), id.clone());
        self.readers.read("read a task", move |connection| tiers::find(connection, &view, &id)).await
    }

    async fn end_task(&self, view: &View, id: &TaskId, at: Timestamp) -> Result<bool> {
        let (view, id) = (view.clone(), id.clone());
        self.writer.write("end a task", &self.options, move |connection| tiers::end(connection, &view, &id, at)).await
    }

    async fn reopen_task(&self, view: &View, id: &TaskId) -> Result<bool> {
        let (view, id) = (view.clone(), id.clone());
        self.writer.write("open a task", &self.options, move |connection| tiers::reopen(connection, &view, &id)).await
    }

    async fn task_of_run(&self, view: &View, run: Option<RunId>) -> Result<Option<TaskId>> {
        let view = view.clone();
        self.readers.read("look for a task", move |connection| tiers::of_run(connection, &view, run)).await
    }

    async fn overfull(&self, scope: &Scope, capacity: Capacity) -> Result<Vec<MemoryId>> {
        let scope = scope.clone();
        self.readers.read("measure a tier", move |connection| tiers::overfull(connection, &scope, &capacity)).await
    }

    async fn outdated(&self, view: &View, ids: Vec<MemoryId>) -> Result<Vec<Outdated>> {
        let view = view.clone();
        self.readers.read("look for newer facts", move |connection| tiers::outdated(connection, &view, &ids)).await
    }
}
