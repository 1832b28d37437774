//! How many calls of somebody's plan are left.

use scrubjay_core::scope::Scope;
use scrubjay_models::chat::{Asked, ChatCard, ChatError};
use scrubjay_models::http::CallError;

use crate::{Ctx, Result};

/// The calls that the facts of one conversation may take.
pub(crate) struct Allowance {
    /// Where they are counted; none for models whose calls are not.
    mark: Option<String>,
}

impl Allowance {
    /// The allowance of a conversation.
    pub(crate) fn of(ctx: &Ctx, model: &ChatCard, scope: &Scope, session_id: &str) -> Self {
        let limited = model.scarce && ctx.config().settings.chat.command.calls_per_session > 0;
        let mark = limited.then(|| {
            // A hash, because the count outlives a conversation that is purged.
            let session = format!("{scope}\n{session_id}");
            format!("command:session:{}", &blake3::hash(session.as_bytes()).to_hex()[..32])
        });
        Self { mark }
    }

    /// Why there may be no further call, if so.
    pub(crate) async fn used_up(&self, ctx: &Ctx) -> Result<Option<String>> {
        let Some(mark) = &self.mark else { return Ok(None) };
        let limit = ctx.config().settings.chat.command.calls_per_session;
        let made = ctx.store().await?.mark(mark).await?.unwrap_or(0);
        Ok((made >= limit)
            .then(|| format!("the {limit} calls of this conversation are used up (chat.command.calls_per_session)")))
    }

    /// Counts a call, unless none was made.
    pub(crate) async fn note<Value>(
        &self,
        ctx: &Ctx,
        asked: &std::result::Result<Asked<Value>, ChatError>,
    ) -> Result<()> {
        let refused = matches!(asked, Err(ChatError::Paused { .. } | ChatError::Call(CallError::Resting { .. })));
        let Some(mark) = self.mark.as_ref().filter(|_| !refused) else { return Ok(()) };
        let store = ctx.store().await?;
        let made = store.mark(mark).await?.unwrap_or(0);
        Ok(store.set_mark(mark, made.saturating_add(1)).await?)
    }
}
