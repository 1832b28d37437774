//! What is being read from outside at this moment.
//!
//! Reading a large folder takes minutes. Whoever looks meanwhile, in the same process, is told how far it is.

use std::sync::{Mutex, MutexGuard, PoisonError};

use scrubjay_store::source::SourcePlace;

/// What is being read, and how far.
#[derive(Debug, Default)]
pub(crate) struct Underway {
    readings: Mutex<(u64, Vec<Reading>)>,
}

/// One place that is being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) number: u64,
    /// The place.
    pub(crate) place: SourcePlace,
    /// The occasion.
    pub(crate) trigger: &'static str,
    /// Since when.
    pub(crate) since: String,
    /// What is being done; empty before the first step.
    pub(crate) step: String,
    /// How much of it is done.
    pub(crate) done: u64,
    /// Of how much, once that is known.
    pub(crate) total: Option<u64>,
}

impl Underway {
    /// Everything that is being read.
    pub(crate) fn list(&self) -> Vec<Reading> {
        self.lock().1.clone()
    }

    /// The last number that was given, and what is being read.
    pub(crate) fn lock(&self) -> MutexGuard<'_, (u64, Vec<Reading>)> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
