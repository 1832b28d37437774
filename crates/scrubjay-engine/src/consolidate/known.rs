//! What is known already and may say the same, or the opposite.

use std::collections::BTreeMap;

use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::scope::{Scope, View};
use scrubjay_store::item::Item;
use scrubjay_store::query::{Activity, ListQuery};

use crate::search::{Arms, Fusion, Question, Rerank, Weights, facts_like, recall};
use crate::{Ctx, Result};

/// How many known facts a candidate is compared with.
pub(super) const COMPARED: usize = 12;

/// Facts as the present run leaves them, on top of what the store holds.
#[derive(Default)]
pub(super) struct Book {
    /// Facts that this run stores.
    pub(super) new: Vec<Memory>,
    /// Known facts as this run changes them.
    pub(super) changed: BTreeMap<MemoryId, Memory>,
}

impl Book {
    /// A known fact as it stands.
    fn current(&self, memory: Memory) -> Memory {
        self.changed.get(&memory.id).cloned().unwrap_or(memory)
    }

    /// The facts of a scope that may be about the same as a text, by words and by meaning, best first.
    pub(super) async fn like(&self, ctx: &Ctx, scope: &Scope, text: &str) -> Result<Vec<Memory>> {
        let mut found: Vec<Memory> = self.new.iter().filter(|memory| memory.scope == *scope).cloned().collect();
        let mut add = |memory: Memory| {
            if found.iter().all(|other| other.id != memory.id) {
                found.push(memory);
            }
        };
        for memory in facts_like(ctx, scope, text, COMPARED).await? {
            add(memory);
        }
        for memory in by_meaning(ctx, scope, text).await? {
            add(memory);
        }
        let current = found.into_iter().map(|memory| self.current(memory));
        Ok(current.filter(|memory| memory.is_active() && is_own(memory)).collect())
    }

    /// The active facts of a scope that fill a slot.
    pub(super) async fn in_slot(&self, ctx: &Ctx, scope: &Scope, slot: &str) -> Result<Vec<Memory>> {
        let filter = Filter::default()
            .and_equal(Field::Kind, Kind::Fact.name())
            .and_equal(Field::Scope, scope.to_string())
            .and_equal(Field::Attribute("slot".to_owned()), slot);
        let query = ListQuery { filter, activity: Activity::Active, limit: COMPARED, ..ListQuery::default() };
        let page = ctx.store().await?.list(&View::of(scope), query).await?;
        let fills = |memory: &&Memory| memory.attributes.get("slot").and_then(|slot| slot.as_str()) == Some(slot);
        let new = self.new.iter().filter(|memory| memory.scope == *scope).filter(fills).cloned();
        let known = page.memories.into_iter().map(|memory| self.current(memory)).chain(new);
        Ok(known.filter(is_own).collect())
    }
}

/// What the extractor is told is known: the facts nearest to what was said.
pub(super) async fn related(ctx: &Ctx, scope: &Scope, text: &str) -> Result<Vec<Memory>> {
    let text: String = text.chars().take(2000).collect();
    Ok(by_meaning(ctx, scope, &text).await?.into_iter().filter(is_own).collect())
}

// What a person says is neither merged into what a tool printed or a page said,
// nor can that take its place: otherwise a page could silence a person.
fn is_own(memory: &Memory) -> bool {
    !memory.origin.kind.is_foreign()
}

async fn by_meaning(ctx: &Ctx, scope: &Scope, text: &str) -> Result<Vec<Memory>> {
    let question = Question {
        text: text.to_owned(),
        vector: None,
        filter: Filter::default().and_equal(Field::Kind, Kind::Fact.name()).and_equal(Field::Scope, scope.to_string()),
        activity: Activity::Active,
        exclude_sessions: Vec::new(),
        sources: Vec::new(),
        entities: Vec::new(),
        limit: COMPARED,
        min_relevance: 0.1,
        following: 1.0,
        near: 0,
        weights: Weights::NONE,
        fusion: Fusion::Convex,
        arms: Arms { neighbours: false, time: false, ..Arms::default() },
        rerank: Rerank::Off,
        now: ctx.now(),
    };
    let found = recall(&ctx.at(View::of(scope))?, &question).await?;
    let memories = found.hits.into_iter().filter_map(|hit| match hit.item {
        Item::Memory(memory) => Some(*memory),
        Item::Chunk(_) => None,
    });
    Ok(memories.filter(|memory| memory.kind() == Kind::Fact).collect())
}
