//! Bugs on purpose: each is planted alone in a copy of the repository, where the tests that guard against it must fail.
//! A test that stays green is blind.
//!
//! `bugs.rs` lists the bugs, `working_copy.rs` keeps the copy in step with the repository and changes one file of it at
//! a time, `trial.rs` runs the tests there, `record.rs` remembers which bugs were seen. The repository itself is never
//! changed. Start reading at `command/planted.rs`, which puts them together.

mod bug;
mod bugs;
mod record;
mod trial;
mod working_copy;

pub(crate) use bug::Bug;
pub(crate) use bugs::BUGS;
pub(crate) use record::Record;
pub(crate) use trial::{Outcome, Trials};
pub(crate) use working_copy::WorkingCopy;
