//! Cookies of people who entered a token in a page.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use scrubjay_engine::Ctx;

use super::owner::hex;
use crate::Result;

/// The cookie's name.
pub(crate) const COOKIE: &str = "scrubjay_session";

/// How long a cookie is good for.
const LIFE: Duration = Duration::from_secs(7 * 86_400);

/// More people than this do not sit before one machine.
const AT_MOST: usize = 1000;

/// The cookies that were given. A cookie is worth what its token is worth now, so
/// that both end together; all of them end with the daemon.
#[derive(Default)]
pub struct Browsers {
    known: Mutex<HashMap<[u8; 32], (blake3::Hash, Duration)>>,
}

impl Browsers {
    /// A new cookie in place of the token with this hash.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn admit(&self, ctx: &Ctx, token: blake3::Hash) -> Result<String> {
        let value = hex(&ctx.random::<32>()?);
        let now = ctx.elapsed();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, until)| *until > now);
        if known.len() >= AT_MOST {
            known.clear();
        }
        known.insert(*blake3::hash(value.as_bytes()).as_bytes(), (token, now + LIFE));
        Ok(value)
    }

    /// The hash of the token that a cookie stands for.
    #[must_use]
    pub fn find(&self, value: &str, now: Duration) -> Option<blake3::Hash> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (token, until) = known.get(blake3::hash(value.as_bytes()).as_bytes())?;
        (*until > now).then_some(*token)
    }

    /// Ends a cookie.
    pub fn dismiss(&self, value: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(blake3::hash(value.as_bytes()).as_bytes());
    }
}
