//! One table: a map that can take back what was done to it.

use std::collections::BTreeMap;
use std::ops::RangeBounds;

/// Rows by key, and what the open transaction changed in them.
pub(super) struct Table<K, V> {
    rows: BTreeMap<K, V>,
    // Each changed row as it was before, oldest change first.
    former: Vec<(K, Option<V>)>,
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self { rows: BTreeMap::new(), former: Vec::new() }
    }
}

/// The end of a transaction, one way or the other.
pub(super) trait Transaction {
    /// Keeps what was done.
    fn commit(&mut self);

    /// Takes back what was done.
    fn roll_back(&mut self);
}

impl<K: Ord + Clone, V: Clone> Transaction for Table<K, V> {
    fn commit(&mut self) {
        self.former.clear();
    }

    fn roll_back(&mut self) {
        while let Some((key, former)) = self.former.pop() {
            match former {
                Some(value) => self.rows.insert(key, value),
                None => self.rows.remove(&key),
            };
        }
    }
}

impl<K: Ord + Clone, V: Clone> Table<K, V> {
    /// The row with this key.
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.rows.get(key)
    }

    /// Whether there is a row with this key.
    pub(super) fn has(&self, key: &K) -> bool {
        self.rows.contains_key(key)
    }

    /// All rows, by key.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.rows.iter()
    }

    /// The rows whose keys are in a range, by key.
    pub(super) fn range(&self, range: impl RangeBounds<K>) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.rows.range(range)
    }

    /// Stores a row; true if there was none with this key.
    pub(super) fn put(&mut self, key: K, value: V) -> bool {
        let former = self.rows.insert(key.clone(), value);
        let new = former.is_none();
        self.former.push((key, former));
        new
    }

    /// Removes a row, if it is there, and gives it away.
    pub(super) fn take(&mut self, key: &K) -> Option<V> {
        let taken = self.rows.remove(key)?;
        self.former.push((key.clone(), Some(taken.clone())));
        Some(taken)
    }

    /// Changes a row in place, if it is there.
    pub(super) fn change<T>(&mut self, key: &K, change: impl FnOnce(&mut V) -> T) -> Option<T> {
        let row = self.rows.get_mut(key)?;
        self.former.push((key.clone(), Some(row.clone())));
        Some(change(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_goes_back_to_its_last_commit() {
        let mut table = Table::default();
        table.put("a", 1);
        table.put("b", 2);
        table.commit();
        table.put("a", 3);
        table.change(&"a", |value| *value += 1);
        table.take(&"b");
        table.put("b", 5);
        table.take(&"b");
        table.put("c", 6);
        table.roll_back();
        assert_eq!(table.iter().map(|(key, value)| (*key, *value)).collect::<Vec<_>>(), [("a", 1), ("b", 2)]);
        table.roll_back();
        assert_eq!(table.get(&"a"), Some(&1));
    }
}
