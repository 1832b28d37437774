//! Short-lived secrets that stand for a token: the cookies of people who signed
//! in, and the links that sign in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::sources::Clock;

use super::owner::hex;
use crate::Result;

/// The beginning of the cookie's name. The port follows, because a browser sends the cookies of a host to all its ports:
/// two daemons would take each other's place.
const COOKIE: &str = "scrubjay_session";

/// The name of the cookie of a daemon on this port.
pub(crate) fn cookie_name(port: u16) -> String {
    format!("{COOKIE}_{port}")
}

/// How long a cookie is good for.
pub(crate) const COOKIE_LIFE: Duration = Duration::from_secs(7 * 86_400);

/// How long a link is good for. It is opened by a program, at once.
pub(crate) const LINK_LIFE: Duration = Duration::from_secs(60);

/// More people than this do not sit before one machine.
const AT_MOST: usize = 1000;

/// Secrets that were given in place of a token. Each is worth what its token is
/// worth now, so that both end together; all of them end with the daemon.
pub struct Secrets {
    life: Duration,
    // The same for giving and for looking: each clock counts from its own beginning.
    clock: Arc<dyn Clock>,
    known: Mutex<HashMap<[u8; 32], (blake3::Hash, Duration)>>,
}

impl Secrets {
    /// None yet; each will be good for so long.
    #[must_use]
    pub fn new(life: Duration, clock: Arc<dyn Clock>) -> Self {
        Self { life, clock, known: Mutex::default() }
    }

    /// A new one in place of the token with this hash.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn issue(&self, ctx: &Ctx, token: blake3::Hash) -> Result<String> {
        let value = hex(&ctx.random::<32>()?);
        let now = self.clock.elapsed();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, until)| *until > now);
        if known.len() >= AT_MOST {
            known.clear();
        }
        known.insert(*blake3::hash(value.as_bytes()).as_bytes(), (token, now + self.life));
        Ok(value)
    }

    /// The hash of the token that it stands for.
    #[must_use]
    pub fn find(&self, value: &str) -> Option<blake3::Hash> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (token, until) = known.get(blake3::hash(value.as_bytes()).as_bytes())?;
        (*until > self.clock.elapsed()).then_some(*token)
    }

    /// The same, and it is good no more.
    pub fn take(&self, value: &str) -> Option<blake3::Hash> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (token, until) = known.remove(blake3::hash(value.as_bytes()).as_bytes())?;
        (until > self.clock.elapsed()).then_some(token)
    }
}

#[cfg(test)]
mod tests {
    use scrubjay_test::TestApp;

    use super::*;

    #[test]
    fn a_secret_is_good_until_it_is_taken_or_old() {
        let app = TestApp::in_memory();
        let secrets = Secrets::new(LINK_LIFE, Arc::clone(app.owner.clock()));
        let token = blake3::hash(b"token");
        let one = secrets.issue(&app.owner, token).unwrap();
        assert_eq!(secrets.find(&one[1..]), None);
        assert_eq!(secrets.find(&one), Some(token));
        assert_eq!(secrets.take(&one), Some(token));
        assert_eq!((secrets.take(&one), secrets.find(&one)), (None, None));
        let late = secrets.issue(&app.owner, token).unwrap();
        app.clock.advance(LINK_LIFE / 2);
        assert_eq!(secrets.find(&late), Some(token));
        app.clock.advance(LINK_LIFE / 2);
        assert_eq!((secrets.find(&late), secrets.take(&late)), (None, None));
        for _ in 0..=2 * AT_MOST {
            secrets.issue(&app.owner, token).unwrap();
        }
        assert!(secrets.known.lock().unwrap().len() <= AT_MOST);
    }
}
