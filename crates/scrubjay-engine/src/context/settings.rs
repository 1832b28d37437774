//! What the settings say about budgets.

use scrubjay_ingest::Vocabulary;

use crate::{Ctx, EngineError, Result};

/// The vocabulary in which tokens are counted.
#[must_use]
pub fn vocabulary(ctx: &Ctx) -> Vocabulary {
    // The settings allow known names only.
    Vocabulary::from_name(&ctx.config().settings.context.vocabulary).unwrap_or_default()
}

/// Checks that a budget leaves room for anything at all.
///
/// # Errors
/// When it is nothing, or more than any model takes.
pub fn check_budget(tokens: usize) -> Result<usize> {
    match tokens {
        0 => Err(EngineError::invalid("the budget is 0 tokens; ask for at least one")),
        1..=10_000_000 => Ok(tokens),
        _ => Err(EngineError::invalid(format!("a budget of {tokens} tokens is more than 10000000"))),
    }
}
