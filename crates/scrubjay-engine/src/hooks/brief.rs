//! What a session begins with: the latest reflection and the facts that matter
//! most here.

use scrubjay_core::fence;
use scrubjay_core::filter::{Field, Filter, Order};
use scrubjay_core::memory::Kind;
use scrubjay_core::visible::visible;
use scrubjay_store::query::ListQuery;

use crate::{Ctx, EngineError, Result};

/// How many facts.
const FACTS: usize = 8;

/// The most that is taken of one memory, in characters.
const EACH: usize = 500;

/// What a session should know from the start, fenced; none if nothing is known.
/// `max_chars` bounds the whole.
///
/// # Errors
/// When the store fails.
pub async fn brief(ctx: &Ctx, max_chars: usize) -> Result<Option<String>> {
    let nonce = ctx.nonce()?;
    let room = max_chars.saturating_sub(fence::wrap("", &nonce).chars().count());
    Ok(unfenced(ctx, room).await?.map(|body| fence::wrap(&body, &nonce)))
}

/// The same without its fence.
///
/// # Errors
/// When the store fails.
pub(crate) async fn unfenced(ctx: &Ctx, room: usize) -> Result<Option<String>> {
    let facts = list(ctx, Kind::Fact, "importance", FACTS).await?;
    let reflection = list(ctx, Kind::Reflection, "event_time", 1).await?;
    let mut lines = Vec::new();
    if !facts.is_empty() {
        lines.push("## Known here, from earlier sessions".to_owned());
        lines.extend(facts.iter().map(|fact| format!("- {}", one_line(fact))));
    }
    if let Some(reflection) = reflection.first() {
        lines.push("## Weekly insight".to_owned());
        lines.push(one_line(reflection));
    }
    let mut body = String::new();
    for line in lines {
        if body.chars().count() + line.chars().count() + 1 > room {
            break;
        }
        if !body.is_empty() {
            body.push('\n');
        }
        body.push_str(&line);
    }
    Ok((!body.is_empty()).then_some(body))
}

// Texts of one kind. What came from a tool or the web is not handed over
// unasked.
async fn list(ctx: &Ctx, kind: Kind, order: &str, limit: usize) -> Result<Vec<String>> {
    let filter = Filter::default().and_equal(Field::Kind, kind.name()).and_not_foreign();
    let order = Order::parse(order).map_err(EngineError::invalid)?;
    let query = ListQuery { filter, order, limit, ..ListQuery::default() };
    let page = ctx.store().await?.list(ctx.view(), query).await?;
    Ok(page.memories.into_iter().map(|memory| memory.content).collect())
}

fn one_line(text: &str) -> String {
    let line = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(EACH).collect();
    if short.len() < line.len() { format!("{short}…") } else { short }
}
