//! Random operations on both backends at once.
//!
//! `operation.rs` says what can happen, `world.rs` makes it happen to a SQLite
//! store and to its twin in memory and compares every answer and everything that
//! can be seen afterwards; `state.rs` is what can be seen; `invariants.rs` holds
//! what must be true whatever happened: nothing is lost, history is complete,
//! undoing is exact.

mod invariants;
mod operation;
mod state;
mod world;

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::support::{block_on, cases};

#[test]
fn both_backends_agree_and_keep_their_promises() {
    let config = Config {
        cases: cases(26),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5343_5255_424a_4159),
        max_shrink_iters: 400,
        ..Config::default()
    };
    let done: RefCell<BTreeMap<&'static str, u32>> = RefCell::default();
    let sequences = prop::collection::vec(operation::operation(), 1..45);
    let outcome = TestRunner::new(config).run(&sequences, |operations| {
        block_on(async {
            let mut world = world::World::new();
            for operation in &operations {
                world.run(operation).await?;
            }
            world.finish().await?;
            for (name, times) in world.done.into_inner() {
                *done.borrow_mut().entry(name).or_default() += times;
            }
            Ok(())
        })
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
    // A run in which everything was refused would prove nothing.
    let done = done.into_inner();
    for (name, wanted) in [("apply", 50), ("capture", 20), ("undo", 15), ("redo", 4), ("purge", 5), ("merge", 5)] {
        assert!(done.get(name).is_some_and(|times| *times >= wanted), "{name} hardly ever succeeded: {done:?}");
    }
}
