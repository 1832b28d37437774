//! Projects as wholes: a caller who is not the owner sees its own and moves none.

use async_trait::async_trait;
use scrubjay_core::id::MemoryId;
use scrubjay_core::scope::{ProjectId, Scope};
use scrubjay_store::change::Stamp;
use scrubjay_store::query::ProjectCounts;
use scrubjay_store::traits::Projects;
use scrubjay_store::{Result, StoreError};

use super::store::ConfinedStore;

#[async_trait]
impl Projects for ConfinedStore {
    async fn projects(&self) -> Result<Vec<ProjectCounts>> {
        let mut projects = self.inner.projects().await?;
        let is_read = |name: &str| name.parse().is_ok_and(|project| self.reach.reads(&Scope::Project(project)));
        projects.retain(|counts| is_read(&counts.project));
        Ok(projects)
    }

    async fn move_memories(
        &self,
        _stamp: Stamp,
        _from: &ProjectId,
        _to: &ProjectId,
        _ids: Option<Vec<MemoryId>>,
    ) -> Result<Vec<MemoryId>> {
        Err(StoreError::OwnerOnly { what: "which project memories belong to".to_owned() })
    }

    async fn clear_project(&self, _project: &ProjectId) -> Result<()> {
        Err(StoreError::OwnerOnly { what: "a project as a whole".to_owned() })
    }
}
