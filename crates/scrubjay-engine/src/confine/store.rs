//! A store in the hands of a caller who is not its owner.

use std::sync::Arc;

use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::memory::MemoryType;
use scrubjay_core::scope::{Scope, View};
use scrubjay_store::change::{Change, NewJob};
use scrubjay_store::{Result, Store, StoreError};

use super::reach::Reach;

/// A store that changes only what is within a caller's reach, and reads no other
/// project.
pub struct ConfinedStore {
    pub(super) inner: Arc<dyn Store>,
    pub(super) reach: Reach,
}

impl ConfinedStore {
    /// This store, for a caller with this reach.
    #[must_use]
    pub fn new(inner: Arc<dyn Store>, reach: Reach) -> Self {
        Self { inner, reach }
    }

    /// Refuses a view of another project, as if there were none.
    pub(super) fn look(&self, view: &View) -> Result<()> {
        self.look_in(&view.home())
    }

    /// Refuses a scope of another project, as if there were none.
    pub(super) fn look_in(&self, scope: &Scope) -> Result<()> {
        if self.reach.reads(scope) { Ok(()) } else { Err(StoreError::not_found("such a project")) }
    }

    /// Refuses a scope that is out of reach.
    pub(super) fn write_in(&self, scope: &Scope) -> Result<()> {
        self.look_in(scope)?;
        if self.reach.writes_in(scope) { Ok(()) } else { Err(owners("what holds for all projects")) }
    }

    /// Refuses a memory of this type in this scope.
    pub(super) fn write(&self, scope: &Scope, memory_type: &MemoryType, what: &str) -> Result<()> {
        self.look_in(scope)?;
        if self.reach.writes(scope, memory_type) { Ok(()) } else { Err(owners(what)) }
    }

    /// Refuses jobs of another scope.
    pub(super) fn queue(&self, jobs: &[NewJob]) -> Result<()> {
        jobs.iter().try_for_each(|job| self.write_in(&job.scope))
    }

    /// Refuses changes of which any is out of reach. A memory moves only from
    /// one project to another, out of the view that it was looked up in, so what
    /// is found here still holds when it is changed.
    pub(super) async fn check(&self, view: &View, changes: &[Change], jobs: &[NewJob]) -> Result<()> {
        self.look(view)?;
        self.queue(jobs)?;
        for change in changes {
            match change {
                Change::Create(new) => {
                    let what = format!("what holds for all projects ({})", new.memory.memory_type);
                    self.write(&new.memory.scope, &new.memory.memory_type, &what)?;
                }
                Change::Update { id, patch, .. } => {
                    self.check_memory(view, *id, patch.memory_type.as_ref()).await?;
                }
                Change::End { id, .. } | Change::Reopen { id } | Change::Mention { id, .. } => {
                    self.check_memory(view, *id, None).await?;
                }
                // A link belongs to the memory that it starts from, so that what is known of a global memory
                // stays as the owner left it.
                Change::Link(link) | Change::Unlink(link) if !creates(changes, link.from) => {
                    self.check_memory(view, link.from, None).await?;
                }
                Change::Link(_) | Change::Unlink(_) => {}
            }
        }
        Ok(())
    }

    /// Refuses a memory that is out of reach, as it is or as it would become. One that is not there is left to the
    /// store, which says so.
    pub(super) async fn check_memory(&self, view: &View, id: MemoryId, becomes: Option<&MemoryType>) -> Result<()> {
        let Some(memory) = self.inner.get(view, id).await? else { return Ok(()) };
        let what = format!("{id}, which holds for all projects");
        self.write(&memory.scope, &memory.memory_type, &what)?;
        becomes.map_or(Ok(()), |memory_type| self.write(&memory.scope, memory_type, &what))
    }

    /// Refuses an entity that is out of reach.
    pub(super) async fn check_entity(&self, view: &View, id: EntityId) -> Result<()> {
        let found = self.inner.find_entities(view, &id.to_string()).await?;
        found.iter().filter(|entity| entity.id == id).try_for_each(|entity| self.write_in(&entity.scope))
    }
}

fn creates(changes: &[Change], id: MemoryId) -> bool {
    changes.iter().any(|change| matches!(change, Change::Create(new) if new.memory.id == id))
}

fn owners(what: &str) -> StoreError {
    StoreError::OwnerOnly { what: what.to_owned() }
}
