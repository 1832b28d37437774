//! The latest reflection, and when it comes along.
//!
//! A reflection fits everything, and so nothing in particular. It comes along at most once a day from each scope,
//! whatever the session, and takes no more than a fifth of the room.

use scrubjay_core::filter::{Field, Filter};
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::time::Timestamp;
use scrubjay_store::query::ListQuery;

use super::standpoint::Standpoint;
use crate::{Ctx, Result};

/// The name of the part that it stands in.
pub const REFLECTION_SECTION: &str = "insight";

/// How often it comes along.
const EVERY_MS: i64 = 86_400_000;

/// What part of the room it may take, its heading included: one of so many.
const PART: usize = 5;

/// The room that it may take, heading included.
#[must_use]
pub fn room_for_reflection(whole: usize) -> usize {
    whole / PART
}

/// The latest reflection that may be handed over: none that is a tool's or a page's, which must not hide the latest of
/// our own.
///
/// # Errors
/// When the store fails.
pub async fn latest_reflection(ctx: &Ctx) -> Result<Option<Memory>> {
    latest_reflection_from(ctx, Standpoint::Now).await
}

/// The same, as it was from there.
///
/// # Errors
/// When the store fails.
pub(super) async fn latest_reflection_from(ctx: &Ctx, standpoint: Standpoint) -> Result<Option<Memory>> {
    let filter = Filter::default().and_equal(Field::Kind, Kind::Reflection.name()).and_not_foreign();
    let (filter, activity) = standpoint.narrow(filter);
    let query = ListQuery { filter, activity, limit: 1, ..ListQuery::default() };
    let page = ctx.store().await?.list(ctx.view(), query).await?;
    Ok(page.memories.into_iter().next())
}

/// When one came along here within the last day.
///
/// # Errors
/// When the store fails.
pub async fn reflection_came_along(ctx: &Ctx) -> Result<Option<Timestamp>> {
    let since = ctx.now().plus_millis(-EVERY_MS);
    Ok(ctx.store().await?.last_handed_over(ctx.view(), REFLECTION_SECTION, since).await?)
}
