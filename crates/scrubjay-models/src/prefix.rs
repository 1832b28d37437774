//! What models want to have put before a text.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The prefixes of a model. Vectors made with another scheme are in another space.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrefixScheme {
    /// Texts as they are.
    #[default]
    None,
    /// `search_document: ` and `search_query: `.
    Nomic,
    /// `passage: ` and `query: `.
    E5,
    /// Any others.
    Custom {
        /// Before a text to be found.
        document: String,
        /// Before a question.
        query: String,
    },
}

impl PrefixScheme {
    /// A short name that differs wherever the prefixes differ, of letters, digits and hyphens.
    #[must_use]
    pub fn name(&self) -> Cow<'static, str> {
        match self {
            Self::None => Cow::Borrowed("none"),
            Self::Nomic => Cow::Borrowed("nomic"),
            Self::E5 => Cow::Borrowed("e5"),
            Self::Custom { document, query } => {
                let bytes = document.bytes().chain([0]).chain(query.bytes());
                let hash = bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
                });
                Cow::Owned(format!("custom-{hash:016x}"))
            }
        }
    }

    /// A text to be found, with its prefix.
    #[must_use]
    pub fn document<'text>(&self, text: &'text str) -> Cow<'text, str> {
        prefixed(self.prefixes().0, text)
    }

    /// A question, with its prefix.
    #[must_use]
    pub fn query<'text>(&self, text: &'text str) -> Cow<'text, str> {
        prefixed(self.prefixes().1, text)
    }

    fn prefixes(&self) -> (&str, &str) {
        match self {
            Self::None => ("", ""),
            Self::Nomic => ("search_document: ", "search_query: "),
            Self::E5 => ("passage: ", "query: "),
            Self::Custom { document, query } => (document, query),
        }
    }
}

fn prefixed<'text>(prefix: &str, text: &'text str) -> Cow<'text, str> {
    if prefix.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{text}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_has_its_prefixes_and_its_name() {
        let custom = |document: &str, query: &str| PrefixScheme::Custom {
            document: document.to_owned(),
            query: query.to_owned(),
        };
        assert_eq!(PrefixScheme::None.document("x"), "x");
        assert_eq!(PrefixScheme::Nomic.document("x"), "search_document: x");
        assert_eq!(PrefixScheme::E5.query("x"), "query: x");
        assert_eq!(custom("d", "q").query("x"), "qx");
        let names = [
            PrefixScheme::None.name(),
            PrefixScheme::Nomic.name(),
            PrefixScheme::E5.name(),
            custom("a", "b").name(),
            custom("b", "a").name(),
            custom("ab", "").name(),
        ];
        for (place, name) in names.iter().enumerate() {
            assert!(!names[place + 1..].contains(name), "{names:?}");
        }
    }
}
