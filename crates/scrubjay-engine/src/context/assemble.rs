//! Dividing a budget among the parts of a context.

use std::collections::BTreeMap;

use scrubjay_ingest::Vocabulary;
use scrubjay_store::context::ReceiptItem;

use super::left_out::LeftOut;
use super::receipt;
use super::section::{FittedSection, Section};
use super::working::{Fitted, Message, Work};
use crate::{Ctx, EngineError, Result};

/// A context, ready for an agent.
#[derive(Debug, Clone, Default)]
pub struct Assembled {
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// Their exact number of tokens.
    pub tokens: usize,
    /// How many there was room for.
    pub budget: usize,
    /// What each part had and took.
    pub parts: Vec<ContextSection>,
    /// What is not in it, and why.
    pub left_out: Vec<LeftOut>,
    /// The tokens of what is in it beside those of what could have been.
    pub compression_ratio: f64,
    /// The receipt of what was recalled.
    pub receipt: Option<String>,
    /// What the caller should know.
    pub warnings: Vec<String>,
}

/// What one part of a context had and took.
#[derive(Debug, Clone, Default)]
pub struct ContextSection {
    /// Its name.
    pub name: &'static str,
    /// Its share of the budget, in tokens.
    pub budget: usize,
    /// What it took. What others left is in it.
    pub tokens: usize,
    /// What was recalled into it.
    pub items: Vec<ReceiptItem>,
    /// Which of these are not whole.
    pub shortened: Vec<String>,
}

/// What a context is made from.
pub(super) struct Plan {
    /// The profile's name.
    pub(super) profile: &'static str,
    /// How many tokens there is room for.
    pub(super) budget: usize,
    /// What the agent works on, if that is part of it.
    pub(super) work: Option<Work>,
    /// How many tool results belong to it.
    pub(super) tool_results: usize,
    /// The other parts, in the order of the messages.
    pub(super) sections: Vec<Section>,
    /// The shares by name.
    pub(super) shares: BTreeMap<&'static str, f64>,
    /// The conversation.
    pub(super) session_id: Option<String>,
    /// What the caller should know.
    pub(super) warnings: Vec<String>,
}

/// The shares of a profile: those of the settings, with those of this call laid
/// over them.
///
/// # Errors
/// When one is unknown or out of range, or all are more than everything.
pub(super) fn shares(
    settings: &[(&'static str, f64)],
    given: &BTreeMap<String, f64>,
) -> Result<BTreeMap<&'static str, f64>> {
    let mut shares: BTreeMap<&'static str, f64> = settings.iter().copied().collect();
    for (name, share) in given {
        let known = settings.iter().find(|(known, _)| known == name);
        let Some((known, _)) = known else {
            let names: Vec<&str> = settings.iter().map(|(name, _)| *name).collect();
            return Err(EngineError::invalid(format!("`{name}` is not a part here; there are {}", names.join(", "))));
        };
        if !(0.0..=1.0).contains(share) {
            return Err(EngineError::invalid(format!("the share of {name}, {share}, is not between 0 and 1")));
        }
        shares.insert(known, *share);
    }
    let sum: f64 = shares.values().sum();
    if sum > 1.0 + 1e-9 {
        return Err(EngineError::invalid(format!("the shares add up to {sum:.2}, more than 1; lower one of them")));
    }
    Ok(shares)
}

/// Fits all parts into the budget: each into its share first, then those that
/// want more into what the others left.
pub(super) async fn assemble(ctx: &Ctx, plan: Plan, vocabulary: Vocabulary) -> Result<Assembled> {
    let nonce = ctx.nonce()?;
    let slack = (plan.budget / 40).max(4);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a positive count")]
    let own = |name: &str| (plan.budget as f64 * plan.shares.get(name).copied().unwrap_or(0.0)) as usize;
    let fit_work = |tokens: usize| {
        plan.work.as_ref().map_or_else(Fitted::default, |work| work.fit(tokens, plan.tool_results, slack, vocabulary))
    };
    let fit = |section: &Section, tokens: usize| section.fit(tokens, slack, vocabulary, &nonce);
    let mut working = fit_work(own("working"));
    let mut fitted: Vec<FittedSection> = plan.sections.iter().map(|section| fit(section, own(section.name))).collect();
    let used = |working: &Fitted, fitted: &[FittedSection]| {
        working.tokens + fitted.iter().map(|part| part.tokens).sum::<usize>()
    };
    // The work at hand comes first; then the parts in their order.
    if working.hungry {
        let left = plan.budget.saturating_sub(used(&working, &fitted));
        working = fit_work(working.tokens + left);
    }
    for (place, section) in plan.sections.iter().enumerate() {
        let left = plan.budget.saturating_sub(used(&working, &fitted));
        if fitted[place].hungry && left > 0 {
            fitted[place] = fit(section, fitted[place].tokens + left);
        }
    }
    let tokens = used(&working, &fitted);
    let possible = plan.work.as_ref().map_or(0, |work| work.tokens(vocabulary))
        + plan.sections.iter().map(|section| section.tokens(vocabulary)).sum::<usize>();
    let mut assembled = Assembled { tokens, budget: plan.budget, warnings: plan.warnings, ..Assembled::default() };
    // What stands around the texts is no part of them, or much of a little would pass for all of it.
    let kept = working.tokens + fitted.iter().map(|part| part.kept_tokens).sum::<usize>();
    assembled.compression_ratio = ratio(kept, possible);
    for (section, part) in plan.sections.iter().zip(fitted) {
        if !part.content.is_empty() {
            assembled.messages.push(Message { role: "user".to_owned(), content: part.content });
        }
        assembled.left_out.extend(part.left_out);
        let budget = own(section.name);
        assembled.parts.push(ContextSection {
            name: section.name,
            budget,
            tokens: part.tokens,
            items: part.items,
            shortened: part.shortened,
        });
    }
    if plan.work.is_some() {
        assembled.parts.push(ContextSection {
            name: "working",
            budget: own("working"),
            tokens: working.tokens,
            items: Vec::new(),
            shortened: Vec::new(),
        });
    }
    assembled.messages.append(&mut working.messages);
    assembled.left_out.append(&mut working.left_out);
    let items: Vec<ReceiptItem> = assembled.parts.iter().flat_map(|part| part.items.iter().cloned()).collect();
    if !items.is_empty() {
        match receipt::keep(ctx, plan.profile, plan.session_id.as_deref(), (plan.budget, tokens), items).await {
            Ok(id) => assembled.receipt = Some(id.to_string()),
            // A full disk must not keep anyone from reading.
            Err(error) => assembled.warnings.push(format!("what was handed over was not noted: {error}")),
        }
    }
    Ok(assembled)
}

// Marks and headings can make a little more of a little.
fn ratio(tokens: usize, possible: usize) -> f64 {
    if possible == 0 { 1.0 } else { (tokens as f64 / possible as f64).min(1.0) }
}
