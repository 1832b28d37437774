//! One place in a text where an entity is named.

use scrubjay_core::entity::EntityType;

/// A named thing and where it stands in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// The byte where it begins, on a character boundary.
    pub start: usize,
    /// The byte after its end, on a character boundary.
    pub end: usize,
    /// What stands there, letter for letter.
    pub text: String,
    /// The form under which mentions of the same thing meet: an e-mail address in lower case, a web address without
    /// fragment and with its host in lower case, a tag without `#`, a handle without `@`, a day as `2026-05-01`.
    pub name: String,
    /// What sort of thing it is.
    pub entity_type: EntityType,
    /// How sure the provider is, from 0 to 1.
    pub confidence: f32,
    /// The name of the provider that found it.
    pub provider: &'static str,
}
