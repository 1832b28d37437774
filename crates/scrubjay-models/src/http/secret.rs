//! A key that never shows itself.

use std::fmt;

/// A key of a provider. It has no `Display`, its `Debug` shows nothing, and it is given out to whoever makes a request
/// only.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A key as it was found; white space around it is not part of it. None if nothing is left.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// The key itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// A text in which the key does not stand any more.
    #[must_use]
    pub fn removed_from(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_does_not_show_itself() {
        let key = Secret::new(" sk-canary \n").unwrap();
        assert_eq!(key.expose(), "sk-canary");
        assert!(!format!("{key:?} {:?}", Some(&key)).contains("canary"));
        assert_eq!(key.removed_from("wrong key sk-canary!"), "wrong key …!");
        assert_eq!(Secret::new(" "), None);
    }
}
