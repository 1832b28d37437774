//! The settings that follow from the list of model providers: their names, their keys, what their models cost.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::rule::Rule;
use super::schema::{Setting, SettingPath, Visitor};
use super::secret_text::SecretText;
use crate::provider_list::Provider;

/// `[keys]`: the keys of providers. Better kept in the environment; never shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Keys(BTreeMap<&'static str, SecretText>);

impl Keys {
    /// The key of a provider; none if it wants none.
    #[must_use]
    pub fn get(&self, provider: &str) -> Option<&SecretText> {
        self.0.get(provider)
    }

    /// Sets the key of a provider that wants one.
    #[cfg(test)]
    pub(crate) fn set(&mut self, provider: &str, key: SecretText) {
        *self.0.get_mut(provider).unwrap() = key;
    }
}

impl Default for Keys {
    fn default() -> Self {
        Self(with_key().map(|provider| (provider.name, SecretText::default())).collect())
    }
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut keys = Self::default();
        for (name, key) in BTreeMap::<String, SecretText>::deserialize(deserializer)? {
            let unknown = || D::Error::custom(format!("there is no provider `{name}` that wants a key"));
            *keys.0.get_mut(name.as_str()).ok_or_else(unknown)? = key;
        }
        Ok(keys)
    }
}

impl Setting for Keys {
    fn visit(&mut self, place: &SettingPath, visitor: &mut Visitor<'_>) {
        for provider in with_key() {
            let about = provider.descriptor().api_key.as_ref().map_or("", |key| key.about);
            let key = self.0.entry(provider.name).or_default();
            key.visit(&place.child(provider.name, about, Rule::Any), visitor);
        }
    }
}

/// What `embedding.provider` may be.
pub(super) fn embedding_providers() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let names = Provider::all().filter(|provider| provider.embeds()).map(|provider| provider.descriptor().name);
        ["none", "auto"].into_iter().chain(names).collect()
    });
    &NAMES
}

/// What `chat.provider` may be.
pub(super) fn chat_providers() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let names = Provider::all().filter(|provider| provider.chats()).map(|provider| provider.descriptor().name);
        ["none"].into_iter().chain(names).collect()
    });
    &NAMES
}

/// What the usual models cost, in dollars per million tokens, as their vendors list it.
pub(super) fn prices() -> Vec<String> {
    Provider::all()
        .flat_map(|provider| provider.prices.iter().map(move |price| format!("{}/{price}", provider.name)))
        .collect()
}

/// The variables in which vendors' own programs look for a key, and the setting that each stands for unless something
/// else sets it. A later one wins.
#[must_use]
pub fn vendor_variables() -> Vec<(&'static str, String)> {
    let of = |provider: Provider| {
        let variables = provider.descriptor().api_key.iter().flat_map(|key| key.variables);
        variables.map(move |variable| (*variable, format!("keys.{}", provider.name))).collect::<Vec<_>>()
    };
    Provider::all().flat_map(of).collect()
}

fn with_key() -> impl Iterator<Item = Provider> {
    Provider::all().filter(|provider| provider.api_key.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_nobody_are_refused() {
        assert!(toml_edit::de::from_str::<Keys>("openai = \"a\"\n").is_ok());
        for other in ["ollama = \"a\"\n", "openia = \"a\"\n"] {
            assert!(toml_edit::de::from_str::<Keys>(other).is_err(), "{other}");
        }
    }

    #[test]
    fn a_later_variable_of_a_vendor_wins() {
        let gemini: Vec<_> = vendor_variables().into_iter().filter(|(_, key)| key == "keys.gemini").collect();
        assert_eq!(gemini.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["GOOGLE_API_KEY", "GEMINI_API_KEY"]);
    }
}
