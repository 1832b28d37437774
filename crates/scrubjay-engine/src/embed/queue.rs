//! Working off the queue of texts that wait for vectors.

use scrubjay_core::text::TextHash;
use scrubjay_models::embed::Embedder;
use scrubjay_store::item::{CacheKey, Generation, GenerationId, GenerationState, NewGeneration, NewVectors, Waiting};

use super::codec::{decode, encode};
use super::generation::{current_generation, is_of, plan};
use super::reembed::finish;
use super::text::{embedded_text, text_hash};
use super::window::windows as text_windows;
use crate::{Ctx, EngineError, Result};

/// Items read from the queue at a time.
const BATCH: usize = 32;

/// Older items queued at a time.
const OLDER: usize = 4096;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Embedded {
    /// Items that have vectors now.
    pub items: usize,
    /// Whether more are waiting.
    pub more: bool,
}

/// Embeds the next few items for whichever generation the present embedder can
/// work on. Does nothing without an embedder.
///
/// # Errors
/// When the embedder or the store fails; what was embedded until then is kept.
pub async fn embed_some(ctx: &Ctx) -> Result<Embedded> {
    let Some(embedder) = ctx.embedder()? else { return Ok(Embedded::default()) };
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
        if !some.more && generation.state == GenerationState::Building {
            finish(ctx, &generation).await?;
        }
    }
    Ok(embedded)
}

/// Embeds everything that waits for a generation's vectors; tells about progress.
///
/// # Errors
/// When the embedder or the store fails; what was embedded until then is kept.
pub async fn settle(ctx: &Ctx, embedder: &dyn Embedder, generation: GenerationId) -> Result<usize> {
    let store = ctx.store().await?;
    let mut done = 0;
    loop {
        let embedded = embed_for(ctx, embedder, generation).await?;
        done += embedded.items;
        let coverage = store.coverage(generation).await?;
        ctx.progress().step("embedding", coverage.embedded, Some(coverage.items));
        if !embedded.more {
            return Ok(done);
        }
    }
}

async fn embed_for(ctx: &Ctx, embedder: &dyn Embedder, generation: GenerationId) -> Result<Embedded> {
    let store = ctx.store().await?;
    let mut waiting = store.waiting(generation, BATCH).await?;
    while waiting.is_empty() {
        let more = store.queue_older(generation, OLDER).await?;
        waiting = store.waiting(generation, BATCH).await?;
        if !more && waiting.is_empty() {
            return Ok(Embedded::default());
        }
    }
    let vectors = vectors_of(ctx, embedder, &waiting).await?;
    let items = store.put_vectors(generation, vectors).await?;
    Ok(Embedded { items, more: true })
}

async fn vectors_of(ctx: &Ctx, embedder: &dyn Embedder, waiting: &[Waiting]) -> Result<Vec<NewVectors>> {
    let most = ctx.config().settings.embedding.max_windows;
    let mut windows = Vec::new();
    let mut cacheable = Vec::new();
    let mut counts = Vec::with_capacity(waiting.len());
    let texts: Vec<String> = waiting.iter().map(|waiting| embedded_text(&waiting.row.item)).collect();
    for (text, waiting) in texts.iter().zip(waiting) {
        let before = windows.len();
        windows.extend(text_windows(text).into_iter().take(most).map(|range| text[range].to_owned()));
        counts.push(windows.len() - before);
        // Files are copied, moved and checked out again; what people say is not, and a purge must reach it.
        cacheable.resize(windows.len(), waiting.row.key.is_chunk());
    }
    let vectors = cached_vectors(ctx, embedder, &windows, &cacheable).await?;
    let mut vectors = vectors.into_iter();
    let mut made = Vec::with_capacity(waiting.len());
    for ((waiting, text), count) in waiting.iter().zip(&texts).zip(counts) {
        let own: Vec<Vec<f32>> = vectors.by_ref().take(count).collect();
        let encoded = encode(&own)?;
        made.push(NewVectors { key: waiting.row.key, ticket: waiting.ticket, text: text_hash(text), encoded });
    }
    Ok(made)
}

// Vectors of texts, from the cache where they may be there, and computed where not.
async fn cached_vectors(
    ctx: &Ctx,
    embedder: &dyn Embedder,
    texts: &[String],
    cacheable: &[bool],
) -> Result<Vec<Vec<f32>>> {
    let settings = &ctx.config().settings.cache;
    if !settings.enabled || !cacheable.contains(&true) {
        return embedder.embed_documents(texts).await.map_err(EngineError::model);
    }
    let store = ctx.store().await?;
    let key = cache_key(embedder);
    let hashes: Vec<TextHash> = texts.iter().map(|text| TextHash::of_bytes(text.as_bytes())).collect();
    let cached = store.cached(&key, hashes.clone(), ctx.now()).await?;
    let dimensions = embedder.model().dimensions;
    let known = |at: usize| -> Option<Vec<f32>> {
        let bytes = cached[at].as_deref().filter(|_| cacheable[at])?;
        let vector = decode(bytes, dimensions)?.into_iter().next()?;
        Some(vector.values.iter().map(|&value| f32::from(value) * vector.scale).collect())
    };
    let mut vectors: Vec<Option<Vec<f32>>> = (0..texts.len()).map(known).collect();
    let missing: Vec<usize> = (0..texts.len()).filter(|&at| vectors[at].is_none()).collect();
    let unknown: Vec<String> = missing.iter().map(|&at| texts[at].clone()).collect();
    let made = embedder.embed_documents(&unknown).await.map_err(EngineError::model)?;
    let mut kept = Vec::new();
    for (&at, vector) in missing.iter().zip(made) {
        if cacheable[at] {
            kept.push((hashes[at], encode(std::slice::from_ref(&vector))?));
        }
        vectors[at] = Some(vector);
    }
    if !kept.is_empty() {
        let most = (settings.max_entries > 0).then_some(settings.max_entries);
        store.cache(&key, kept, most, ctx.now()).await?;
    }
    let complete: Option<Vec<Vec<f32>>> = vectors.into_iter().collect();
    complete.ok_or_else(|| EngineError::model("the embedder returned fewer vectors than texts"))
}

fn cache_key(embedder: &dyn Embedder) -> CacheKey {
    let NewGeneration { model, scheme, .. } = plan(embedder);
    CacheKey { provider: String::new(), model, provider_key: scheme }
}
