//! How an operation is told to a model.

/// What a model is told of an operation: when to call it, and the few fields it
/// should fill in. The other fields are for people and programs. A field is
/// described by its doc comment, or by its extension `x-mcp` where a model needs
/// other words than a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tool {
    /// When to call it, in few words: every client sends them with every request.
    pub about: &'static str,
    /// The fields that a call must have.
    pub required: &'static [&'static str],
    /// The fields that a call may have.
    pub optional: &'static [&'static str],
}

impl Tool {
    /// The fields of a call, required ones first.
    pub fn fields(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional).copied()
    }
}
