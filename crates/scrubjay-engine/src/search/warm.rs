//! Opening what the first question would otherwise wait for.

use crate::{Ctx, Result};

/// Opens the index and loads the embedder. What fails here will be named by the
/// question that needs it, so only a store that cannot be opened is an error.
///
/// # Errors
/// When the store or the index cannot be opened.
pub async fn warm(ctx: &Ctx) -> Result<()> {
    ctx.index().await?;
    // A model elsewhere is not asked before there is a question.
    if ctx.asks_outside() {
        return Ok(());
    }
    if let Some(embedder) = ctx.embedder().await? {
        let _ = embedder.embed_query("warm").await;
    }
    Ok(())
}

/// Finishes a purge that was cut short, and writes to the index files what was stored, if so much of it waits that the next question would have to. True if
/// it did.
///
/// # Errors
/// When the store or the file system fails.
pub async fn catch_up(ctx: &Ctx) -> Result<bool> {
    let (store, index) = (ctx.store().await?, ctx.index().await?);
    index.finish_purge(&*store).await?;
    index.catch_up(&*store).await
}

/// Frees the index files of what was purged, if whoever purged it was killed before it could.
///
/// # Errors
/// When the store or the file system fails.
pub async fn finish_purge(ctx: &Ctx) -> Result<()> {
    let (store, index) = (ctx.store().await?, ctx.index().await?);
    index.finish_purge(&*store).await.map(drop)
}
