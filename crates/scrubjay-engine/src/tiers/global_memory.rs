//! What holds in every project: preferences and patterns.

use std::sync::Arc;

use scrubjay_core::filter::{Filter, Order};
use scrubjay_core::id::ConfirmationId;
use scrubjay_core::memory::{Memory, OriginKind};
use scrubjay_core::scope::Scope;
use serde_json::json;

use super::backend::Backend;
use super::consent::ask;
use super::item::{NewItem, make};
use super::store_backend::StoreBackend;
use crate::{Ctx, EngineError, Result};

/// How many a query gives at most.
const LIMIT: usize = 100;

/// Asks a person; true is yes.
type Callback = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// What became of a write that needs consent.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept<T> {
    /// It was done.
    Done(T),
    /// It waits until someone answers.
    Pending(ConfirmationId),
    /// Someone said no.
    Declined,
}

/// The memory of all projects. Patterns are added freely; preferences, and
/// clearing everything, need a person's consent.
pub struct GlobalMemory {
    ctx: Ctx,
    backend: Arc<dyn Backend>,
    callback: Option<Callback>,
}

impl GlobalMemory {
    /// In the store. What needs consent waits in the queue of confirmations,
    /// unless there is a callback.
    ///
    /// # Errors
    /// When the context may not see it.
    pub fn in_store(ctx: &Ctx) -> Result<Self> {
        let backend = Arc::new(StoreBackend::new(ctx, Scope::Global)?);
        Ok(Self { ctx: ctx.clone(), backend, callback: None })
    }

    /// On another backend, which has no queue: a callback answers at once.
    pub fn over(ctx: &Ctx, backend: Arc<dyn Backend>, callback: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { ctx: ctx.clone(), backend, callback: Some(Arc::new(callback)) }
    }

    /// The same, with someone who answers at once.
    #[must_use]
    pub fn asking(mut self, callback: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.callback = Some(Arc::new(callback));
        self
    }

    /// Adds a preference, with a person's consent.
    ///
    /// # Errors
    /// When the text is empty or cannot be kept.
    pub async fn add_preference(&self, preference: &str, category: &str) -> Result<Kept<Memory>> {
        let item = make(&self.ctx, self.new_item("preference", preference, category))?;
        let question = format!("Add the preference “{}” ({category}) for all projects", item.content);
        match &self.callback {
            Some(callback) if callback(&question) => {
                self.backend.add(item.clone()).await?;
                Ok(Kept::Done(item))
            }
            Some(_) => Ok(Kept::Declined),
            None => {
                let input = json!({
                    "content": item.content, "type": "preference", "scope": "global", "tags": item.tags,
                    "attributes": item.attributes, "origin": item.origin.kind.name(),
                });
                Ok(Kept::Pending(ask(&self.ctx, "remember", input, question).await?))
            }
        }
    }

    /// Adds a pattern.
    ///
    /// # Errors
    /// When the text is empty or cannot be kept.
    pub async fn add_pattern(&self, pattern: &str, domain: &str) -> Result<Memory> {
        let item = make(&self.ctx, self.new_item("pattern", pattern, domain))?;
        self.backend.add(item.clone()).await?;
        Ok(item)
    }

    /// Preferences, newest first; those of one category if it is given.
    ///
    /// # Errors
    /// When the backend fails.
    pub async fn preferences(&self, category: Option<&str>) -> Result<Vec<Memory>> {
        let mut conditions = json!({"type": "preference"});
        if let Some(category) = category {
            conditions["tags"] = json!([category]);
        }
        let filter = Filter::parse(&conditions).map_err(EngineError::invalid)?;
        self.backend.query(&filter, &Order::default(), LIMIT).await
    }

    /// Clears all of it, with a person's consent.
    ///
    /// # Errors
    /// When the backend fails.
    pub async fn clear_all(&self) -> Result<Kept<()>> {
        let question = "Forget everything that holds for all projects";
        match &self.callback {
            Some(callback) if callback(question) => {
                self.backend.clear().await?;
                Ok(Kept::Done(()))
            }
            Some(_) => Ok(Kept::Declined),
            None => {
                let input = json!({"scope": "global", "yes": true});
                Ok(Kept::Pending(ask(&self.ctx, "forget", input, question.to_owned()).await?))
            }
        }
    }

    /// What it stands on.
    #[must_use]
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    fn new_item(&self, memory_type: &'static str, text: &str, label: &str) -> NewItem {
        NewItem {
            scope: Scope::Global,
            memory_type,
            content: text.to_owned(),
            tags: vec!["global".to_owned(), memory_type.to_owned(), label.to_owned()],
            attributes: [("category".to_owned(), json!(label))].into(),
            origin: if self.ctx.actor() == "user" { OriginKind::User } else { OriginKind::Assistant },
        }
    }
}
