//! Everything that belongs to a conversation, or that is about someone.

use std::collections::{BTreeMap, BTreeSet};

use scrubjay_core::entity;
use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::id::{EntityId, MemoryId};
use scrubjay_core::memory::{Memory, Relation};
use scrubjay_core::scope::View;
use scrubjay_store::query::{Activity, ListQuery};

use super::pick::session_id;
use crate::{Ctx, Result};

/// Memories read at a time.
const PAGE: usize = 1000;

/// A name that is shorter is looked for as a known thing only: as a word it would be found in too much.
const SHORTEST: usize = 3;

/// The memories and the things that are meant.
#[derive(Debug, Default)]
pub(super) struct Meant {
    pub(super) ids: Vec<MemoryId>,
    pub(super) entities: Vec<EntityId>,
    // What they are called, in lower case.
    names: Vec<String>,
}

impl Meant {
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.entities.is_empty()
    }

    /// What was said or learned in a conversation, ended or not.
    pub(super) async fn of_session(ctx: &Ctx, session: &str) -> Result<Self> {
        let filter = Filter::default().and_equal(Field::SessionId, session_id(ctx, session));
        Ok(Self { ids: all(ctx, filter, |_| true).await?, ..Self::default() })
    }

    /// What names someone or something, ended or not: what is linked to it, and what has one of its names as words.
    pub(super) async fn of_entity(ctx: &Ctx, name: &str) -> Result<Self> {
        let store = ctx.store().await?;
        let bare = name.trim().trim_start_matches(['@', '#']);
        let found: Vec<entity::Entity> = store.find_entities(ctx.view(), bare).await?;
        let mut linked = BTreeSet::new();
        for entity in &found {
            let mut query =
                ListQuery { entity: Some(entity.id), activity: Activity::Any, limit: PAGE, ..ListQuery::default() };
            loop {
                let page = store.list(ctx.view(), query.clone()).await?;
                linked.extend(page.memories.iter().map(|memory| memory.id));
                match page.next {
                    Some(next) => query.after = Some(next),
                    None => break,
                }
            }
        }
        let mut names: Vec<String> = vec![bare.to_lowercase()];
        for entity in &found {
            names.push(entity.name.to_lowercase());
            names.extend(entity.aliases.iter().map(|alias| alias.to_lowercase()));
        }
        names.retain(|name| name.chars().count() >= SHORTEST);
        let says = |memory: &Memory| {
            let text = memory.content.to_lowercase();
            linked.contains(&memory.id) || names.iter().any(|name| has_words(&text, name))
        };
        let ids = all(ctx, Filter::default(), says).await?;
        Ok(Self { ids, entities: found.iter().map(|entity| entity.id).collect(), names })
    }

    /// The indexed files that have one of the names as words. They are their owner's, so that nothing takes them away.
    pub(super) async fn files(&self, ctx: &Ctx) -> Result<BTreeSet<String>> {
        let store = ctx.store().await?;
        let mut found = BTreeSet::new();
        for scope in ctx.view().scopes() {
            let mut after: Option<String> = None;
            loop {
                let page = store.documents(&scope, "", after.as_deref(), PAGE).await?;
                for document in &page {
                    let chunks = store.chunks(ctx.view(), document.id).await?;
                    let says = |text: &str| self.names.iter().any(|name| has_words(&text.to_lowercase(), name));
                    if chunks.iter().any(|chunk| says(&chunk.text)) {
                        found.insert(document.path.clone());
                    }
                }
                match page.last() {
                    Some(last) if page.len() == PAGE => after = Some(last.path.clone()),
                    _ => break,
                }
            }
        }
        Ok(found)
    }

    /// The same with what was made from it: facts from episodes, reflections from facts.
    pub(super) async fn with_derived(mut self, ctx: &Ctx) -> Result<Self> {
        let store = ctx.store().await?;
        let mut seen: BTreeSet<MemoryId> = self.ids.iter().copied().collect();
        let mut of = self.ids.clone();
        while !of.is_empty() {
            let mut made_from: BTreeMap<MemoryId, Vec<MemoryId>> = BTreeMap::new();
            for link in store.links_of(ctx.view(), of.clone()).await? {
                if link.relation == Relation::DerivedFrom {
                    made_from.entry(link.to).or_default().push(link.from);
                }
            }
            let derived = of.iter().flat_map(|id| made_from.remove(id).unwrap_or_default());
            of = derived.filter(|id| seen.insert(*id)).collect();
            self.ids.extend(&of);
        }
        Ok(self)
    }
}

/// The view of every project that holds anything, and of what belongs to none.
pub(super) async fn every_view(ctx: &Ctx) -> Result<Vec<View>> {
    ctx.need_owner("reaching into all projects")?;
    let scopes = ctx.store().await?.all_scopes().await?;
    let projects: BTreeSet<_> = scopes.iter().filter_map(|scope| scope.project().cloned()).collect();
    Ok(std::iter::once(View::global()).chain(projects.into_iter().map(View::project)).collect())
}

async fn all(ctx: &Ctx, filter: Filter, is_meant: impl Fn(&Memory) -> bool) -> Result<Vec<MemoryId>> {
    let store = ctx.store().await?;
    let mut query = ListQuery { filter, activity: Activity::Any, limit: PAGE, ..ListQuery::default() };
    let mut ids = Vec::new();
    loop {
        let page = store.list(ctx.view(), query.clone()).await?;
        ids.extend(page.memories.iter().filter(|memory| is_meant(memory)).map(|memory| memory.id));
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(ids),
        }
    }
}

// Whether a text has a name in it that does not go on to either side.
fn has_words(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let goes_on = |character: Option<char>| character.is_some_and(|one| one.is_alphanumeric() || one == '_');
        !goes_on(before) && !goes_on(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_as_whole_words() {
        for (text, name, expected) in [
            ("grace hopper called", "grace hopper", true),
            ("ask grace.", "grace", true),
            ("a graceful exit", "grace", false),
            ("disgrace", "grace", false),
            ("(grace)", "grace", true),
        ] {
            assert_eq!(has_words(text, name), expected, "{text}");
        }
    }
}
