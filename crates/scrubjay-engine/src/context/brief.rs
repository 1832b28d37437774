//! What a session begins with: the facts that matter most here, and once a day the
//! latest reflection.
//!
//! It leaves a receipt like any other injection, so that a later prompt of the session
//! is not handed the same again; and a session that is taken up again, or goes on after
//! it was shortened, is handed only what it was not handed before.

use std::collections::BTreeSet;

use scrubjay_core::fence;
use scrubjay_core::filter::{Field, Filter, Order};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::text::TextHash;
use scrubjay_core::visible::visible;
use scrubjay_store::context::{ReceiptItem, Shown, ShownText};
use scrubjay_store::query::ListQuery;

use super::{
    Injection, REFLECTION_SECTION, ShownBefore, keep, latest_reflection, reflection_came_along, room_for_reflection,
    vocabulary,
};
use crate::gone::gone_mentions;
use crate::{Ctx, EngineError, Result};

/// How many facts.
const FACTS: usize = 8;

/// The most that is taken of one memory, in characters.
const EACH: usize = 500;

const KNOWN: &str = "## Known here, from earlier sessions";
const INSIGHT: &str = "## Weekly insight";

/// What a session begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brief {
    /// The text, fenced; empty if nothing is known.
    pub text: String,
    /// The receipt; none if there was nothing to hand over.
    pub receipt: Option<String>,
    /// What went wrong without keeping it from being handed over.
    pub warnings: Vec<String>,
}

/// What a session should know from the start, within `max_chars`; notes what was
/// handed over. A sub-agent has no session of its own to be shown anything in.
///
/// # Errors
/// When the store fails.
pub async fn brief(ctx: &Ctx, session_id: Option<&str>, max_chars: usize) -> Result<Brief> {
    let (text, entries) = fenced(ctx, session_id, max_chars).await?;
    if entries.is_empty() {
        return Ok(Brief::default());
    }
    let vocabulary = vocabulary(ctx);
    let items = entries.into_iter().map(|entry| ReceiptItem {
        item: Shown::Memory(entry.memory.id),
        text: Some(TextHash::of_message(&entry.memory.content)),
        section: entry.section.to_owned(),
        tokens: vocabulary.count(&entry.line) as u64,
        relevance: 0.0,
        score: 0.0,
        verdict: None,
    });
    // Its room is counted in characters.
    let tokens = (0, vocabulary.count(&text));
    Ok(match keep(ctx, "session-start", session_id, tokens, items.collect()).await {
        Ok(id) => Brief { text, receipt: Some(id.to_string()), warnings: Vec::new() },
        // A full disk must not keep anyone from reading.
        Err(error) => {
            let warnings = vec![format!("what the session began with was not noted: {error}")];
            Brief { text, receipt: None, warnings }
        }
    })
}

/// The same without noting anything.
///
/// # Errors
/// When the store fails.
pub(crate) async fn brief_text(ctx: &Ctx, session_id: Option<&str>, max_chars: usize) -> Result<String> {
    Ok(fenced(ctx, session_id, max_chars).await?.0)
}

/// The same, with what a conversation that was handed it was shown.
///
/// # Errors
/// When the store fails.
pub(crate) async fn brief_with_entries(
    ctx: &Ctx,
    session_id: Option<&str>,
    max_chars: usize,
) -> Result<(String, Vec<ShownText>)> {
    let (text, entries) = fenced(ctx, session_id, max_chars).await?;
    let shown = entries.into_iter().map(|entry| ShownText {
        item: Shown::Memory(entry.memory.id),
        text: Some(TextHash::of_message(&entry.memory.content)),
    });
    Ok((text, shown.collect()))
}

async fn fenced(ctx: &Ctx, session_id: Option<&str>, max_chars: usize) -> Result<(String, Vec<Entry>)> {
    let nonce = ctx.nonce()?;
    let room = max_chars.saturating_sub(fence::wrap("", &nonce).chars().count());
    let with_reflection = reflection_came_along(ctx).await?.is_none();
    let shown = ShownBefore::by_session(ctx, session_id).await?;
    let Body { text, entries } = Body::gather(ctx, room, with_reflection, &shown).await?;
    let text = if entries.is_empty() { String::new() } else { fence::wrap(&text, &nonce) };
    Ok((text, entries))
}

/// The same for a file that is kept up to date: without a fence, without a receipt, and always with the reflection.
///
/// # Errors
/// When the store fails.
pub(crate) async fn unfenced(ctx: &Ctx, room: usize) -> Result<Option<String>> {
    let body = Body::gather(ctx, room, true, &ShownBefore::default()).await?;
    Ok((!body.text.is_empty()).then_some(body.text))
}

// What is handed over, and from which memories it is.
#[derive(Default)]
struct Body {
    text: String,
    entries: Vec<Entry>,
}

struct Entry {
    memory: Memory,
    section: &'static str,
    line: String,
}

impl Body {
    async fn gather(ctx: &Ctx, room: usize, with_reflection: bool, shown: &ShownBefore) -> Result<Self> {
        let mut body = Self::default();
        // The most important ones are chosen first: what comes after them does not matter more because it is new.
        for fact in facts(ctx).await?.into_iter().filter(|fact| !shown.has_memory(fact)) {
            let line = format!("- {}", one_line(&fact.content, EACH));
            if !body.add("known", KNOWN, fact, line, room) {
                return Ok(body);
            }
        }
        let reflection = if with_reflection { latest_reflection(ctx).await? } else { None };
        if let Some(reflection) = reflection.filter(|reflection| !shown.has_memory(reflection)) {
            let most = room_for_reflection(room).saturating_sub(INSIGHT.len() + 2);
            let line = one_line(&reflection.content, most.min(EACH));
            body.add(REFLECTION_SECTION, INSIGHT, reflection, line, room);
        }
        Ok(body)
    }

    // Whether it fitted.
    fn add(&mut self, section: &'static str, heading: &str, memory: Memory, line: String, room: usize) -> bool {
        let mut text = self.text.clone();
        let is_first = !self.entries.iter().any(|entry| entry.section == section);
        for part in [heading].into_iter().filter(|_| is_first).chain([line.as_str()]) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(part);
        }
        if line.is_empty() || text.chars().count() > room {
            return false;
        }
        self.text = text;
        self.entries.push(Entry { memory, section, line });
        true
    }
}

// The most important facts that still hold. What came from a tool or the web is not handed over unasked.
async fn facts(ctx: &Ctx) -> Result<Vec<Memory>> {
    let store = ctx.store().await?;
    let filter = Filter::default().and_equal(Field::Kind, Kind::Fact.name()).and_not_foreign();
    let order = Order::parse("importance").map_err(EngineError::defect)?;
    // Some no longer hold.
    let query = ListQuery { filter, order, limit: 4 * FACTS, ..ListQuery::default() };
    let mut facts = store.list(ctx.view(), query).await?.memories;
    let outdated = store.outdated(ctx.view(), facts.iter().map(|fact| fact.id).collect()).await?;
    let outdated: BTreeSet<MemoryId> = outdated.into_iter().map(|outdated| outdated.id).collect();
    let gone = gone_mentions(ctx, &facts).await?;
    facts.retain(|fact| {
        !outdated.contains(&fact.id) && !gone.contains_key(&fact.id) && Injection::of(fact) != Some(Injection::Never)
    });
    facts.sort_by_key(|fact| Injection::of(fact) != Some(Injection::Always));
    facts.truncate(FACTS);
    Ok(facts)
}

fn one_line(text: &str, max_chars: usize) -> String {
    let line = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= max_chars {
        return line;
    }
    let short: String = line.chars().take(max_chars.saturating_sub(1)).collect();
    if short.is_empty() { short } else { format!("{short}…") }
}
