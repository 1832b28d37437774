//! The provider itself: all shapes, then their overlaps.

use super::code_block::CodeBlocks;
use super::findings::Findings;
use super::{date, email, handle, hashtag, identifier, path, url};
use crate::ner::error::NerError;
use crate::ner::mention::Mention;
use crate::ner::overlap::{cap, resolve};
use crate::ner::provider::Ner;

/// Finds handles, hashtags, e-mail and web addresses, days, file paths and names in code.
#[derive(Debug, Clone, Copy, Default)]
pub struct RegexNer;

/// The name in configuration and in mentions.
pub(super) const PROVIDER: &str = "regex";

impl Ner for RegexNer {
    fn name(&self) -> &'static str {
        PROVIDER
    }

    fn mentions(&self, text: &str) -> Result<Vec<Mention>, NerError> {
        let mut findings = Findings::new(text);
        let code = CodeBlocks::of(text);
        url::find(text, &mut findings);
        email::find(text, &mut findings);
        date::find(text, &mut findings)?;
        handle::find(text, &code, &mut findings);
        hashtag::find(text, &code, &mut findings);
        path::find(text, &mut findings);
        identifier::find(text, &mut findings);
        let mut mentions = resolve(findings.into_mentions());
        cap(&mut mentions);
        Ok(mentions)
    }
}
