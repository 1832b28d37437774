//! What agents were handed.

use std::collections::BTreeSet;

use scrubjay_core::id::{MemoryId, ReceiptId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;

use super::tables::Tables;
use crate::context::{Receipt, ReceiptQuery, Shown, ShownText, Verdict};
use crate::{Result, StoreError, rules};

/// Keeps a receipt and drops old ones.
pub(super) fn put(tables: &mut Tables, receipt: Receipt, keep_since: Timestamp) -> Result<()> {
    if tables.receipts.iter().any(|(_, known)| known.id == receipt.id) {
        return Err(rules::taken(receipt.id));
    }
    tables.know(&receipt.scope);
    let number = tables.next_number("receipts");
    tables.receipts.put(number, receipt);
    let old: Vec<u64> =
        tables.receipts.iter().filter(|(_, receipt)| receipt.at < keep_since).map(|(number, _)| *number).collect();
    for number in old {
        tables.receipts.take(&number);
    }
    Ok(())
}

/// Receipts, newest first.
pub(super) fn list(tables: &Tables, view: &View, query: &ReceiptQuery) -> Result<Vec<Receipt>> {
    let before = match query.before {
        Some(id) => number(tables, view, id)?,
        None => u64::MAX,
    };
    let newest_first = tables.receipts.iter().rev().filter(|(number, receipt)| {
        **number < before
            && view.sees(&receipt.scope)
            && query.id.is_none_or(|id| receipt.id == id)
            && (query.session_id.is_none() || receipt.session_id == query.session_id)
    });
    Ok(newest_first.map(|(_, receipt)| receipt.clone()).take(query.limit).collect())
}

/// Everything that a conversation was shown, each thing once.
pub(super) fn shown(tables: &Tables, view: &View, session_id: &str) -> Vec<ShownText> {
    let mut seen = BTreeSet::new();
    let receipts = tables
        .receipts
        .iter()
        .map(|(_, receipt)| receipt)
        .filter(|receipt| view.sees(&receipt.scope) && receipt.session_id.as_deref() == Some(session_id));
    receipts
        .flat_map(|receipt| receipt.items.iter().map(|item| ShownText { item: item.item.clone(), text: item.text }))
        .filter(|item| seen.insert(item.clone()))
        .collect()
}

/// When something in a section was last handed over from a scope, if that was after `since`.
pub(super) fn last_handed_over(tables: &Tables, scope: &Scope, section: &str, since: Timestamp) -> Option<Timestamp> {
    let receipts = tables.receipts.iter().map(|(_, receipt)| receipt);
    let holds = |receipt: &&Receipt| {
        receipt.at > since && receipt.scope == *scope && receipt.items.iter().any(|item| item.section == section)
    };
    receipts.filter(holds).map(|receipt| receipt.at).max()
}

/// Notes what a reply made of the items; false if that is known.
pub(super) fn judge(
    tables: &mut Tables,
    view: &View,
    id: ReceiptId,
    verdicts: &[Verdict],
    at: Timestamp,
) -> Result<bool> {
    let number = number(tables, view, id)?;
    let Some(receipt) = tables.receipts.get(&number) else { return Err(StoreError::not_found(id)) };
    if receipt.judged_at.is_some() {
        return Ok(false);
    }
    rules::expect_verdicts(receipt.items.len(), verdicts.len())?;
    tables.receipts.change(&number, |receipt| {
        receipt.judged_at = Some(at);
        for (item, verdict) in receipt.items.iter_mut().zip(verdicts) {
            item.verdict = Some(*verdict);
        }
    });
    Ok(true)
}

/// Takes a purged memory out of all receipts.
pub(super) fn forget(tables: &mut Tables, id: MemoryId) {
    let gone = Shown::Memory(id);
    let holds = |receipt: &Receipt| receipt.items.iter().any(|item| item.item == gone);
    let numbers: Vec<u64> =
        tables.receipts.iter().filter(|(_, receipt)| holds(receipt)).map(|(number, _)| *number).collect();
    for number in numbers {
        tables.receipts.change(&number, |receipt| receipt.items.retain(|item| item.item != gone));
    }
}

fn number(tables: &Tables, view: &View, id: ReceiptId) -> Result<u64> {
    let mut all = tables.receipts.iter();
    let found = all.find(|(_, receipt)| receipt.id == id && view.sees(&receipt.scope));
    found.map(|(number, _)| *number).ok_or_else(|| StoreError::not_found(id))
}
