//! Linking memories to the entities they name.
//!
//! Capture finds what has a shape: addresses, dates, identifiers. Names without one ("Ada", "the billing service") are
//! found here: those that the scope already knows by looking for them, and those of people, organisations and places by a
//! small model, or by the chat model, if the strategy has it (`entities.strategy`). What they find is known from then on. They read what
//! people said and what was made of it; an assistant's answers list names by the dozen that nobody cares about.

use std::collections::BTreeSet;
use std::sync::Arc;

use scrubjay_core::entity::name_key;
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Memory;
use scrubjay_core::scope::{Scope, View};
use scrubjay_models::ner::{Dictionary, KnownEntity, LocalNer, Mention, Ner, NerError, RegexNer, Strategy};
use scrubjay_store::Store;
use scrubjay_store::change::{Effect, FeedItem, NewMention};
use scrubjay_store::query::{EntityQuery, Job};

use super::JobKind;
use crate::blocking::blocking;
use crate::capture::mentions;
use crate::maintain::{ask_about_namesakes, enrich_now};
use crate::models::Role;
use crate::{Ctx, EngineError, Result, queue};

/// How many changes are read at a time.
const PAGE: usize = 200;

/// How many names are looked for; the most mentioned ones.
const NAMES: usize = 20_000;

/// How much the model reads in one go, so that whoever has little time can stop in between, and how much of one memory.
const MODEL_BYTES: usize = 64 * 1024;
const MEMORY_BYTES: usize = 16 * 1024;

/// How many texts a chat model reads in one go.
const CHAT_TEXTS: usize = 10;

/// How many names the model can find in one memory.
const MODEL_NAMES: usize = 16;

/// Whose words the model does not read.
const UNREAD_ROLES: &[&str] = &["assistant", "tool", "system"];

/// The kind of work.
pub struct LinkEntities;

impl LinkEntities {
    /// What the worker knows of it.
    pub(super) const KIND: JobKind = JobKind {
        name: Self::NAME,
        about: "links new memories to entities whose names they mention",
        takes_turns: false,
        asks_chat: false,
        wait_ms: |_| 0,
        run: |ctx, job| Box::pin(Self::run(ctx, job)),
    };

    /// Its name in the store.
    pub const NAME: &'static str = queue::LINK_ENTITIES;

    /// Goes through what changed since the last time. If a model reads it, it queues itself again after a while.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn run(ctx: &Ctx, job: &Job) -> Result<()> {
        let store = ctx.store().await?;
        let view = View::of(&job.scope);
        let providers = providers(ctx, &job.scope).await;
        let mut known = if providers.dictionary { known(&*store, &job.scope).await? } else { Vec::new() };
        let mut strategy = providers.strategy(&known)?;
        let mark = format!("{}:{}", Self::NAME, job.scope);
        let mut position = store.mark(&mark).await?.unwrap_or(0);
        let mut room = MODEL_BYTES;
        loop {
            let mut items = store.feed(&job.scope, position, PAGE).await?;
            if providers.model.is_some() || providers.chat {
                let texts = if providers.chat { CHAT_TEXTS } else { usize::MAX };
                leave_for_later(&mut items, &mut room, texts);
            }
            let Some(last) = items.last() else { return Ok(()) };
            position = last.position;
            let memories: Vec<Memory> = items.into_iter().filter_map(written).collect();
            if let Some(model) = &providers.model {
                let texts = memories.iter().filter_map(to_read).map(str::to_owned).collect();
                if learn(&mut known, read(Arc::clone(model), texts).await?) {
                    strategy = providers.strategy(&known)?;
                }
            }
            let mut found: Vec<(MemoryId, Vec<NewMention>)> = Vec::new();
            for memory in &memories {
                let mut names = strategy.extract(&memory.content).mentions;
                // Shapes were linked when it was stored.
                names.retain(|name| name.provider != RegexNer.name());
                if !names.is_empty() {
                    found.push((memory.id, mentions(ctx, &names)?));
                }
            }
            let has_new = !found.is_empty() && store.link_mentions(&view, found).await? > 0;
            if providers.chat {
                let read: Vec<Memory> = memories.into_iter().filter(|memory| to_read(memory).is_some()).collect();
                enrich_now(ctx, &job.scope, &read).await?;
            }
            if has_new && !matches!(job.scope, Scope::Task(..)) {
                ask_about_namesakes(ctx, &job.scope).await?;
            }
            store.set_mark(&mark, position).await?;
            if room == 0 {
                store.enqueue(vec![queue::in_scope(ctx, Self::NAME, &job.scope)?], ctx.now()).await?;
                return Ok(());
            }
        }
    }
}

/// Who looks for names.
struct Providers {
    regex: bool,
    dictionary: bool,
    model: Option<Arc<LocalNer>>,
    chat: bool,
}

async fn providers(ctx: &Ctx, scope: &Scope) -> Providers {
    let settings = &ctx.config().settings.entities;
    let names = if settings.strategy == "fast" { &settings.fast } else { &settings.accurate };
    let has = |name: &str| names.iter().any(|other| other == name);
    // What a task noted has no entities.
    let has_model = has("local") && !matches!(scope, Scope::Task(..));
    // A chat model that is missing or set up wrongly keeps nobody else from looking; the night's look tells.
    let chat = has("llm") && !matches!(scope, Scope::Task(..)) && matches!(ctx.chat(Role::Extract).await, Ok(Some(_)));
    let model = has_model.then(|| ctx.local_ner());
    Providers { regex: has("regex"), dictionary: has("dictionary"), model, chat }
}

impl Providers {
    /// Finds what is known. A name that the model found is known too, so that it is found the same way everywhere.
    fn strategy(&self, known: &[KnownEntity]) -> Result<Strategy> {
        let dictionary = Dictionary::new(known.iter().cloned()).map_err(EngineError::defect)?;
        let mut providers: Vec<Arc<dyn Ner>> = vec![Arc::new(dictionary)];
        if self.regex {
            providers.insert(0, Arc::new(RegexNer));
        }
        Ok(Strategy::new(providers))
    }
}

async fn known(store: &dyn Store, scope: &Scope) -> Result<Vec<KnownEntity>> {
    let query = EntityQuery { limit: NAMES, ..EntityQuery::default() };
    let page = store.entities(&View::of(scope), query).await?;
    Ok(page
        .entities
        .into_iter()
        .filter(|entity| entity.scope == *scope)
        .map(|entity| KnownEntity { name: entity.name, entity_type: entity.entity_type, aliases: entity.aliases })
        .collect())
}

fn written(item: FeedItem) -> Option<Memory> {
    item.memory.filter(|_| matches!(item.effect, Effect::Created | Effect::Updated))
}

/// The part of a memory that the model reads, if any.
fn to_read(memory: &Memory) -> Option<&str> {
    let is_unread = memory.role.as_deref().is_some_and(|role| UNREAD_ROLES.contains(&role));
    (!is_unread).then(|| &memory.content[..memory.content.floor_char_boundary(MEMORY_BYTES)])
}

/// Keeps as many changes as the model has room for, at least one and at most so many texts, and takes that off the room.
fn leave_for_later(items: &mut Vec<FeedItem>, room: &mut usize, mut texts: usize) {
    let mut kept = 0;
    for item in items.iter() {
        if *room == 0 {
            break;
        }
        if let Some(text) = item.memory.as_ref().and_then(to_read) {
            texts -= 1;
            *room = if texts == 0 { 0 } else { room.saturating_sub(text.len()) };
        }
        kept += 1;
    }
    items.truncate(kept);
}

/// What the model finds in texts, on a thread that may block.
async fn read(model: Arc<LocalNer>, texts: Vec<String>) -> Result<Vec<Mention>> {
    let look = move || {
        let mut names = Vec::new();
        for text in &texts {
            names.extend(names_in(&model, text)?);
        }
        Ok::<_, NerError>(names)
    };
    blocking("looking for names", look).await?.map_err(EngineError::model)
}

fn names_in(model: &LocalNer, text: &str) -> std::result::Result<Vec<Mention>, NerError> {
    let mut found = model.mentions(text)?;
    let mut seen = BTreeSet::new();
    found.retain(|name| seen.insert(name_key(&name.name)));
    found.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    found.truncate(MODEL_NAMES);
    Ok(found)
}

/// Adds the names that nothing goes by yet. True if there were any.
fn learn(known: &mut Vec<KnownEntity>, names: Vec<Mention>) -> bool {
    let mut keys: BTreeSet<String> =
        known.iter().flat_map(|one| one.aliases.iter().chain([&one.name])).map(|name| name_key(name)).collect();
    let before = known.len();
    for name in names {
        if keys.insert(name_key(&name.name)) {
            known.push(KnownEntity { name: name.name, entity_type: name.entity_type, aliases: Vec::new() });
        }
    }
    known.len() > before
}
