//! The contract of a provider.

use super::error::NerError;
use super::mention::Mention;

/// No more mentions than this are taken from one text. Past it, the surest count and then the first.
pub const MAX_MENTIONS: usize = 256;

/// One way to find the entities that a text names.
///
/// - Pure: the same text gives the same mentions, and nothing is stored or sent except by a provider that says so.
/// - Spans are not empty, begin and end on character boundaries, and `text[start..end]` equals the mention's `text`.
/// - The mentions of one provider do not overlap, are sorted by start, and are at most [`MAX_MENTIONS`].
/// - Any text is accepted, empty or large. A failure is an error, never an empty list.
pub trait Ner: Send + Sync {
    /// The name used in configuration, in [`Mention::provider`] and in warnings.
    fn name(&self) -> &'static str;

    /// The entities that `text` names.
    ///
    /// # Errors
    /// When the provider could not look at the whole text.
    fn mentions(&self, text: &str) -> Result<Vec<Mention>, NerError>;
}
