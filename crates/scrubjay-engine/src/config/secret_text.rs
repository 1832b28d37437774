//! A key in the settings, which never shows itself.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

/// What stands for a key where it is shown.
const SHOWN: &str = "…";

/// A key. Display, Debug and serialisation tell whether there is one and nothing else; only [`SecretText::expose`]
/// gives it out, to whoever calls the provider.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct SecretText(String);

impl SecretText {
    /// Wraps a key as it is.
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// The key itself.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for SecretText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_empty() { "" } else { SHOWN })
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SecretText({self})")
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_not_show_itself() {
        let key = SecretText::new("sk-canary");
        assert_eq!(key.expose(), "sk-canary");
        let shown = format!("{key} {key:?} {}", serde_json::to_string(&key).unwrap());
        assert!(!shown.contains("canary") && shown.contains(SHOWN));
        assert_eq!(SecretText::default().to_string(), "");
    }
}
