//! What is known about models by their names.
//!
//! A model that is not here works too: its dimensions are found out, its texts get no prefix.

use crate::prefix::PrefixScheme;

/// What is known about a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Values per vector, as the model gives them or as we ask for.
    pub dimensions: usize,
    /// Whether the provider is to be asked for these dimensions, because the model has more.
    pub shortened: bool,
    /// What is put before texts.
    pub prefix_scheme: PrefixScheme,
    /// The longest text in tokens.
    pub max_tokens: usize,
}

/// What is known about a model, by the name that its provider gives it. Owner and tag do not count:
/// `org/nomic-embed-text:v1.5` is `nomic-embed-text`.
#[must_use]
pub fn known(model: &str) -> Option<Known> {
    let name = model.rsplit('/').next().unwrap_or_default().split(':').next().unwrap_or_default().to_ascii_lowercase();
    let custom =
        |document: &str, query: &str| PrefixScheme::Custom { document: document.to_owned(), query: query.to_owned() };
    let instructed = || custom("", "Represent this sentence for searching relevant passages: ");
    // The longest beginning that fits decides.
    let table = [
        ("text-embedding-3-small", 1536, false, PrefixScheme::None, 8191),
        ("text-embedding-3-large", 256, true, PrefixScheme::None, 8191),
        ("text-embedding-ada-002", 1536, false, PrefixScheme::None, 8191),
        ("gemini-embedding", 768, true, PrefixScheme::None, 2048),
        ("nomic-embed-text", 768, false, PrefixScheme::Nomic, 2048),
        ("mxbai-embed-large", 1024, false, instructed(), 512),
        ("snowflake-arctic-embed", 1024, false, instructed(), 512),
        ("bge-small-en", 384, false, instructed(), 512),
        ("bge-base-en", 768, false, instructed(), 512),
        ("bge-large-en", 1024, false, instructed(), 512),
        ("bge-m3", 1024, false, PrefixScheme::None, 8192),
        ("all-minilm-l6", 384, false, PrefixScheme::None, 256),
        ("all-minilm", 384, false, PrefixScheme::None, 256),
        ("embeddinggemma", 768, false, custom("title: none | text: ", "task: search result | query: "), 2048),
        ("multilingual-e5-small", 384, false, PrefixScheme::E5, 512),
        ("multilingual-e5-base", 768, false, PrefixScheme::E5, 512),
        ("multilingual-e5-large", 1024, false, PrefixScheme::E5, 512),
        ("e5-small", 384, false, PrefixScheme::E5, 512),
        ("e5-base", 768, false, PrefixScheme::E5, 512),
        ("e5-large", 1024, false, PrefixScheme::E5, 512),
    ];
    let fitting = table.into_iter().filter(|(beginning, ..)| name.starts_with(beginning));
    fitting.max_by_key(|(beginning, ..)| beginning.len()).map(
        |(_, dimensions, shortened, prefix_scheme, max_tokens)| Known {
            dimensions,
            shortened,
            prefix_scheme,
            max_tokens,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_name() {
        for (model, dimensions, scheme) in [
            ("nomic-embed-text", 768, "nomic"),
            ("nomic-ai/nomic-embed-text:v1.5", 768, "nomic"),
            ("text-embedding-3-large", 256, "none"),
            ("intfloat/multilingual-e5-small", 384, "e5"),
            ("embeddinggemma-300M-Q8_0.gguf", 768, "custom-2d6bd98d3c9e9a9d"),
        ] {
            let known = known(model).unwrap();
            assert_eq!(known.dimensions, dimensions, "{model}");
            let name = known.prefix_scheme.name();
            assert!(name == scheme || (name.starts_with("custom-") && scheme.starts_with("custom-")), "{model} {name}");
        }
        assert_eq!(known("something-else"), None);
    }
}
