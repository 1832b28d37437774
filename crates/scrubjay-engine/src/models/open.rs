//! Making embedders and chat models of choices.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use scrubjay_models::chat::served::ServedChat;
use scrubjay_models::chat::{Chat, ChatCard};
use scrubjay_models::embed::served::{OpenAi, Protocol, Served};
use scrubjay_models::embed::{
    BuiltinModel, Calibration, Embedder, Folder, LlamaUse, ModelCard, PrefixScheme, known, learn,
};
use scrubjay_models::http::Breaker;
use scrubjay_store::item::NewGeneration;

use super::command::{command, command_place};
use super::local::{self, WithServer};
use crate::provider_list::{ChatRuntime, EmbeddingRuntime, OPENAI, Provider};
use crate::providers::choice::{ChatChoice, EmbeddingChoice, chat_choice, choice_of_id, embedding_choices};
use crate::providers::connect::{Senses, client, place_name};
use crate::providers::guard::Guard;
use crate::providers::guarded::Guarded;
use crate::providers::guarded_chat::GuardedChat;
use crate::providers::ledger::Account;
use crate::providers::open::{OpenChat, Opened};
use crate::providers::price::{Price, Prices};
use crate::providers::provider::not_built_in;
use crate::providers::rest::{Standing, standing};
use crate::providers::role::Role;
use crate::{Ctx, EngineError, Result};

/// In the place of what was learned about a model: it is to be learned again.
const FORGOTTEN: &str = "";

/// The most texts of one request to the server of a model file.
const FILE_TEXTS: usize = 16;

/// What embedding is called in the ledger.
pub(super) const EMBED: &str = "embed";

/// The embedder that is to be used now: the first of the choices that can be, and has not been failing for long.
///
/// # Errors
/// When none can be used; the reason of the first is given.
pub async fn active_embedder(ctx: &Ctx) -> Result<Option<Opened>> {
    let settings = &ctx.config().settings;
    let mut first = None;
    let choices = embedding_choices(settings, &ctx.home().path);
    let last = choices.len().saturating_sub(1);
    for (place, choice) in choices.into_iter().enumerate() {
        let has_next = place < last;
        if has_next && failed_for_long(ctx, &choice).await? {
            let message = format!("{} has been failing for long", choice.provider.name);
            first.get_or_insert(EngineError::model(message));
            continue;
        }
        match open_embedding(ctx, &choice, true).await {
            Ok(opened) => return Ok(Some(opened)),
            // Down for the moment: going over would make all vectors anew.
            Err(error @ EngineError::Away { .. }) => return Err(first.unwrap_or(error)),
            Err(error) if has_next => {
                first.get_or_insert(error);
            }
            Err(error) => return Err(first.unwrap_or(error)),
        }
    }
    Ok(None)
}

/// The embedder that made the vectors of a generation, or another like it; none if there is none. For questions only:
/// nothing is learned about a model here.
///
/// # Errors
/// When there is one, but it cannot be used.
pub async fn embedder_for(ctx: &Ctx, spec: &NewGeneration) -> Result<Option<Arc<dyn Embedder>>> {
    let settings = &ctx.config().settings;
    let home = &ctx.home().path;
    let choices = embedding_choices(settings, home);
    // The vectors of a local model are named by what is in it, which is not known before it is read.
    let local = choices.iter().find(|choice| choice.provider.is_model_file()).cloned();
    let local = local.filter(|_| spec.model.starts_with("local/"));
    let choice = match local.or_else(|| choice_of_id(settings, home, &spec.model)) {
        Some(choice) => choice,
        None => return Ok(None),
    };
    let opened = open_embedding(ctx, &choice, false).await?;
    let fits =
        opened.embedder.model().id == spec.model && opened.embedder.model().dimensions == spec.dimensions as usize;
    Ok(fits.then_some(opened.embedder))
}

/// Opens an embedder, or gives the one that is open already. With `learning`, what is not known about a model yet is
/// found out by asking it.
///
/// # Errors
/// When it cannot be used, or is not known well enough and cannot be asked.
pub async fn open_embedding(ctx: &Ctx, choice: &EmbeddingChoice, learning: bool) -> Result<Opened> {
    let mut open = ctx.open_models().lock().await;
    if let Some(opened) = open.embedders.get(choice) {
        return Ok(opened.clone());
    }
    let (opened, known_well) = match choice.provider.embedding.as_ref().map(|embedding| &embedding.runtime) {
        Some(EmbeddingRuntime::BuiltIn) => {
            let model = BuiltinModel::from_name(&choice.model);
            let model = model.ok_or_else(|| EngineError::invalid(not_built_in(&choice.model)))?;
            let embedder = model.embedder(ctx.config().settings.embedding.threads);
            (Opened { choice: choice.clone(), embedder, client: None }, true)
        }
        Some(EmbeddingRuntime::ModelFile) if Folder::is_one(&choice.path) => open_folder(ctx, choice, learning).await?,
        Some(EmbeddingRuntime::ModelFile) => open_file(ctx, choice, learning).await?,
        Some(EmbeddingRuntime::Served(protocol)) => {
            open_served(ctx, choice, protocol(&choice.served()), learning).await?
        }
        None => {
            let message = format!("{} has no model that makes vectors", choice.provider.name);
            return Err(EngineError::invalid(message));
        }
    };
    // One that was opened in a hurry is not kept, so that the next may learn what is missing.
    if known_well {
        open.embedders.insert(choice.clone(), opened.clone());
    }
    Ok(opened)
}

/// The chat model of a role; none if none is set up.
///
/// # Errors
/// When the one that is set up cannot be used.
pub async fn chat_of(ctx: &Ctx, role: Role) -> Result<Option<Arc<dyn Chat>>> {
    match chat_choice(&ctx.config().settings, role) {
        Some(choice) => Ok(Some(open_chat(ctx, &choice, role).await?.0)),
        None => Ok(None),
    }
}

/// Opens a chat model for a role, or gives the one that is open already; also how its provider does.
///
/// # Errors
/// When it cannot be used.
pub async fn open_chat(ctx: &Ctx, choice: &ChatChoice, role: Role) -> Result<OpenChat> {
    let mut open = ctx.open_models().lock().await;
    if let Some(opened) = open.chats.get(&(choice.clone(), role)) {
        return Ok(opened.clone());
    }
    let settings = &ctx.config().settings;
    let protocol = match choice.provider.chat.as_ref().map(|chat| &chat.runtime) {
        Some(ChatRuntime::Served(protocol)) => protocol(&choice.served()),
        Some(ChatRuntime::Command) => {
            let place = command_place(&choice.model);
            // One breaker for all roles, so that they know together how the program does.
            let breaker = Arc::clone(open.breakers.entry(place.clone()).or_default());
            let inner = command(ctx, choice.provider, &choice.model, Arc::clone(&breaker))?;
            let guarded = Some((place, Arc::clone(&breaker)));
            let guard = guard(ctx, role.name(), &inner.model().id, choice.provider, &choice.url, guarded).await?;
            let opened: OpenChat = (Arc::new(GuardedChat { inner: Arc::new(inner), guard }), breaker);
            open.chats.insert((choice.clone(), role), opened.clone());
            return Ok(opened);
        }
        None => return Err(EngineError::invalid(format!("{} has no chat model", choice.provider.name))),
    };
    // One client for all roles of a provider, so that they know together how it does.
    let client = match open.clients.get(&(choice.provider, choice.url.clone())) {
        Some(client) => Arc::clone(client),
        None => {
            let client = Arc::new(client(settings, senses(ctx), choice.provider, &choice.url, None)?);
            open.clients.insert((choice.provider, choice.url.clone()), Arc::clone(&client));
            client
        }
    };
    let remote = choice.provider.is_remote(&choice.url);
    let card = ChatCard::new(choice.provider.name, &choice.model, remote);
    let breaker = Some((place_name(choice.provider, &choice.url), Arc::clone(client.breaker())));
    let guard = guard(ctx, role.name(), &card.id, choice.provider, &choice.url, breaker).await?;
    let inner: Arc<dyn Chat> = Arc::new(ServedChat::new(Arc::clone(&client), protocol, card));
    let opened: OpenChat = (Arc::new(GuardedChat { inner, guard }), Arc::clone(client.breaker()));
    open.chats.insert((choice.clone(), role), opened.clone());
    Ok(opened)
}

async fn open_served(
    ctx: &Ctx,
    choice: &EmbeddingChoice,
    protocol: Box<dyn Protocol>,
    learning: bool,
) -> Result<(Opened, bool)> {
    let settings = &ctx.config().settings;
    let client = Arc::new(client(settings, senses(ctx), choice.provider, &choice.url, None)?);
    let mut card = first_card(choice);
    if ctx.store().await?.card(&card.id).await?.as_deref() == Some(FORGOTTEN) {
        // What is generally known about the model does not hold for this one.
        card.dimensions = choice.dimensions.unwrap_or(0);
    }
    let served = Served::new(Arc::clone(&client), protocol, card);
    let breaker = Some((place_name(choice.provider, &choice.url), Arc::clone(client.breaker())));
    let (embedder, known_well) = described(ctx, choice, served, breaker, learning).await?;
    Ok((Opened { choice: choice.clone(), embedder, client: Some(client) }, known_well))
}

async fn open_file(ctx: &Ctx, choice: &EmbeddingChoice, learning: bool) -> Result<(Opened, bool)> {
    for served in [LlamaUse::Embeddings, LlamaUse::MeanEmbeddings] {
        if let Some(opened) = open_file_as(ctx, choice, served, learning).await? {
            return Ok(opened);
        }
    }
    Err(EngineError::model(format!("llama-server makes no vectors with {}", choice.path.display())))
}

async fn open_file_as(
    ctx: &Ctx,
    choice: &EmbeddingChoice,
    served: LlamaUse,
    learning: bool,
) -> Result<Option<(Opened, bool)>> {
    let started = local::start(ctx, &choice.path, served)?;
    let url = format!("{}/v1", started.server.address());
    let settings = &ctx.config().settings;
    // llama-server speaks like OpenAI.
    let openai = Provider::of(&OPENAI);
    let client = Arc::new(client(settings, senses(ctx), openai, &url, Some(started.key.clone()))?);
    let make = || {
        let protocol = OpenAi { model: choice.model.clone(), dimensions: None, most_texts: FILE_TEXTS };
        let card = ModelCard { dimensions: 0, ..first_card(choice) };
        Served::new(Arc::clone(&client), Box::new(protocol), card)
    };
    let Some(served) = local::ready(&started.server, make).await? else { return Ok(None) };
    let (inner, known_well) = described(ctx, choice, served, None, learning).await?;
    let embedder = Arc::new(WithServer { inner, server: started.server });
    Ok(Some((Opened { choice: choice.clone(), embedder, client: Some(client) }, known_well)))
}

async fn open_folder(ctx: &Ctx, choice: &EmbeddingChoice, learning: bool) -> Result<(Opened, bool)> {
    let folder = local::folder(choice.path.clone(), ctx.config().settings.embedding.threads).await?;
    let known = stored_card(ctx, &folder.model().id).await?;
    let (calibration, known_well) = match known {
        Some(card) => (card.calibration, true),
        None if learning => {
            let calibration = learn(&folder).await?;
            keep_card(ctx, &ModelCard { calibration, ..folder.model().clone() }).await?;
            (calibration, true)
        }
        None => (Calibration::PLAIN, false),
    };
    let embedder: Arc<dyn Embedder> = Arc::new(folder.calibrated(calibration));
    Ok((Opened { choice: choice.clone(), embedder, client: None }, known_well))
}

/// Fills in what is not known about a served model: from the store, else by asking it, and puts a guard before it.
async fn described(
    ctx: &Ctx,
    choice: &EmbeddingChoice,
    served: Served,
    breaker: Option<(String, Arc<Breaker>)>,
    learning: bool,
) -> Result<(Arc<dyn Embedder>, bool)> {
    let id = served.model().id.clone();
    let guard = guard(ctx, EMBED, &id, choice.provider, &choice.url, breaker).await?;
    let query_timeout = Duration::from_millis(ctx.config().settings.embedding.query_timeout_ms);
    let guarded = |served: Served, guard: Guard| {
        let card = served.model().clone();
        Guarded { inner: Arc::new(served), card, guard, query_timeout }
    };
    if let Some(card) = stored_card(ctx, &id).await? {
        return Ok((Arc::new(guarded(served.described(card), guard)), true));
    }
    if !learning && served.model().dimensions > 0 {
        return Ok((Arc::new(guarded(served, guard)), false));
    }
    // The cap and what others found out about the provider hold for finding out too.
    let begun = guard.begin((0, 0)).await?.map_err(EngineError::away)?;
    let found = if served.model().dimensions == 0 { served.detect().await } else { Ok(served) };
    let found = match found {
        Ok(served) => {
            let calibration = learn(&served).await;
            calibration.map(|calibration| {
                let card = ModelCard { calibration, ..served.model().clone() };
                served.described(card)
            })
        }
        Err(error) => Err(error),
    };
    let spent = found.as_ref().map_or_else(|_| Default::default(), Embedder::take_spent);
    guard.end(begun, spent.calls, (spent.tokens, 0)).await?;
    let served = found?;
    keep_card(ctx, served.model()).await?;
    Ok((Arc::new(guarded(served, guard)), true))
}

/// Forgets what was learned about a model that somebody else serves: it may be another one by now.
///
/// # Errors
/// When the store fails.
pub async fn forget_card(ctx: &Ctx, choice: &EmbeddingChoice) -> Result<()> {
    if choice.url.is_empty() {
        return Ok(());
    }
    ctx.open_models().lock().await.embedders.remove(choice);
    Ok(ctx.store().await?.put_card(&choice.id(), FORGOTTEN, ctx.now()).await?)
}

fn first_card(choice: &EmbeddingChoice) -> ModelCard {
    let known = known(&choice.model);
    ModelCard {
        id: choice.id(),
        provider: choice.provider.name.to_owned(),
        dimensions: choice.dimensions.or(known.as_ref().map(|known| known.dimensions)).unwrap_or(0),
        prefix_scheme: known.as_ref().map_or(PrefixScheme::None, |known| known.prefix_scheme.clone()),
        max_tokens: known.as_ref().map_or(512, |known| known.max_tokens),
        calibration: Calibration::PLAIN,
    }
}

async fn stored_card(ctx: &Ctx, id: &str) -> Result<Option<ModelCard>> {
    let stored = ctx.store().await?.card(id).await?;
    // A card that cannot be read was written by another version; it is learned again.
    Ok(stored.and_then(|text| serde_json::from_str(&text).ok()))
}

async fn keep_card(ctx: &Ctx, card: &ModelCard) -> Result<()> {
    let encode = |source| EngineError::Encode { operation: "models", source };
    let text = serde_json::to_string(card).map_err(encode)?;
    Ok(ctx.store().await?.put_card(&card.id, &text, ctx.now()).await?)
}

async fn guard(
    ctx: &Ctx,
    role: &'static str,
    model: &str,
    provider: Provider,
    url: &str,
    breaker: Option<(String, Arc<Breaker>)>,
) -> Result<Guard> {
    Ok(Guard {
        store: ctx.store().await?,
        clock: Arc::clone(ctx.clock()),
        account: account(ctx, role, model, provider, url),
        breaker,
        adopted: AtomicBool::new(false),
    })
}

pub(super) fn account(ctx: &Ctx, role: &'static str, model: &str, provider: Provider, url: &str) -> Account {
    let settings = &ctx.config().settings.spend;
    // A server of one's own costs nothing by the token, unless the list says otherwise.
    let vendor = url == provider.default_url && provider.api_key.is_some();
    let listed = Prices::parse(&settings.prices).of(model);
    let price = if vendor { listed } else { listed.or(Some(Price::default())) };
    let cap_micros = (settings.daily_cap_usd > 0.0).then_some((settings.daily_cap_usd * 1e6) as u64);
    let command = &ctx.config().settings.chat.command;
    let counts_calls = provider.is_command();
    let cap_calls = (counts_calls && command.calls_per_day > 0).then_some(command.calls_per_day);
    Account { role, model: model.to_owned(), price, cap_micros, cap_calls, counts_calls }
}

pub(super) fn senses(ctx: &Ctx) -> Senses {
    Senses { clock: Arc::clone(ctx.clock()), entropy: ctx.entropy() }
}

async fn failed_for_long(ctx: &Ctx, choice: &EmbeddingChoice) -> Result<bool> {
    let after_ms = i64::try_from(ctx.config().settings.embedding.fallback_after_ms).unwrap_or(i64::MAX);
    let store = ctx.store().await?;
    Ok(match standing(&*store, &place_name(choice.provider, &choice.url)).await? {
        Standing::Failing(rest) => ctx.now().millis().saturating_sub(rest.since_ms) >= after_ms,
        Standing::Well => false,
    })
}
