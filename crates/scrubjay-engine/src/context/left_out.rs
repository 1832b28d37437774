//! What did not make it, and why.

/// Something that was left out of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// What it is: an id, or words.
    pub what: String,
    /// The part that it would have been in.
    pub section: &'static str,
    /// Why it is not there.
    pub reason: &'static str,
    /// How many tokens it has.
    pub tokens: usize,
}

impl LeftOut {
    /// A note of it.
    #[must_use]
    pub fn new(what: String, section: &'static str, reason: &'static str, tokens: usize) -> Self {
        Self { what, section, reason, tokens }
    }
}
