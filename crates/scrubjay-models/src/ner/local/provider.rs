//! The provider itself: sentences, their words, the model, then what is kept.

use std::sync::OnceLock;

use super::classifier::Classifier;
use super::judge::names;
use super::sentence::sentences;
use super::word::words;
use crate::ner::error::NerError;
use crate::ner::mention::Mention;
use crate::ner::overlap::{cap, resolve};
use crate::ner::provider::Ner;
use crate::ner::regex::CodeBlocks;

/// The name in configuration and in mentions.
const PROVIDER: &str = "local";

/// Finds people, organisations and places by a model inside the binary.
#[derive(Default)]
pub struct LocalNer {
    classifier: OnceLock<Classifier>,
}

impl LocalNer {
    // Two threads that come first at the same time both load it; one copy stays.
    fn classifier(&self) -> Result<&Classifier, NerError> {
        if let Some(classifier) = self.classifier.get() {
            return Ok(classifier);
        }
        let loaded = Classifier::load().map_err(|why| NerError::Provider { provider: PROVIDER, source: why.into() })?;
        Ok(self.classifier.get_or_init(|| loaded))
    }
}

impl Ner for LocalNer {
    fn name(&self) -> &'static str {
        PROVIDER
    }

    fn mentions(&self, text: &str) -> Result<Vec<Mention>, NerError> {
        // Where everything is a capital, none says anything.
        if !text.chars().any(char::is_lowercase) {
            return Ok(Vec::new());
        }
        let code = CodeBlocks::of(text);
        let mut mentions = Vec::new();
        for sentence in sentences(text) {
            let words = words(text, sentence.clone(), &code);
            if !words.iter().any(|word| word.is_like_name && !(word.is_first && word.is_everyday)) {
                continue;
            }
            let mut looks = self.classifier()?.looks(&text[sentence.clone()]);
            for look in &mut looks {
                look.start += sentence.start;
            }
            mentions.extend(names(text, &words, &looks).into_iter().map(|name| {
                let written = &text[name.span.clone()];
                Mention {
                    start: name.span.start,
                    end: name.span.end,
                    text: written.to_owned(),
                    name: written.split_whitespace().collect::<Vec<_>>().join(" "),
                    entity_type: name.entity_type,
                    confidence: name.confidence,
                    provider: PROVIDER,
                }
            }));
        }
        let mut mentions = resolve(mentions);
        cap(&mut mentions);
        Ok(mentions)
    }
}
