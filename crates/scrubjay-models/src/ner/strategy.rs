//! Several providers asked in turn.

use std::sync::Arc;

use thiserror::Error;

use super::error::NerError;
use super::mention::Mention;
use super::overlap::{cap, resolve};
use super::provider::{MAX_MENTIONS, Ner};

/// An ordered list of providers: `fast`, `accurate`, or what the configuration names.
#[derive(Clone)]
pub struct Strategy {
    providers: Vec<Arc<dyn Ner>>,
}

/// What the providers of a strategy found, and what kept them from finding more.
#[derive(Debug, Default)]
pub struct Extraction {
    /// The mentions without overlaps, sorted by start, at most [`MAX_MENTIONS`].
    pub mentions: Vec<Mention>,
    /// What a caller should know about their completeness.
    pub warnings: Vec<NerWarning>,
}

/// Why an extraction may be incomplete.
#[derive(Debug, Error)]
pub enum NerWarning {
    /// A provider failed; the mentions are those of the others.
    #[error("the {provider} provider failed")]
    Failed {
        /// The name of the provider.
        provider: &'static str,
        /// Why it failed.
        #[source]
        error: NerError,
    },
    /// A provider gave spans that do not fit the text; they were left out.
    #[error("the {provider} provider gave {count} mentions that are not in the text")]
    NotInText {
        /// The name of the provider.
        provider: &'static str,
        /// How many.
        count: usize,
    },
    /// The text names more than is taken from one text.
    #[error("only {limit} mentions were taken from the text")]
    Capped {
        /// How many were taken.
        limit: usize,
    },
}

impl Strategy {
    /// A strategy that asks `providers` in this order. Of equally good overlapping mentions the first provider's stays.
    #[must_use]
    pub fn new(providers: Vec<Arc<dyn Ner>>) -> Self {
        Self { providers }
    }

    /// The names of its providers, in order.
    #[must_use]
    pub fn provider_names(&self) -> Vec<&'static str> {
        self.providers.iter().map(|provider| provider.name()).collect()
    }

    /// Asks every provider. A failing one becomes a warning and never costs the mentions of the others.
    #[must_use]
    pub fn extract(&self, text: &str) -> Extraction {
        let mut extraction = Extraction::default();
        let mut is_capped = false;
        for provider in &self.providers {
            match provider.mentions(text) {
                Ok(mut mentions) => {
                    is_capped |= mentions.len() >= MAX_MENTIONS;
                    let given = mentions.len();
                    mentions.retain(|mention| is_in_text(mention, text));
                    let count = given - mentions.len();
                    if count > 0 {
                        extraction.warnings.push(NerWarning::NotInText { provider: provider.name(), count });
                    }
                    extraction.mentions.append(&mut mentions);
                }
                Err(error) => extraction.warnings.push(NerWarning::Failed { provider: provider.name(), error }),
            }
        }
        extraction.mentions = resolve(extraction.mentions);
        is_capped |= cap(&mut extraction.mentions);
        if is_capped {
            extraction.warnings.push(NerWarning::Capped { limit: MAX_MENTIONS });
        }
        extraction
    }
}

fn is_in_text(mention: &Mention, text: &str) -> bool {
    mention.start < mention.end && text.get(mention.start..mention.end) == Some(mention.text.as_str())
}

#[cfg(test)]
mod tests {
    use scrubjay_core::entity::EntityType;

    use super::*;
    use crate::ner::{Dictionary, KnownEntity, RegexNer};

    /// A provider that answers every text with the same spans, or fails.
    struct Scripted {
        name: &'static str,
        spans: Option<Vec<(usize, usize, &'static str)>>,
    }

    impl Ner for Scripted {
        fn name(&self) -> &'static str {
            self.name
        }

        fn mentions(&self, _text: &str) -> Result<Vec<Mention>, NerError> {
            let Some(spans) = &self.spans else {
                return Err(NerError::Provider { provider: self.name, source: "the model is not there".into() });
            };
            Ok(spans
                .iter()
                .map(|&(start, end, text)| Mention {
                    start,
                    end,
                    text: text.to_owned(),
                    name: text.to_owned(),
                    entity_type: EntityType::Person,
                    confidence: 0.5,
                    provider: self.name,
                })
                .collect())
        }
    }

    fn scripted(name: &'static str, spans: Option<Vec<(usize, usize, &'static str)>>) -> Arc<dyn Ner> {
        Arc::new(Scripted { name, spans })
    }

    #[test]
    fn a_failing_provider_is_a_warning() {
        let strategy = Strategy::new(vec![scripted("broken", None), scripted("good", Some(vec![(0, 3, "Ann")]))]);
        assert_eq!(strategy.provider_names(), ["broken", "good"]);
        let extraction = strategy.extract("Ann left");
        assert_eq!(extraction.mentions.len(), 1);
        assert!(matches!(extraction.warnings.as_slice(), [NerWarning::Failed { provider: "broken", .. }]));
        assert_eq!(extraction.warnings[0].to_string(), "the broken provider failed");
    }

    #[test]
    fn spans_outside_the_text_are_a_warning() {
        let spans = vec![(0, 3, "Ann"), (0, 3, "Bob"), (2, 99, "x"), (1, 1, "")];
        let extraction = Strategy::new(vec![scripted("odd", Some(spans))]).extract("Ann left");
        assert_eq!(extraction.mentions.len(), 1);
        assert!(matches!(extraction.warnings.as_slice(), [NerWarning::NotInText { provider: "odd", count: 3 }]));
    }

    #[test]
    fn of_equals_the_first_provider_stays() {
        let both = Strategy::new(vec![
            scripted("first", Some(vec![(0, 3, "Ann")])),
            scripted("second", Some(vec![(0, 3, "Ann"), (4, 8, "left")])),
        ]);
        let providers: Vec<_> = both.extract("Ann left").mentions.iter().map(|mention| mention.provider).collect();
        assert_eq!(providers, ["first", "second"]);
    }

    #[test]
    fn known_names_and_shapes_are_found_together() {
        let known = KnownEntity {
            name: "Ann Lee".to_owned(),
            entity_type: EntityType::Person,
            aliases: vec!["ann".to_owned()],
        };
        let Ok(dictionary) = Dictionary::new([known]) else {
            unreachable!("one name always fits");
        };
        let strategy = Strategy::new(vec![Arc::new(RegexNer), Arc::new(dictionary)]);
        let extraction = strategy.extract("Ann Lee wrote to bob@example.org on 2026-05-01");
        let names: Vec<&str> = extraction.mentions.iter().map(|mention| mention.name.as_str()).collect();
        assert_eq!(names, ["Ann Lee", "bob@example.org", "2026-05-01"]);
        assert!(extraction.warnings.is_empty());
    }

    #[test]
    fn too_many_mentions_are_a_warning() {
        let text: String = (0..600).map(|number| format!("#tag{number:04}x ")).collect();
        let extraction = Strategy::new(vec![Arc::new(RegexNer)]).extract(&text);
        assert_eq!(extraction.mentions.len(), MAX_MENTIONS);
        assert!(matches!(extraction.warnings.as_slice(), [NerWarning::Capped { limit: MAX_MENTIONS }]));
    }
}
