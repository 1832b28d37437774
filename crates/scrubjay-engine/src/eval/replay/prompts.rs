//! The prompts that were captured.

use scrubjay_core::filter::{Cursor, Field, Filter, Operator, Scalar, Test};
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::time::Timestamp;
use scrubjay_store::query::{Activity, ListQuery};

use crate::{Ctx, Result};

/// Memories read at a time.
const PAGE: usize = 500;

/// The newest prompts of a project, newest first. What tools printed and pages said is no prompt.
pub(super) async fn newest(ctx: &Ctx, since: Option<Timestamp>, limit: usize) -> Result<Vec<Memory>> {
    let store = ctx.store().await?;
    let mut filter = Filter::default()
        .and_equal(Field::Kind, Kind::Episode.name())
        .and_equal(Field::Role, "user")
        .and_equal(Field::Scope, ctx.view().home().to_string())
        .and_not_foreign();
    if let Some(since) = since {
        filter = filter.and(Field::EventTime, compare(Operator::GreaterOrEqual, since));
    }
    let mut prompts = Vec::new();
    let mut after: Option<Cursor> = None;
    loop {
        let wanted = limit.saturating_sub(prompts.len()).min(PAGE);
        if wanted == 0 {
            return Ok(prompts);
        }
        let query = ListQuery { filter: filter.clone(), limit: wanted, after, ..ListQuery::default() };
        let page = store.list(ctx.view(), query).await?;
        prompts.extend(page.memories);
        after = page.next;
        if after.is_none() {
            return Ok(prompts);
        }
    }
}

/// The last messages of a prompt's conversation before it, oldest first.
pub(super) async fn said_before(ctx: &Ctx, prompt: &Memory, count: usize) -> Result<Vec<String>> {
    let Some(session_id) = &prompt.session_id else { return Ok(Vec::new()) };
    let filter = Filter::default()
        .and_equal(Field::SessionId, session_id)
        .and_equal(Field::Kind, Kind::Episode.name())
        .and(Field::EventTime, compare(Operator::Less, prompt.event_time));
    let activity = Activity::NotEndedBy(prompt.event_time);
    let query = ListQuery { filter, activity, limit: count, ..ListQuery::default() };
    let page = ctx.store().await?.list(ctx.view(), query).await?;
    Ok(page.memories.into_iter().rev().map(|memory| memory.content).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a time in milliseconds has 41 bits")]
fn compare(operator: Operator, time: Timestamp) -> Test {
    Test::Compare(operator, Scalar::Number(time.millis() as f64))
}
