//! Working off the queue of texts that wait for vectors.

use scrubjay_core::text::TextHash;
use scrubjay_models::embed::{EmbedError, Embedder};
use scrubjay_store::Store;
use scrubjay_store::item::{CacheKey, Generation, GenerationId, GenerationState, NewGeneration, NewVectors, Waiting};

use super::generation::current_generation;
use super::reembed::finish;
use crate::item::{decode, embedded_text, encode, is_of, item_windows, no_vectors, plan, text_hash};
use crate::models::backfill::{Flight, advance};
use crate::{Ctx, EngineError, Result};

/// Items read from the queue at a time.
const BATCH: usize = 32;

/// How much text a model on this machine is given at a time: about a fifth of a second's work, so that whoever has
/// little time can stop in between.
const BATCH_BYTES: usize = 6 * 1024;

/// The most items read at a time, however many an embedder would like.
const LARGEST_BATCH: usize = 512;

/// How many texts a provider refused, so that they have no vectors.
pub const REFUSED: &str = "embed:refused";

/// Older items queued at a time.
const OLDER: usize = 4096;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Embedded {
    /// Items that have vectors now.
    pub items: usize,
    /// Whether more are waiting.
    pub more: bool,
    /// Items that a provider's batch service is working on.
    pub in_batches: usize,
}

/// Embeds the next few items for whichever generation the present embedder can
/// work on. Does nothing without an embedder.
///
/// # Errors
/// When the embedder or the store fails; what was embedded until then is kept.
pub async fn embed_some(ctx: &Ctx) -> Result<Embedded> {
    let Some(embedder) = ctx.embedder().await? else { return Ok(Embedded::default()) };
    let embedder = &*embedder;
    let state = current_generation(ctx, embedder).await?;
    let wanted = plan(embedder);
    // Vectors of a model that is not set up any more cannot be made; what it made
    // serves until the next generation is ready.
    let ours = |generation: &Generation| is_of(&generation.spec, &wanted);
    let mut embedded = Embedded::default();
    for generation in [state.serving, state.building].into_iter().flatten().filter(ours) {
        let some = embed_for(ctx, embedder, generation.id).await?;
        embedded.items += some.items;
        embedded.more |= some.more;
        embedded.in_batches += some.in_batches;
        if !some.more && some.in_batches == 0 && generation.state == GenerationState::Building {
            finish(ctx, &generation).await?;
        }
    }
    Ok(embedded)
}

/// Embeds everything that waits for a generation's vectors; tells about progress.
/// What was given to a batch service is left to it.
///
/// # Errors
/// When the embedder or the store fails; what was embedded until then is kept.
pub async fn settle(ctx: &Ctx, embedder: &dyn Embedder, generation: GenerationId) -> Result<Embedded> {
    let store = ctx.store().await?;
    let mut done = 0;
    loop {
        let embedded = embed_for(ctx, embedder, generation).await?;
        done += embedded.items;
        let coverage = store.coverage(generation).await?;
        ctx.progress().step("embedding", coverage.embedded, Some(coverage.items));
        if !embedded.more {
            return Ok(Embedded { items: done, ..embedded });
        }
    }
}

async fn embed_for(ctx: &Ctx, embedder: &dyn Embedder, generation: GenerationId) -> Result<Embedded> {
    let store = ctx.store().await?;
    let flight = match ctx.opened_embedder().await? {
        Some(opened) => advance(ctx, &opened, generation).await?,
        None => Flight::default(),
    };
    let in_batches = flight.held.len();
    let items_at_once = embedder.items_at_once().clamp(BATCH, LARGEST_BATCH);
    let mut waiting = free(&*store, generation, &flight, items_at_once).await?;
    while waiting.is_empty() {
        let more = store.queue_older(generation, OLDER).await?;
        waiting = free(&*store, generation, &flight, items_at_once).await?;
        if !more && waiting.is_empty() {
            return Ok(Embedded { items: flight.stored, more: false, in_batches });
        }
    }
    if !ctx.asks_outside() {
        keep_little(&mut waiting);
    }
    let vectors = match vectors_of(ctx, embedder, &waiting).await {
        Ok(vectors) => vectors,
        Err(Trouble::Texts(error)) => one_by_one(ctx, embedder, &waiting, error).await?,
        Err(Trouble::Other(error)) => return Err(error),
    };
    let items = store.put_vectors(generation, vectors).await?;
    Ok(Embedded { items: items + flight.stored, more: true, in_batches })
}

// At least one.
fn keep_little(waiting: &mut Vec<Waiting>) {
    let mut bytes = 0;
    let fitting = waiting.iter().take_while(|waiting| {
        bytes += waiting.row.item.text().len();
        bytes <= BATCH_BYTES
    });
    let count = fitting.count().max(1);
    waiting.truncate(count);
}

// What waits and is not in a batch; what failed in one comes first.
async fn free(
    store: &dyn Store,
    generation: GenerationId,
    flight: &Flight,
    items_at_once: usize,
) -> Result<Vec<Waiting>> {
    let mut waiting = store.waiting(generation, flight.held.len() + flight.failed.len() + items_at_once).await?;
    waiting.retain(|waiting| !flight.held.contains(&waiting.row.key));
    waiting.sort_by_key(|waiting| !flight.failed.contains(&waiting.row.key));
    waiting.truncate(items_at_once);
    Ok(waiting)
}

// Why there are no vectors: because of some text among these, or for any other reason.
enum Trouble {
    Texts(EngineError),
    Other(EngineError),
}

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        Self::Other(error)
    }
}

impl From<EmbedError> for Trouble {
    fn from(error: EmbedError) -> Self {
        if error.is_about_the_texts() { Self::Texts(error.into()) } else { Self::Other(error.into()) }
    }
}

// A provider refused these texts. Alone, most of them are taken; one that is not must not hold up the others, and goes
// without vectors: it is found by its words.
async fn one_by_one(
    ctx: &Ctx,
    embedder: &dyn Embedder,
    waiting: &[Waiting],
    error: EngineError,
) -> Result<Vec<NewVectors>> {
    let mut made = Vec::with_capacity(waiting.len());
    let mut refused = 0;
    for one in waiting {
        match vectors_of(ctx, embedder, std::slice::from_ref(one)).await {
            Ok(vectors) => made.extend(vectors),
            Err(Trouble::Other(error)) => return Err(error),
            Err(Trouble::Texts(_)) => {
                refused += 1;
                let text = text_hash(&embedded_text(&one.row.item));
                let encoded = no_vectors(embedder.model().dimensions);
                made.push(NewVectors { key: one.row.key, ticket: one.ticket, text, encoded });
            }
        }
    }
    // If not a single one is taken, it is not the texts.
    if refused == waiting.len() && refused > 1 {
        return Err(error);
    }
    let store = ctx.store().await?;
    let before = store.mark(REFUSED).await?.unwrap_or(0);
    store.set_mark(REFUSED, before + refused as u64).await?;
    Ok(made)
}

async fn vectors_of(
    ctx: &Ctx,
    embedder: &dyn Embedder,
    waiting: &[Waiting],
) -> std::result::Result<Vec<NewVectors>, Trouble> {
    let most = ctx.config().settings.embedding.max_windows;
    let mut windows = Vec::new();
    let mut cacheable = Vec::new();
    let mut counts = Vec::with_capacity(waiting.len());
    for waiting in waiting {
        let (hash, own) = item_windows(&waiting.row.item, most);
        counts.push((hash, own.len()));
        windows.extend(own);
        // Files are copied, moved and checked out again; what people say is not, and a purge must reach it.
        cacheable.resize(windows.len(), waiting.row.key.is_chunk());
    }
    let vectors = cached_vectors(ctx, embedder, &windows, &cacheable).await?;
    let mut vectors = vectors.into_iter();
    let mut made = Vec::with_capacity(waiting.len());
    for (waiting, (text, count)) in waiting.iter().zip(counts) {
        let own: Vec<Vec<f32>> = vectors.by_ref().take(count).collect();
        let encoded = encode(&own)?;
        made.push(NewVectors { key: waiting.row.key, ticket: waiting.ticket, text, encoded });
    }
    Ok(made)
}

// Vectors of texts, from the cache where they may be there, and computed where not.
async fn cached_vectors(
    ctx: &Ctx,
    embedder: &dyn Embedder,
    texts: &[String],
    cacheable: &[bool],
) -> std::result::Result<Vec<Vec<f32>>, Trouble> {
    let settings = &ctx.config().settings.cache;
    if !settings.enabled || !cacheable.contains(&true) {
        return Ok(embedder.embed_documents(texts).await?);
    }
    let store = ctx.store().await?;
    let key = cache_key(embedder);
    let hashes: Vec<TextHash> = texts.iter().map(|text| TextHash::of_bytes(text.as_bytes())).collect();
    let cached = store.cached(&key, hashes.clone(), ctx.now()).await.map_err(EngineError::from)?;
    let dimensions = embedder.model().dimensions;
    let known = |at: usize| -> Option<Vec<f32>> {
        let bytes = cached[at].as_deref().filter(|_| cacheable[at])?;
        let vector = decode(bytes, dimensions)?.into_iter().next()?;
        Some(vector.values.iter().map(|&value| f32::from(value) * vector.scale).collect())
    };
    let mut vectors: Vec<Option<Vec<f32>>> = (0..texts.len()).map(known).collect();
    let missing: Vec<usize> = (0..texts.len()).filter(|&at| vectors[at].is_none()).collect();
    let unknown: Vec<String> = missing.iter().map(|&at| texts[at].clone()).collect();
    let made = embedder.embed_documents(&unknown).await?;
    let mut kept = Vec::new();
    for (&at, vector) in missing.iter().zip(made) {
        if cacheable[at] {
            kept.push((hashes[at], encode(std::slice::from_ref(&vector))?));
        }
        vectors[at] = Some(vector);
    }
    if !kept.is_empty() {
        let most = (settings.max_entries > 0).then_some(settings.max_entries);
        store.cache(&key, kept, most, ctx.now()).await.map_err(EngineError::from)?;
    }
    let complete: Option<Vec<Vec<f32>>> = vectors.into_iter().collect();
    Ok(complete.ok_or_else(|| EngineError::model("the embedder returned fewer vectors than texts"))?)
}

fn cache_key(embedder: &dyn Embedder) -> CacheKey {
    let NewGeneration { model, scheme, .. } = plan(embedder);
    CacheKey { provider: String::new(), model, provider_key: scheme }
}
