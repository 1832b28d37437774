//! Many texts at once through a provider's batch service, which is cheaper and takes hours.
//!
//! A batch is noted in the store before it is submitted, under a name that the provider is told too. So whatever is cut
//! off where, nothing is paid twice: a batch whose submission was not confirmed is looked for by its name, and one that
//! is under way is asked for again by the next process. What a batch holds stays on the queue until its vectors are
//! stored; what of it failed gets plain requests. A batch that failed is submitted once more, and after two failures
//! in a row the service is left alone.

use std::collections::BTreeSet;

use scrubjay_core::text::TextHash;
use scrubjay_models::batch::{BatchProtocol, Outcome, Progress};
use scrubjay_models::embed::check_vectors;
use scrubjay_models::http::Blame;
use scrubjay_store::Store;
use scrubjay_store::item::{GenerationId, ItemKey, NewVectors, Waiting};
use scrubjay_store::model::Batch;
use serde::{Deserialize, Serialize};

use super::open::{EMBED, account};
use crate::item::{encode, item_windows};
use crate::provider_list::Provider;
use crate::providers::open::Opened;
use crate::{Ctx, EngineError, Result};

/// How long to wait between two looks at a batch, in milliseconds.
pub const POLL_MS: i64 = 60_000;

/// How long an unconfirmed batch may take to show up in the provider's list, in milliseconds.
const APPEARS_MS: i64 = 120_000;

/// Batches under way at the same time.
const AT_ONCE: usize = 8;

/// Failures in a row after which the service is left alone.
const FAILURES: u64 = 2;

/// What a batch costs beside plain requests.
const SHARE: f64 = 0.5;

/// How things stand after a look at the batches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flight {
    /// Items that a batch holds, and that need no other request.
    pub held: BTreeSet<ItemKey>,
    /// Items that failed in a batch and get plain requests.
    pub failed: BTreeSet<ItemKey>,
    /// Items that got their vectors just now.
    pub stored: usize,
}

// An item of a batch, as it is noted.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Held {
    key: u64,
    ticket: u64,
    text: String,
    windows: usize,
    bytes: usize,
}

/// Looks at the batches of a generation: takes in what is done, gives up what failed, submits what waits.
///
/// # Errors
/// When the store fails, or the provider does; whatever was under way stays so.
pub async fn advance(ctx: &Ctx, opened: &Opened, generation: GenerationId) -> Result<Flight> {
    let mut flight = Flight::default();
    let store = ctx.store().await?;
    let known = store.batches().await?;
    let settings = &ctx.config().settings.embedding;
    if !settings.batch && known.is_empty() {
        return Ok(flight);
    }
    let Some(service) = service(opened) else { return Ok(flight) };
    let model = &opened.embedder.model().id;
    for batch in known.into_iter().filter(|batch| batch.generation == generation && &batch.model == model) {
        look(ctx, &*store, opened, &*service, batch, &mut flight).await?;
    }
    if settings.batch && !is_left_alone(&*store, opened.choice.provider).await? {
        submit_more(ctx, &*store, opened, &*service, generation, &mut flight).await?;
    }
    Ok(flight)
}

/// Whether the batch service of a provider is left alone because it failed.
///
/// # Errors
/// When the store fails.
pub async fn is_left_alone(store: &dyn Store, provider: Provider) -> Result<bool> {
    Ok(failures(store, provider).await? >= FAILURES)
}

/// Gives the batch service of a provider another chance.
///
/// # Errors
/// When the store fails.
pub async fn give_another_chance(store: &dyn Store, provider: Provider) -> Result<()> {
    set_failures(store, provider, 0).await
}

async fn look(
    ctx: &Ctx,
    store: &dyn Store,
    opened: &Opened,
    service: &dyn BatchProtocol,
    mut batch: Batch,
    flight: &mut Flight,
) -> Result<()> {
    // A clock that was ahead would make it wait for years.
    if batch.created_at > ctx.now() || batch.updated_at > ctx.now() {
        batch.created_at = batch.created_at.min(ctx.now());
        batch.updated_at = batch.created_at;
        store.put_batch(batch.clone()).await?;
    }
    let held: Vec<Held> = serde_json::from_value(batch.items.clone()).unwrap_or_default();
    let keys = held.iter().map(|item| ItemKey::from_number(item.key));
    let now_ms = ctx.now().millis();
    let Some(id) = batch.remote_id.clone() else {
        match service.find(&batch.name).await? {
            Some(id) => {
                batch.remote_id = Some(id);
                batch.updated_at = ctx.now();
                store.put_batch(batch).await?;
                flight.held.extend(keys);
            }
            // The provider never had it: its items are free again.
            None if now_ms - batch.created_at.millis() >= APPEARS_MS => {
                store.remove_batch(&batch.name).await?;
            }
            None => flight.held.extend(keys),
        }
        return Ok(());
    };
    if now_ms - batch.updated_at.millis() < POLL_MS && batch.updated_at > batch.created_at {
        flight.held.extend(keys);
        return Ok(());
    }
    let count = held.iter().map(|item| item.windows).sum();
    match service.poll(&id, count).await? {
        Progress::Done(outcomes) => take_in(ctx, store, opened, &batch, &held, outcomes, flight).await,
        Progress::Failed(_) => give_up(store, opened, &batch, keys.collect(), flight).await,
        Progress::Working => {
            let timeout_ms = i64::try_from(ctx.config().settings.embedding.batch_timeout_ms).unwrap_or(i64::MAX);
            if now_ms - batch.created_at.millis() < timeout_ms {
                batch.updated_at = ctx.now();
                store.put_batch(batch).await?;
                flight.held.extend(keys);
                return Ok(());
            }
            // Whether it can still be stopped makes no difference to what is done here.
            drop(service.cancel(&id).await);
            give_up(store, opened, &batch, keys.collect(), flight).await
        }
    }
}

async fn take_in(
    ctx: &Ctx,
    store: &dyn Store,
    opened: &Opened,
    batch: &Batch,
    held: &[Held],
    outcomes: Vec<Outcome>,
    flight: &mut Flight,
) -> Result<()> {
    let card = opened.embedder.model();
    let mut outcomes = outcomes.into_iter();
    let mut made = Vec::new();
    let mut bytes = 0;
    for item in held {
        let key = ItemKey::from_number(item.key);
        let own: std::result::Result<Vec<Vec<f32>>, String> = outcomes.by_ref().take(item.windows).collect();
        let checked = own.and_then(|own| check_vectors(own, item.windows, card).map_err(|error| error.to_string()));
        match (checked, hash(&item.text)) {
            (Ok(vectors), Some(text)) => {
                bytes += item.bytes;
                made.push(NewVectors { key, ticket: item.ticket, text, encoded: encode(&vectors)? });
            }
            _ => {
                flight.failed.insert(key);
            }
        }
    }
    // First the vectors, then the books and the note: what is cut off here is taken in once more, which changes nothing.
    flight.stored += store.put_vectors(batch.generation, made).await?;
    let account = account(ctx, EMBED, &card.id, opened.choice.provider, &opened.choice.url);
    account.note(store, ctx.now(), 1, (bytes as u64 / 4, 0), SHARE).await?;
    store.remove_batch(&batch.name).await?;
    set_failures(store, opened.choice.provider, 0).await
}

async fn give_up(
    store: &dyn Store,
    opened: &Opened,
    batch: &Batch,
    keys: BTreeSet<ItemKey>,
    flight: &mut Flight,
) -> Result<()> {
    store.remove_batch(&batch.name).await?;
    if batch.tries < 2 {
        // Its items are submitted once more, under another name; the next batch carries the count on.
        store.set_mark(&tries_mark(opened), u64::from(batch.tries)).await?;
        return Ok(());
    }
    flight.failed.extend(keys);
    let failed = failures(store, opened.choice.provider).await? + 1;
    set_failures(store, opened.choice.provider, failed).await
}

async fn submit_more(
    ctx: &Ctx,
    store: &dyn Store,
    opened: &Opened,
    service: &dyn BatchProtocol,
    generation: GenerationId,
    flight: &mut Flight,
) -> Result<()> {
    let wanted = ctx.config().settings.embedding.batch_items;
    let under_way = store.batches().await?.len();
    for _ in under_way..AT_ONCE {
        let busy = flight.held.len() + flight.failed.len();
        let waiting = waiting(store, generation, busy + wanted).await?;
        let free: Vec<Waiting> = waiting
            .into_iter()
            .filter(|waiting| !flight.held.contains(&waiting.row.key) && !flight.failed.contains(&waiting.row.key))
            .collect();
        if free.len() < wanted {
            return Ok(());
        }
        submit(ctx, store, opened, service, generation, &free, flight).await?;
    }
    Ok(())
}

async fn submit(
    ctx: &Ctx,
    store: &dyn Store,
    opened: &Opened,
    service: &dyn BatchProtocol,
    generation: GenerationId,
    free: &[Waiting],
    flight: &mut Flight,
) -> Result<()> {
    let prefix = &opened.embedder.model().prefix_scheme;
    let most = ctx.config().settings.embedding.max_windows;
    let mut texts = Vec::new();
    let mut held = Vec::new();
    for waiting in free {
        let (hash, windows) = item_windows(&waiting.row.item, most);
        if texts.len() + windows.len() > service.most_texts() {
            break;
        }
        let bytes = windows.iter().map(String::len).sum();
        held.push(Held {
            key: waiting.row.key.number(),
            ticket: waiting.ticket,
            text: hash.to_string(),
            windows: windows.len(),
            bytes,
        });
        let redacted =
            windows.iter().map(|window| scrubjay_core::redact::redact(prefix.document(window).as_ref()).text);
        texts.extend(redacted.map(|text| if text.trim().is_empty() { "-".to_owned() } else { text }));
    }
    let tries = store.mark(&tries_mark(opened)).await?.unwrap_or(0);
    let mut batch = Batch {
        name: format!("scrubjay-{}", ctx.uuid()?.simple()),
        provider: opened.choice.provider.name.to_owned(),
        model: opened.embedder.model().id.clone(),
        generation,
        remote_id: None,
        items: serde_json::to_value(&held).map_err(|source| EngineError::Encode { operation: "reembed", source })?,
        tries: u32::try_from(tries).unwrap_or(0) + 1,
        created_at: ctx.now(),
        updated_at: ctx.now(),
    };
    store.set_mark(&tries_mark(opened), 0).await?;
    store.put_batch(batch.clone()).await?;
    match service.submit(&batch.name, &texts).await {
        Ok(id) => {
            batch.remote_id = Some(id);
            store.put_batch(batch).await?;
        }
        // It was refused: there is nothing to look for.
        Err(error) if error.blame() != Blame::Provider => {
            store.remove_batch(&batch.name).await?;
            set_failures(store, opened.choice.provider, failures(store, opened.choice.provider).await? + 1).await?;
            return Err(error.into());
        }
        // Nobody knows whether it arrived; the next look will find out.
        Err(_) => {}
    }
    flight.held.extend(held.iter().map(|item| ItemKey::from_number(item.key)));
    Ok(())
}

/// The items that wait, with older ones queued if there are too few.
async fn waiting(store: &dyn Store, generation: GenerationId, wanted: usize) -> Result<Vec<Waiting>> {
    loop {
        let waiting = store.waiting(generation, wanted).await?;
        if waiting.len() >= wanted {
            return Ok(waiting);
        }
        if !store.queue_older(generation, wanted).await? {
            // There are no more behind these, some of which were just queued.
            return Ok(store.waiting(generation, wanted).await?);
        }
    }
}

fn service(opened: &Opened) -> Option<Box<dyn BatchProtocol>> {
    let client = opened.client.clone()?;
    let batch = opened.choice.provider.embedding.as_ref()?.batch?;
    Some(batch(client, &opened.choice.served()))
}

fn hash(text: &str) -> Option<TextHash> {
    let mut bytes = [0; 16];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(TextHash::from_bytes(bytes))
}

async fn failures(store: &dyn Store, provider: Provider) -> Result<u64> {
    Ok(store.mark(&failures_mark(provider)).await?.unwrap_or(0))
}

async fn set_failures(store: &dyn Store, provider: Provider, count: u64) -> Result<()> {
    Ok(store.set_mark(&failures_mark(provider), count).await?)
}

fn failures_mark(provider: Provider) -> String {
    format!("batch:{}:failures", provider.name)
}

fn tries_mark(opened: &Opened) -> String {
    format!("batch:{}:tries", opened.choice.provider.name)
}
