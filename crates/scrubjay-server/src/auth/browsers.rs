//! Cookies of people who entered a token in a page.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use scrubjay_engine::Ctx;

use super::grant::Grant;
use super::owner::hex;
use crate::Result;

/// The cookie's name.
pub(crate) const COOKIE: &str = "scrubjay_session";

/// How long a cookie is good for.
const LIFE: Duration = Duration::from_secs(7 * 86_400);

/// More people than this do not sit before one machine.
const AT_MOST: usize = 1000;

/// The cookies that are good. They end with the daemon.
#[derive(Default)]
pub struct Browsers {
    known: Mutex<HashMap<[u8; 32], (Grant, Duration)>>,
}

impl Browsers {
    /// A new cookie that is worth as much as the token it was given for.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn admit(&self, ctx: &Ctx, grant: Grant) -> Result<String> {
        let value = hex(&ctx.random::<32>()?);
        let now = ctx.elapsed();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, until)| *until > now);
        if known.len() >= AT_MOST {
            known.clear();
        }
        known.insert(*blake3::hash(value.as_bytes()).as_bytes(), (grant, now + LIFE));
        Ok(value)
    }

    /// What a cookie is worth.
    #[must_use]
    pub fn find(&self, value: &str, now: Duration) -> Option<Grant> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (grant, until) = known.get(blake3::hash(value.as_bytes()).as_bytes())?;
        (*until > now).then(|| grant.clone())
    }

    /// Ends a cookie.
    pub fn dismiss(&self, value: &str) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(blake3::hash(value.as_bytes()).as_bytes());
    }
}
