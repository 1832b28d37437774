//! Extraction without a model: only what is said in so many words.
//!
//! A rule is a pattern for a whole sentence, what type of fact it makes and, where a thing can have one value only, the
//! slot that value fills. One file per language holds its table; `apply.rs` walks over the sentences of a window,
//! leaves out questions, conditions and quotations, and takes the first rule that fits. The fact is the sentence
//! itself, so nothing is said that nobody said. `explicit.rs` keeps what a
//! person asks to be remembered, `figures.rs` what they say in passing of how things stand with them. `dates.rs` turns "next Friday" into a day.
//!
//! Better nothing than junk: a sentence that needs the one before it to be understood is left alone. Facts found here
//! carry `attributes.extractor = "rules"`. To add a rule, add its line and an example to `tests.rs`.

mod apply;
mod dates;
mod english;
mod explicit;
mod figures;
mod french;
mod german;
mod rule;
mod spanish;
#[cfg(test)]
mod tests;

pub use apply::by_rules;
pub use dates::resolve as resolve_date;
