//! What every call to a model passes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use scrubjay_core::redact::redact;
use scrubjay_core::time::Timestamp;
use scrubjay_models::http::{Breaker, Rest};
use scrubjay_store::Store;

use super::ledger::Account;
use super::rest;
use crate::Result;
use crate::sources::Clock;

/// Stands before a model: keeps the books, and shares with other processes what is known about its provider.
pub(crate) struct Guard {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) account: Account,
    /// The provider's place and how it does; none for models inside of this process.
    pub(crate) breaker: Option<(String, Arc<Breaker>)>,
    pub(crate) adopted: AtomicBool,
}

/// What was known when a call began.
pub(crate) struct Begun(Option<Rest>);

impl Guard {
    /// Before a call that may take so many tokens, read and written; gives the reason if there must be none.
    pub(crate) async fn begin(&self, estimate: (u64, u64)) -> Result<std::result::Result<Begun, String>> {
        if let Some(why) = self.account.paused(&*self.store, self.now(), estimate).await? {
            return Ok(Err(why));
        }
        let Some((place, breaker)) = &self.breaker else { return Ok(Ok(Begun(None))) };
        if !self.adopted.swap(true, Ordering::SeqCst) {
            rest::adopt(&*self.store, place, breaker).await?;
        }
        let before = breaker.rest();
        if self.account.counts_calls {
            let now_ms = self.now().millis();
            if let Some(rest) = before.filter(|rest| rest.until_ms > now_ms) {
                let seconds = (rest.until_ms - now_ms) / 1000;
                let model = &self.account.model;
                return Ok(Err(format!("{model} failed a moment ago and is tried again in {} s", seconds.max(1))));
            }
            // Before it is made: nobody knows what a program did that was cut off.
            self.account.note(&*self.store, self.now(), 1, (0, 0), 1.0).await?;
        }
        Ok(Ok(Begun(before)))
    }

    /// After a call, whatever came of it.
    pub(crate) async fn end(&self, begun: Begun, calls: u64, tokens: (u64, u64)) -> Result<()> {
        let calls = if self.account.counts_calls { 0 } else { calls };
        self.account.note(&*self.store, self.now(), calls, tokens, 1.0).await?;
        match &self.breaker {
            Some((place, breaker)) => rest::note(&*self.store, place, breaker, begun.0).await,
            None => Ok(()),
        }
    }

    /// Whether texts go to someone else, even if that is another program on this machine.
    pub(crate) fn is_outside(&self) -> bool {
        self.breaker.is_some()
    }

    /// A text without secrets, if it goes to someone else. What is stored has none any more; a question may.
    pub(crate) fn clean(&self, text: &str) -> String {
        if self.is_outside() { redact(text).text } else { text.to_owned() }
    }

    /// Notes that the provider took too long for us.
    pub(crate) fn took_too_long(&self) {
        if let Some((_, breaker)) = &self.breaker {
            breaker.failed(self.now().millis(), None);
        }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}
