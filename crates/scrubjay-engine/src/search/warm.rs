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
