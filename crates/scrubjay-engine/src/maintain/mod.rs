//! Upkeep, on time or by hand.
//!
//! `work.rs` lists the pieces of upkeep and runs one over the whole store: names looked for again (`enrich.rs`),
//! people who may be the same asked about (`namesakes.rs`),
//! conversations gone through (`sessions.rs`), faded facts let go (`decay.rs`), the week looked back upon, the store
//! tidied and backed up. `schedule.rs` answers what is due now; how far each piece got is a mark in the store, so it
//! survives restarts, runs once after a time that was slept through, and neither twice nor never when the clock jumps
//! or daylight saving begins. `cron.rs` reads the times.
//!
//! Nothing here waits or starts a thread: whoever lives long enough calls [`tick`] now and then and works off the jobs
//! it queues. Nothing is deleted for good.
//!
//! Start with `work.rs`, then `schedule.rs`.

mod cron;
mod decay;
mod enrich;
mod namesakes;
mod schedule;
mod sessions;
mod work;

pub use cron::Cron;
pub use decay::{Decayed, Faded, decay};
pub(crate) use enrich::enrich_now;
pub use enrich::{Enriched, enrich};
pub(crate) use namesakes::ask_about_namesakes;
pub use schedule::{Due, JOB, due, mark_name, next, tick};
pub use sessions::{Waiting, consolidate_all, waiting};
pub use work::{Done, Occasion, Work, run};
