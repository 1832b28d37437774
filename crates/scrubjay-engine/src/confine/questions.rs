//! What agents were handed, and what waits for the owner's word.

use async_trait::async_trait;
use scrubjay_core::id::{ConfirmationId, ReceiptId};
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use scrubjay_store::context::{Confirmation, ConfirmationState, Receipt, ReceiptQuery, Settlement, ShownText, Verdict};
use scrubjay_store::traits::{Confirmations, Receipts};
use scrubjay_store::{Result, StoreError};

use super::store::ConfinedStore;

#[async_trait]
impl Receipts for ConfinedStore {
    // A receipt is a note about reading, so it may lie wherever one may read.
    async fn put_receipt(&self, receipt: Receipt, keep_since: Timestamp) -> Result<()> {
        self.look_in(&receipt.scope)?;
        self.inner.put_receipt(receipt, keep_since).await
    }

    async fn receipts(&self, view: &View, query: ReceiptQuery) -> Result<Vec<Receipt>> {
        self.look(view)?;
        self.inner.receipts(view, query).await
    }

    async fn shown(&self, view: &View, session_id: &str) -> Result<Vec<ShownText>> {
        self.look(view)?;
        self.inner.shown(view, session_id).await
    }

    async fn last_handed_over(&self, view: &View, section: &str, since: Timestamp) -> Result<Option<Timestamp>> {
        self.look(view)?;
        self.inner.last_handed_over(view, section, since).await
    }

    async fn judge(&self, view: &View, id: ReceiptId, verdicts: Vec<Verdict>, at: Timestamp) -> Result<bool> {
        self.look(view)?;
        self.inner.judge(view, id, verdicts, at).await
    }
}

#[async_trait]
impl Confirmations for ConfinedStore {
    // Anyone may ask the owner.
    async fn put_confirmation(&self, confirmation: Confirmation) -> Result<()> {
        self.look_in(&confirmation.scope)?;
        if confirmation.state != ConfirmationState::Waiting {
            return Err(answers(confirmation.id));
        }
        self.inner.put_confirmation(confirmation).await
    }

    async fn confirmations(
        &self,
        view: &View,
        state: Option<ConfirmationState>,
        limit: usize,
    ) -> Result<Vec<Confirmation>> {
        self.look(view)?;
        self.inner.confirmations(view, state, limit).await
    }

    async fn confirmation(&self, view: &View, id: ConfirmationId) -> Result<Option<Confirmation>> {
        self.look(view)?;
        self.inner.confirmation(view, id).await
    }

    async fn settle_confirmation(&self, _view: &View, id: ConfirmationId, _settlement: Settlement) -> Result<bool> {
        Err(answers(id))
    }

    async fn expire_confirmations(&self, at: Timestamp) -> Result<usize> {
        self.inner.expire_confirmations(at).await
    }
}

fn answers(id: ConfirmationId) -> StoreError {
    StoreError::OwnerOnly { what: format!("the answer to {id}") }
}
