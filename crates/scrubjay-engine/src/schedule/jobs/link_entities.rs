//! Linking memories to entities that are known by name.
//!
//! Capture finds what has a shape: addresses, dates, identifiers. Names without
//! one ("Ada", "the billing service") are found here, by looking for the names
//! and aliases of the entities that the scope already knows.

use scrubjay_core::scope::{Scope, View};
use scrubjay_models::ner::{Dictionary, KnownEntity, Ner};
use scrubjay_store::change::{Effect, NewJob};
use scrubjay_store::query::{EntityQuery, Job};

use super::kind::in_scope;
use crate::capture::mentions;
use crate::{Ctx, EngineError, Result};

/// How many changes are read at a time.
const PAGE: usize = 200;

/// How many names are looked for; the most mentioned ones.
const NAMES: usize = 20_000;

/// The kind of work.
pub struct LinkEntities;

impl LinkEntities {
    /// Its name in the store.
    pub const NAME: &'static str = "link_entities";

    /// A job for everything new in a scope.
    ///
    /// # Errors
    /// When there is no randomness for its id.
    pub fn job(ctx: &Ctx, scope: &Scope) -> Result<NewJob> {
        in_scope(ctx, Self::NAME, scope)
    }

    /// Goes through what changed since the last time.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn run(ctx: &Ctx, job: &Job) -> Result<()> {
        let store = ctx.store().await?;
        let view = View::of(&job.scope);
        let query = EntityQuery { limit: NAMES, ..EntityQuery::default() };
        let known: Vec<_> = store
            .entities(&view, query)
            .await?
            .entities
            .into_iter()
            .filter(|entity| entity.scope == job.scope)
            .map(|entity| KnownEntity { name: entity.name, entity_type: entity.entity_type, aliases: entity.aliases })
            .collect();
        let dictionary = Dictionary::new(known).map_err(EngineError::invalid)?;
        let mark = format!("{}:{}", Self::NAME, job.scope);
        let mut position = store.mark(&mark).await?.unwrap_or(0);
        loop {
            let items = store.feed(&job.scope, position, PAGE).await?;
            let Some(last) = items.last() else { return Ok(()) };
            position = last.position;
            let mut found = Vec::new();
            for item in items {
                let Some(memory) = item.memory.filter(|_| matches!(item.effect, Effect::Created | Effect::Updated))
                else {
                    continue;
                };
                let names = dictionary.mentions(&memory.content).map_err(EngineError::invalid)?;
                if !names.is_empty() {
                    found.push((memory.id, mentions(ctx, &names)?));
                }
            }
            if !found.is_empty() {
                store.link_mentions(&view, found).await?;
            }
            store.set_mark(&mark, position).await?;
        }
    }
}
