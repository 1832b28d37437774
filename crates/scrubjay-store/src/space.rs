//! Vectors that callers of the library made themselves.

use scrubjay_core::scope::Scope;

/// A namespace in one scope. The vectors in it all have the same number of dimensions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Space {
    /// Where it lives.
    pub scope: Scope,
    /// Its name there.
    pub namespace: String,
}

/// A vector with what it stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceEntry {
    /// The caller's name for it, once in its namespace.
    pub id: String,
    /// The vector.
    pub vector: Vec<f32>,
    /// What it stands for, as JSON.
    pub payload: String,
}
