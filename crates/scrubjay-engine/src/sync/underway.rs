//! What is being read from outside at this moment.
//!
//! Reading a large folder takes minutes. Whoever looks meanwhile, in the same process, is told how far it is.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scrubjay_store::source::SourcePlace;

use super::trigger::Trigger;
use crate::Ctx;
use crate::ctx::Progress;

/// What is being read, and how far.
#[derive(Debug, Default)]
pub(crate) struct Underway {
    readings: Mutex<(u64, Vec<Reading>)>,
}

/// One place that is being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reading {
    number: u64,
    /// The place.
    pub(crate) place: SourcePlace,
    /// The occasion.
    pub(crate) trigger: Trigger,
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

    fn lock(&self) -> MutexGuard<'_, (u64, Vec<Reading>)> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reading that others can see until this is dropped.
pub(super) struct Visible {
    underway: Arc<Underway>,
    number: u64,
}

impl Visible {
    /// Begins one, and gives the context to do it with.
    pub(super) fn begin(ctx: &Ctx, place: &SourcePlace, trigger: Trigger) -> (Self, Ctx) {
        let underway = Arc::clone(ctx.underway());
        let mut readings = underway.lock();
        readings.0 += 1;
        let number = readings.0;
        let since = ctx.now().to_string();
        let place = place.clone();
        readings.1.push(Reading { number, place, trigger, since, step: String::new(), done: 0, total: None });
        drop(readings);
        let told = Told { ctx: ctx.clone(), underway: Arc::clone(&underway), number };
        (Self { underway, number }, ctx.clone().reporting_to(Arc::new(told)))
    }
}

impl Drop for Visible {
    fn drop(&mut self) {
        self.underway.lock().1.retain(|reading| reading.number != self.number);
    }
}

// Notes how far it is, and passes it on to whoever was told before.
struct Told {
    ctx: Ctx,
    underway: Arc<Underway>,
    number: u64,
}

impl Progress for Told {
    fn step(&self, what: &str, done: u64, total: Option<u64>) {
        if let Some(reading) = self.underway.lock().1.iter_mut().find(|reading| reading.number == self.number) {
            (reading.step, reading.done, reading.total) = (what.to_owned(), done, total);
        }
        self.ctx.progress().step(what, done, total);
    }
}
