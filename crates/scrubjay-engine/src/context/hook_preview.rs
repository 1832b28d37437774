//! What a client's hook would say before a turn, without saying or noting anything.

use super::brief::brief_with_entries;
use super::{Block, Wanted, preview_after};
use crate::clients::{Client, Moment};
use crate::{Ctx, Result};

/// What would be handed over.
#[derive(Debug, Clone, Default)]
pub(crate) struct Preview {
    /// The block for the prompt.
    pub(crate) block: Block,
    /// What the conversation begins with, if it was told nothing yet.
    pub(crate) beginning: String,
    /// What the hook would write for the prompt; empty if it hands nothing over.
    pub(crate) output: String,
    /// Why it hands nothing over.
    pub(crate) nothing_because: Option<String>,
}

/// What the hook of a client would hand over with this prompt, as `answer` does it.
///
/// # Errors
/// When the store or the index fails.
pub(crate) async fn preview(ctx: &Ctx, client: &Client, wanted: &Wanted) -> Result<Preview> {
    let hooks = &ctx.config().settings.hooks;
    let session = wanted.session_id.as_deref();
    let is_new = match session {
        Some(session) => ctx.store().await?.shown(ctx.view(), session).await?.is_empty(),
        None => true,
    };
    let event_of = |moment: Moment| client.events.iter().find(|event| event.moment == moment);
    let takes = |moment: Moment| event_of(moment).filter(|event| client.takes_context(event));
    // A client that does not tell beginnings gets both with the first prompt, and has room for both.
    let comes_along = !client.tells_beginnings();
    let (mut beginning, mut told) = (String::new(), Vec::new());
    if is_new && hooks.enabled && hooks.inject && (comes_along || takes(Moment::SessionStart).is_some()) {
        let room = if comes_along { hooks.max_chars / 2 } else { hooks.max_chars };
        let (text, shown) = brief_with_entries(ctx, session, room).await?;
        (beginning, told) = (text, shown);
    }
    let block = preview_after(ctx, wanted, told).await?;
    let mut parts = if comes_along { vec![beginning.as_str()] } else { Vec::new() };
    parts.push(&block.text);
    parts.retain(|part| !part.trim().is_empty());
    let text = parts.join("\n");
    let nothing = |why: &str| (String::new(), Some(why.to_owned()));
    let (output, nothing_because) = match takes(Moment::Prompt) {
        _ if !hooks.enabled => nothing("hooks are switched off (hooks.enabled)"),
        _ if !hooks.inject => nothing("hooks hand nothing over (hooks.inject)"),
        None => nothing("this client takes no text before a turn, only when a conversation begins"),
        Some(_) if text.is_empty() => nothing("nothing fits the prompt"),
        Some(_) if text.chars().count() > hooks.max_chars => nothing("it is longer than hooks.max_chars"),
        Some(event) => (client.say(event, Some(&text)), None),
    };
    Ok(Preview { block, beginning, output, nothing_because })
}
