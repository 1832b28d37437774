//! Batches that are under way.

use std::collections::BTreeMap;

use serde_json::Value;

/// What becomes of the batches that are submitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fate {
    /// They are done when they are asked for the second time.
    #[default]
    Done,
    /// They never get done.
    Stuck,
    /// They fail as a whole.
    Failed,
    /// They are done, but the first item of each failed.
    OneItemFails,
}

/// Files, batches and what they hold.
#[derive(Default)]
pub(super) struct Batches {
    pub(super) fate: Fate,
    pub(super) files: BTreeMap<String, Vec<u8>>,
    pub(super) batches: BTreeMap<String, Batch>,
    made: usize,
}

/// A batch.
pub(super) struct Batch {
    /// What it was submitted with.
    pub(super) request: Value,
    /// The model, where it is not part of the request.
    pub(super) model: String,
    /// How often it was asked for.
    pub(super) polls: usize,
    /// The file with its answers.
    pub(super) output: Option<String>,
    /// The file with its errors.
    pub(super) errors: Option<String>,
}

impl Batches {
    /// A name that was not given yet.
    pub(super) fn name(&mut self, before: &str) -> String {
        self.made += 1;
        format!("{before}{:08x}", self.made)
    }
}
