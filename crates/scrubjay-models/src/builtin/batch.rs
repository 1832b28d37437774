//! Texts that pass the encoder together.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Rows that one matrix takes at most, unless a single text has more, so that its rows fit the caches.
const ROWS_AT_ONCE: usize = 240;

/// One result per text, in order, on at most `threads` threads. `lengths` are those of the texts in tokens, and `run`
/// gives the results of some consecutive ones.
pub(super) fn run<T: Clone + Send>(
    lengths: &[usize],
    threads: NonZeroUsize,
    run: impl Fn(Range<usize>) -> Vec<T> + Sync,
) -> Vec<T> {
    let batches = batches(lengths, threads);
    if threads.get() == 1 || batches.len() == 1 {
        return batches.into_iter().flat_map(run).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(vec![Vec::new(); batches.len()]);
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(place) else { return };
            let results = run(batch.clone());
            done.lock().unwrap_or_else(PoisonError::into_inner)[place] = results;
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.get().min(batches.len()) {
            scope.spawn(work);
        }
        work();
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

/// Consecutive texts that share a matrix. With several threads the matrices are made smaller, so that all have work.
fn batches(lengths: &[usize], threads: NonZeroUsize) -> Vec<Range<usize>> {
    let all: usize = lengths.iter().sum();
    let limit = if threads.get() == 1 { ROWS_AT_ONCE } else { all.div_ceil(threads.get() * 2).clamp(48, ROWS_AT_ONCE) };
    let mut batches: Vec<Range<usize>> = Vec::new();
    let mut rows = 0;
    for (number, &length) in lengths.iter().enumerate() {
        match batches.last_mut() {
            Some(batch) if rows + length <= limit => batch.end = number + 1,
            _ => {
                batches.push(number..number + 1);
                rows = 0;
            }
        }
        rows += length;
    }
    batches
}
