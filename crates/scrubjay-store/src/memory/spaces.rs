//! Vectors that callers made themselves.

use std::ops::Bound;

use async_trait::async_trait;

use super::store::MemoryStore;
use super::tables::Tables;
use crate::space::{Space, SpaceEntry};
use crate::traits::VectorSpaces;
use crate::{Result, rules};

#[async_trait]
impl VectorSpaces for MemoryStore {
    async fn space_dimensions(&self, space: &Space) -> Result<Option<usize>> {
        Ok(self.read(|tables| dimensions(tables, space)))
    }

    async fn put_in_space(&self, space: &Space, entries: Vec<SpaceEntry>) -> Result<()> {
        self.write(|tables| {
            rules::expect_dimensions(space, dimensions(tables, space), &entries)?;
            for entry in entries {
                tables.know(&space.scope);
                tables.space_entries.put((space.clone(), entry.id.clone()), entry);
            }
            Ok(())
        })
    }

    async fn space_entries(&self, space: &Space, after: Option<&str>, limit: usize) -> Result<Vec<SpaceEntry>> {
        Ok(self.read(|tables| of_space(tables, space, after).take(limit).cloned().collect()))
    }

    async fn remove_from_space(&self, space: &Space, ids: Vec<String>) -> Result<usize> {
        self.write(|tables| {
            let taken = ids.into_iter().filter_map(|id| tables.space_entries.take(&(space.clone(), id)));
            Ok(taken.count())
        })
    }

    async fn clear_space(&self, space: &Space) -> Result<usize> {
        self.write(|tables| {
            let ids: Vec<String> = of_space(tables, space, None).map(|entry| entry.id.clone()).collect();
            let taken = ids.into_iter().filter_map(|id| tables.space_entries.take(&(space.clone(), id)));
            Ok(taken.count())
        })
    }

    async fn count_space(&self, space: &Space) -> Result<u64> {
        Ok(self.read(|tables| of_space(tables, space, None).count() as u64))
    }
}

fn dimensions(tables: &Tables, space: &Space) -> Option<usize> {
    of_space(tables, space, None).next().map(|entry| entry.vector.len())
}

// The entries of a namespace by id, beyond one of them.
fn of_space<'a>(
    tables: &'a Tables,
    space: &'a Space,
    after: Option<&str>,
) -> impl Iterator<Item = &'a SpaceEntry> + use<'a> {
    let first = match after {
        Some(id) => Bound::Excluded((space.clone(), id.to_owned())),
        None => Bound::Included((space.clone(), String::new())),
    };
    let beyond = tables.space_entries.range((first, Bound::Unbounded));
    beyond.take_while(move |((own, _), _)| own == space).map(|(_, entry)| entry)
}
