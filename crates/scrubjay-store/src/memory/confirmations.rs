//! Writes that wait for a person.

use scrubjay_core::id::ConfirmationId;
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use serde_json::Value;

use super::tables::Tables;
use crate::context::{Confirmation, ConfirmationState, Settlement};
use crate::{Result, StoreError, rules};

/// Puts a write off.
pub(super) fn put(tables: &mut Tables, confirmation: Confirmation) -> Result<()> {
    if tables.confirmations.has(&confirmation.id) {
        return Err(rules::taken(confirmation.id));
    }
    tables.know(&confirmation.scope);
    tables.confirmations.put(confirmation.id, confirmation);
    Ok(())
}

/// Confirmations, newest first: their ids sort by time.
pub(super) fn list(tables: &Tables, view: &View, state: Option<ConfirmationState>, limit: usize) -> Vec<Confirmation> {
    let wanted =
        tables.confirmations.iter().rev().map(|(_, confirmation)| confirmation).filter(|confirmation| {
            view.sees(&confirmation.scope) && state.is_none_or(|state| confirmation.state == state)
        });
    wanted.take(limit).cloned().collect()
}

/// One of them.
pub(super) fn find(tables: &Tables, view: &View, id: ConfirmationId) -> Option<Confirmation> {
    tables.confirmations.get(&id).filter(|confirmation| view.sees(&confirmation.scope)).cloned()
}

/// Moves one on, if it stands where it should.
pub(super) fn settle(tables: &mut Tables, view: &View, id: ConfirmationId, settlement: &Settlement) -> Result<bool> {
    let confirmation = find(tables, view, id).ok_or_else(|| StoreError::not_found(id))?;
    if confirmation.state != settlement.from {
        return Ok(false);
    }
    let answered = settlement.to != ConfirmationState::Waiting;
    tables.confirmations.change(&id, |confirmation| {
        confirmation.state = settlement.to;
        confirmation.answered_at = answered.then_some(settlement.at);
        confirmation.answered_by = answered.then(|| settlement.by.clone());
        confirmation.result = settlement.result.clone();
        if settlement.is_final() {
            (confirmation.input, confirmation.question) = (Value::Null, String::new());
        }
    });
    Ok(true)
}

/// Expires what nobody answered in time.
pub(super) fn expire(tables: &mut Tables, at: Timestamp) -> usize {
    let due: Vec<ConfirmationId> = tables
        .confirmations
        .iter()
        .filter(|(_, waiting)| waiting.state == ConfirmationState::Waiting && waiting.expires_at <= at)
        .map(|(id, _)| *id)
        .collect();
    for id in &due {
        tables.confirmations.change(id, |confirmation| {
            confirmation.state = ConfirmationState::Expired;
            confirmation.answered_at = Some(at);
            (confirmation.input, confirmation.question) = (Value::Null, String::new());
        });
    }
    due.len()
}
