//! Clients for providers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use scrubjay_models::http::{Address, Breaker, CallError, Endpoint, HttpClient, Outside, Policy, Secret};

use crate::config::Settings;
use crate::provider_list::Provider;
use crate::sources::{Clock, Entropy};

/// The clock and chance of the engine, as a client wants them.
pub(crate) struct Senses {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
}

impl Outside for Senses {
    fn now_ms(&self) -> i64 {
        self.clock.now().millis()
    }

    fn random(&self) -> u64 {
        let mut bytes = [0; 8];
        // Without randomness retries are not spread, which harms nobody.
        drop(self.entropy.fill(&mut bytes));
        u64::from_le_bytes(bytes)
    }
}

/// A client for a provider at an address. `key` stands for the one of the settings.
pub(crate) fn client(
    settings: &Settings,
    senses: Senses,
    provider: Provider,
    url: &str,
    key: Option<Secret>,
) -> Result<HttpClient, CallError> {
    let name = provider.name.to_owned();
    let address =
        Address::parse(url).map_err(|why| CallError::Address { provider: name.clone(), address: shown(url), why })?;
    let own = || provider.key(&settings.keys).and_then(|key| Secret::new(key.expose()));
    let key = key.or_else(own);
    if key.is_none() && provider.needs_key(url) {
        return Err(CallError::NoKey { provider: name, variable: provider.key_variable().to_owned() });
    }
    let header = provider.api_key.as_ref().map_or(("authorization", "Bearer "), |key| key.header);
    let headers = provider.headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let policy = if address.is_local() {
        Policy { timeout: Duration::from_millis(settings.network.local_timeout_ms), ..Policy::LOCAL }
    } else {
        Policy { timeout: Duration::from_millis(settings.network.timeout_ms), ..Policy::REMOTE }
    };
    let place = Endpoint { provider: name, address, key: key.map(|key| (header.0, header.1, key)), headers };
    let authorities = Some(settings.network.ca_file.as_str()).filter(|path| !path.is_empty()).map(Path::new);
    HttpClient::new(place, policy, Arc::new(Breaker::default()), Arc::new(senses), authorities)
}

/// The name under which others learn how a provider at an address does.
#[must_use]
pub fn place_name(provider: Provider, url: &str) -> String {
    format!("{}@{}", provider.name, shown(url))
}

// An address that cannot be read may hold anything, a password too.
fn shown(url: &str) -> String {
    Address::parse(url).map_or_else(|_| "…".to_owned(), |address| address.to_string())
}
