//! Answers that are given again when a request is sent again under its key.
//!
//! Kept in memory, the last ten thousand of them: a retry comes within minutes.
//! Messages are recognised for ever, by their ids, in the store.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::StatusCode;
use serde_json::Value;
use tokio::sync::OnceCell;

const AT_MOST: usize = 10_000;

/// An answer that was given.
pub(crate) struct Kept {
    pub(crate) status: StatusCode,
    pub(crate) value: Value,
}

/// The place of one key's answer. A second request waits here for the first.
pub(crate) type Slot = Arc<OnceCell<Kept>>;

/// What was asked under each key, by its hash, and the place of the answer.
type ByKey = HashMap<String, (blake3::Hash, Slot)>;

/// The answers by key.
#[derive(Default)]
pub(crate) struct Idempotency {
    kept: Mutex<(ByKey, VecDeque<String>)>,
}

impl Idempotency {
    /// The place for this key; none if it was used for something else.
    pub(crate) fn slot(&self, key: String, asked: blake3::Hash) -> Option<Slot> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (slots, order) = &mut *kept;
        if let Some((before, slot)) = slots.get(&key) {
            return (*before == asked).then(|| Arc::clone(slot));
        }
        if order.len() >= AT_MOST
            && let Some(oldest) = order.pop_front()
        {
            slots.remove(&oldest);
        }
        let slot = Slot::default();
        slots.insert(key.clone(), (asked, Arc::clone(&slot)));
        order.push_back(key);
        Some(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_one_request_and_memory_is_bounded() {
        let idempotency = Idempotency::default();
        let (a, b) = (blake3::hash(b"a"), blake3::hash(b"b"));
        let first = idempotency.slot("k".to_owned(), a).unwrap();
        assert!(Arc::ptr_eq(&first, &idempotency.slot("k".to_owned(), a).unwrap()));
        assert!(idempotency.slot("k".to_owned(), b).is_none());
        for number in 0..AT_MOST {
            idempotency.slot(number.to_string(), a).unwrap();
        }
        assert!(idempotency.slot("k".to_owned(), b).is_some());
        assert_eq!(idempotency.kept.lock().unwrap().0.len(), AT_MOST);
    }
}
