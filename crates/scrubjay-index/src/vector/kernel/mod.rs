//! The inner loops. Each exists twice: for AVX2, and in plain Rust for every other
//! machine. Which one runs is decided when it is called.
//!
//! Both work on whole numbers only, so they give the same result bit for bit, in any
//! order of summation. A search gives the same answer on every machine.
//!
//! `portable.rs` says what is computed; `avx2.rs` computes it fast. All unsafe code is
//! in `avx2.rs` and `signed.rs`.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod choice;
mod portable;
mod signed;
#[cfg(test)]
mod tests;

pub(super) use choice::{BlockHit, MAX_ENTRY, ScanPlan, next_block, prefetch, row_products};
pub(super) use signed::as_signed;
