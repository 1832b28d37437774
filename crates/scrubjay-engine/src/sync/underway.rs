//! Letting others see what is being read.

use std::sync::Arc;

use scrubjay_store::source::SourcePlace;

use super::trigger::Trigger;
use crate::Ctx;
use crate::ctx::Progress;
use crate::underway::{Reading, Underway};

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
        let (place, trigger) = (place.clone(), trigger.name());
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
