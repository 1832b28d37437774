//! What a task notes while it runs.

use std::sync::Arc;

use scrubjay_core::filter::{Filter, Order};
use scrubjay_core::memory::{Memory, OriginKind};
use scrubjay_core::scope::{ProjectId, Scope, TaskId};
use serde_json::{Value, json};

use super::backend::Backend;
use super::item::{NewItem, make};
use super::store_backend::StoreBackend;
use crate::{Ctx, EngineError, Result};

/// The most outputs of one stage.
const STAGE: usize = 1000;

/// The memory of one task: reasoning, tool outputs and plans, by stage. It is
/// cleared when the task ends; what should stay is promoted before.
pub struct TaskMemory {
    ctx: Ctx,
    scope: Scope,
    backend: Arc<dyn Backend>,
}

impl TaskMemory {
    /// In the store.
    ///
    /// # Errors
    /// When the context may not see the project.
    pub fn in_store(ctx: &Ctx, project: ProjectId, task: TaskId) -> Result<Self> {
        let scope = Scope::Task(project.clone(), task.clone());
        let backend = Arc::new(StoreBackend::new(ctx, scope)?);
        Ok(Self::over(ctx, project, task, backend))
    }

    /// On another backend.
    #[must_use]
    pub fn over(ctx: &Ctx, project: ProjectId, task: TaskId, backend: Arc<dyn Backend>) -> Self {
        Self { ctx: ctx.clone(), scope: Scope::Task(project, task), backend }
    }

    /// Notes reasoning of a stage.
    ///
    /// # Errors
    /// When the text is empty or cannot be kept.
    pub async fn add_reasoning(&self, text: &str, stage: &str) -> Result<Memory> {
        self.add("reasoning", text, stage, OriginKind::Assistant, json!({"stage": stage})).await
    }

    /// Notes a plan or result of a stage.
    ///
    /// # Errors
    /// When the text is empty or cannot be kept.
    pub async fn add_stage_output(&self, text: &str, stage: &str) -> Result<Memory> {
        self.add("stage_output", text, stage, OriginKind::Assistant, json!({"stage": stage})).await
    }

    /// Notes what a tool gave back. Its origin stays known, so that it is never
    /// handed on as something known.
    ///
    /// # Errors
    /// When the output is empty or cannot be kept.
    pub async fn add_tool_output(&self, tool: &str, output: &Value) -> Result<Memory> {
        let text = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
        self.add("tool_output", &text, tool, OriginKind::Tool, json!({"tool": tool})).await
    }

    /// Everything that a stage noted, newest first.
    ///
    /// # Errors
    /// When the backend fails.
    pub async fn stage_outputs(&self, stage: &str) -> Result<Vec<Memory>> {
        // Attributes are no field to filter by; the tag is.
        let filter = Filter::parse(&json!({"tags": [stage]})).map_err(EngineError::invalid)?;
        let mut found = self.backend.query(&filter, &Order::default(), STAGE).await?;
        found.retain(|memory| memory.attributes.get("stage").and_then(Value::as_str) == Some(stage));
        Ok(found)
    }

    /// Clears all of it.
    ///
    /// # Errors
    /// When the backend fails.
    pub async fn clear(&self) -> Result<()> {
        self.backend.clear().await
    }

    /// What it stands on.
    #[must_use]
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    async fn add(
        &self,
        memory_type: &'static str,
        text: &str,
        tag: &str,
        origin: OriginKind,
        attributes: Value,
    ) -> Result<Memory> {
        let attributes = attributes.as_object().cloned().unwrap_or_default().into_iter().collect();
        let new = NewItem {
            scope: self.scope.clone(),
            memory_type,
            content: text.to_owned(),
            tags: vec!["task".to_owned(), tag.to_owned()],
            attributes,
            origin,
        };
        let item = make(&self.ctx, new)?;
        self.backend.add(item.clone()).await?;
        Ok(item)
    }
}
