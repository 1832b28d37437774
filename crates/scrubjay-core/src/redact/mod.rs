//! Takes secrets out of text before anything else sees it.
//!
//! Two independent steps, both pure functions over `&str`, to be run in this order:
//!
//! * `strip_private` removes what a person marked with `<private>…</private>`;
//! * `redact` replaces every secret it recognises by `[REDACTED:rule-id]` and keeps the words around it, so that a
//!   memory still says *that* a password was set, never *which*.
//!
//! What this module never does: it opens no file, calls nothing, logs nothing, and never returns the value of a secret; a
//! `Finding` carries a rule and a count only. It does not touch e-mail addresses or phone numbers, because entities are
//! made of them. It does not promise that every secret is found.
//!
//! Where to start reading: `rule.rs` says what a rule is, `rules/` is the table (one file for each kind of vendor),
//! `scan.rs` runs it. `prefilter.rs` finds the keywords, `hint.rs` looks a second time before a pattern is compiled,
//! `prefix.rs` says what a token may be glued to, `column.rs` reads tables, `filter/` holds the judgement that a pattern cannot express (placeholders, entropy, code that only mentions a
//! password), `sample.rs` makes fresh fake secrets for tests, `private.rs` removes the tags.

mod column;
mod filter;
mod hint;
mod prefilter;
mod prefix;
mod private;
mod rule;
mod rules;
mod sample;
mod scan;

#[cfg(test)]
mod tests;

pub use private::{Stripped, strip_closed_private_keeping_lines, strip_private, strip_private_keeping_lines};
pub use rule::{Example, Filter, Hint, LeftEdge, Rule};
pub use rules::rules;
pub use sample::Sample;
pub use scan::{Finding, Redacted, redact, redact_if_needed, redact_keeping_lines};
