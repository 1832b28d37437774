//! What a project has decided, agreed on, and learned the hard way.

use std::sync::Arc;

use scrubjay_core::filter::{Filter, Order};
use scrubjay_core::memory::{Attributes, Memory, OriginKind};
use scrubjay_core::scope::{ProjectId, Scope};
use serde_json::{Value, json};

use super::backend::Backend;
use super::item::{NewItem, make};
use super::store_backend::StoreBackend;
use crate::memory_types::policy;
use crate::{Ctx, EngineError, Result};

/// How many a query gives at most.
const LIMIT: usize = 100;

/// What tells a failure from others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// A short code, such as `timeout`.
    pub code: String,
    /// What happened.
    pub message: String,
}

/// The memory of one project. Over its capacity the least important tenth goes,
/// the oldest first among equals.
pub struct ProjectMemory {
    ctx: Ctx,
    scope: Scope,
    backend: Arc<dyn Backend>,
    max_items: usize,
}

impl ProjectMemory {
    /// In the store.
    ///
    /// # Errors
    /// When the context may not see the project.
    pub fn in_store(ctx: &Ctx, project: ProjectId) -> Result<Self> {
        let backend = Arc::new(StoreBackend::new(ctx, Scope::Project(project.clone()))?);
        Ok(Self::over(ctx, project, backend))
    }

    /// On another backend.
    #[must_use]
    pub fn over(ctx: &Ctx, project: ProjectId, backend: Arc<dyn Backend>) -> Self {
        let max_items = usize::try_from(ctx.config().settings.tiers.max_items).unwrap_or(usize::MAX);
        Self { ctx: ctx.clone(), scope: Scope::Project(project), backend, max_items }
    }

    /// The same with another capacity.
    #[must_use]
    pub fn holding(mut self, max_items: usize) -> Self {
        self.max_items = max_items;
        self
    }

    /// Adds a decision.
    ///
    /// # Errors
    /// When the text is empty or cannot be kept.
    pub async fn add_decision(&self, decision: &str, tags: &[&str]) -> Result<Memory> {
        self.add("decision", decision, tags, json!({})).await
    }

    /// Adds a convention and what it applies to.
    ///
    /// # Errors
    /// When the text is empty or cannot be kept.
    pub async fn add_convention(&self, convention: &str, applies_to: &str) -> Result<Memory> {
        self.add("convention", convention, &[applies_to], json!({"applies_to": applies_to})).await
    }

    /// Adds a failure and the lesson from it.
    ///
    /// # Errors
    /// When the lesson is empty or cannot be kept.
    pub async fn add_failure(&self, failure: &Failure, lesson: &str) -> Result<Memory> {
        let signature = json!({"signature": {"code": failure.code, "message": failure.message}});
        self.add("failure", lesson, &[&failure.code], signature).await
    }

    /// Adds a pattern.
    ///
    /// # Errors
    /// When the text is empty or cannot be kept.
    pub async fn add_pattern(&self, pattern: &str, domain: &str) -> Result<Memory> {
        self.add("pattern", pattern, &[domain], json!({"domain": domain})).await
    }

    /// Decisions, newest first; with tags only those that have one of them.
    ///
    /// # Errors
    /// When the backend fails.
    pub async fn decisions(&self, tags: &[&str]) -> Result<Vec<Memory>> {
        self.of_type("decision", tags).await
    }

    /// Items of one type, newest first; with tags only those that have one of
    /// them.
    ///
    /// # Errors
    /// When the backend fails.
    pub async fn of_type(&self, memory_type: &str, tags: &[&str]) -> Result<Vec<Memory>> {
        let mut conditions = json!({"type": memory_type});
        if !tags.is_empty() {
            conditions["tags"] = json!(tags);
        }
        let filter = Filter::parse(&conditions).map_err(EngineError::invalid)?;
        self.backend.query(&filter, &Order::default(), LIMIT).await
    }

    /// What it stands on.
    #[must_use]
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    async fn add(&self, memory_type: &'static str, text: &str, tags: &[&str], attributes: Value) -> Result<Memory> {
        let mut labels = vec!["project".to_owned(), memory_type.to_owned()];
        labels.extend(tags.iter().filter(|tag| !tag.trim().is_empty()).map(|tag| (*tag).to_owned()));
        let attributes: Attributes = attributes.as_object().cloned().unwrap_or_default().into_iter().collect();
        let new = NewItem {
            scope: self.scope.clone(),
            memory_type,
            content: text.to_owned(),
            tags: labels,
            attributes,
            origin: if self.ctx.actor() == "user" { OriginKind::User } else { OriginKind::Assistant },
        };
        let item = make(&self.ctx, new)?;
        self.backend.add(item.clone()).await?;
        self.evict().await?;
        Ok(item)
    }

    async fn evict(&self) -> Result<()> {
        let mut items = self.backend.list_all().await?;
        items.retain(|item| policy(&item.memory_type).is_counted && item.decay_rate.value() > 0.0);
        if items.len() <= self.max_items {
            return Ok(());
        }
        items.sort_by(|a, b| {
            let by_importance = a.importance.value().total_cmp(&b.importance.value());
            by_importance.then(a.event_time.cmp(&b.event_time)).then(a.id.cmp(&b.id))
        });
        for item in items.iter().take((items.len() / 10).max(1)) {
            self.backend.delete(item.id).await?;
        }
        Ok(())
    }
}
