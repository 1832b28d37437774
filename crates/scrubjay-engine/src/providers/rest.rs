//! What is known about a provider that fails, shared between processes.
//!
//! A command that runs for a moment would otherwise try a provider that has been down for hours, each time anew.

use scrubjay_models::http::{Breaker, Rest};
use scrubjay_store::Store;

use crate::Result;

/// How a provider does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing is known against it.
    Well,
    /// It fails, since and until when it is left alone, in milliseconds since 1970.
    Failing(Rest),
}

/// What was last noted about a provider.
///
/// # Errors
/// When the store fails.
pub async fn standing(store: &dyn Store, place: &str) -> Result<Standing> {
    Ok(read(store, place).await?.map_or(Standing::Well, Standing::Failing))
}

/// Takes over what another process noted.
pub(crate) async fn adopt(store: &dyn Store, place: &str, breaker: &Breaker) -> Result<()> {
    if breaker.rest().is_none()
        && let Some(rest) = read(store, place).await?
    {
        breaker.adopt(rest);
    }
    Ok(())
}

/// Notes what changed since `before`.
pub(crate) async fn note(store: &dyn Store, place: &str, breaker: &Breaker, before: Option<Rest>) -> Result<()> {
    let now = breaker.rest();
    if now == before {
        return Ok(());
    }
    let number = |value: Option<i64>| u64::try_from(value.unwrap_or(0)).unwrap_or(0);
    store.set_mark(&name(place, "since"), number(now.map(|rest| rest.since_ms))).await?;
    Ok(store.set_mark(&name(place, "until"), number(now.map(|rest| rest.until_ms))).await?)
}

/// Forgets that a provider fails, because a person wants it to be asked now.
///
/// # Errors
/// When the store fails.
pub async fn ask_again(store: &dyn Store, place: &str, breaker: Option<&Breaker>) -> Result<()> {
    if let Some(breaker) = breaker {
        breaker.succeeded();
    }
    for what in ["since", "until"] {
        if store.mark(&name(place, what)).await?.is_some_and(|value| value > 0) {
            store.set_mark(&name(place, what), 0).await?;
        }
    }
    Ok(())
}

async fn read(store: &dyn Store, place: &str) -> Result<Option<Rest>> {
    let number = |value: Option<u64>| i64::try_from(value.unwrap_or(0)).unwrap_or(0);
    let until_ms = number(store.mark(&name(place, "until")).await?);
    if until_ms == 0 {
        return Ok(None);
    }
    let since_ms = number(store.mark(&name(place, "since")).await?);
    Ok(Some(Rest { until_ms, since_ms }))
}

fn name(place: &str, what: &str) -> String {
    format!("provider:{place}:{what}")
}
