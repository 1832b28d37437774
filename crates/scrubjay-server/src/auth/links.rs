//! Links that sign a browser in once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use scrubjay_engine::Ctx;

use super::owner::hex;
use crate::Result;

/// How long a link is good for. It is opened by a program, at once.
pub(crate) const LINK_LIFE: Duration = Duration::from_secs(60);

/// More links than this are not open at once.
const AT_MOST: usize = 100;

/// The links that were given and not used. A link is worth what its token is
/// worth when it is used.
#[derive(Default)]
pub struct Links {
    known: Mutex<HashMap<[u8; 32], (blake3::Hash, Duration)>>,
}

impl Links {
    /// The secret of a new link in place of the token with this hash.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn create(&self, ctx: &Ctx, token: blake3::Hash, now: Duration) -> Result<String> {
        let key = hex(&ctx.random::<32>()?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, until)| *until > now);
        if known.len() >= AT_MOST {
            known.clear();
        }
        known.insert(*blake3::hash(key.as_bytes()).as_bytes(), (token, now + LINK_LIFE));
        Ok(key)
    }

    /// The hash of the token that a link stands for. A link is good once.
    #[must_use]
    pub fn redeem(&self, key: &str, now: Duration) -> Option<blake3::Hash> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (token, until) = known.remove(blake3::hash(key.as_bytes()).as_bytes())?;
        (until > now).then_some(token)
    }
}

#[cfg(test)]
mod tests {
    use scrubjay_test::TestApp;

    use super::*;

    #[test]
    fn a_link_is_good_once_and_not_for_long() {
        let app = TestApp::in_memory();
        let links = Links::default();
        let (token, start) = (blake3::hash(b"token"), Duration::from_secs(5));
        let key = links.create(&app.owner, token, start).unwrap();
        assert_eq!(links.redeem(&key[1..], start), None);
        assert_eq!(links.redeem(&key, start + LINK_LIFE / 2), Some(token));
        assert_eq!(links.redeem(&key, start + LINK_LIFE / 2), None);
        let late = links.create(&app.owner, token, start).unwrap();
        assert_eq!(links.redeem(&late, start + LINK_LIFE), None);
        for _ in 0..2 * AT_MOST {
            links.create(&app.owner, token, start).unwrap();
        }
        assert!(links.known.lock().unwrap().len() <= AT_MOST);
    }
}
