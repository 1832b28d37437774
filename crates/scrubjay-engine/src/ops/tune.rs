//! Budget shares from what replies used.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_store::context::{Receipt, ReceiptQuery};
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::receipts::judge_open;
use crate::config::set;
use crate::record::round;
use crate::{Ctx, EngineError, Result};

/// How many of the newest receipts are looked at.
const RECEIPTS: usize = 1000;

/// How many judged ones of a profile make a proposal.
const ENOUGH: usize = 20;

/// No part falls below this share of what is divided.
const LEAST: f64 = 0.1;

/// How far a proposal goes from the present shares to what was used.
const STEP: f64 = 0.5;

/// Propose budget shares from what replies used of what they were handed.
///
/// Only `apply` changes the settings, and nothing else follows from receipts.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TuneInput {
    /// Put the proposed shares into the settings.
    pub apply: bool,
}

/// The proposal.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneOutput {
    /// How each part was used.
    pub parts: Vec<PartUse>,
    /// The proposed settings.
    pub proposals: Vec<Proposal>,
    /// Whether they are in the settings now.
    pub applied: bool,
    /// Why there is no proposal, or what could not be told.
    pub warnings: Vec<String>,
}

/// How a part of contexts was used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PartUse {
    /// `inject`, `loop` or `tiers`.
    pub profile: String,
    /// The part.
    pub part: String,
    /// How many receipts with a reply had it.
    pub receipts: usize,
    /// How many tokens were handed over in it.
    pub tokens: u64,
    /// How many of them were in items that a reply used.
    pub used_tokens: u64,
}

/// A setting that should change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// The setting.
    pub key: String,
    /// Its value now.
    pub before: f64,
    /// The proposed value.
    pub after: f64,
}

/// `tune`.
pub struct Tune;

impl Operation for Tune {
    type Input = TuneInput;
    type Output = TuneOutput;
    const NAME: &'static str = "tune";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["tune"], http: true, mcp: None };
    const GROUP: Group = Group::Agent;
    const EXAMPLES: &'static str = "  scrubjay tune";

    async fn run(ctx: &Ctx, input: TuneInput) -> Result<TuneOutput> {
        if input.apply {
            ctx.need_owner("changing the settings")?;
        }
        let query = ReceiptQuery { limit: RECEIPTS, ..ReceiptQuery::default() };
        let mut receipts = ctx.store().await?.receipts(ctx.view(), query).await?;
        let mut output = TuneOutput::default();
        judge_open(ctx, &mut receipts, &mut output.warnings).await?;
        receipts.retain(|receipt| receipt.judged_at.is_some());
        output.parts = parts(&receipts);
        for (profile, section, shares) in profiles(ctx) {
            let judged = receipts.iter().filter(|receipt| receipt.profile == profile).count();
            if judged < ENOUGH {
                let message = format!(
                    "{judged} replies to contexts of the profile {profile} are known; {ENOUGH} make a proposal"
                );
                output.warnings.push(message);
                continue;
            }
            output.proposals.extend(propose(profile, section, &shares, &output.parts));
        }
        if input.apply {
            let path = &ctx.home().config_file;
            for proposal in &output.proposals {
                set(path, &proposal.key, &proposal.after.to_string(), None)?;
            }
            output.applied = !output.proposals.is_empty();
            if output.proposals.is_empty() {
                return Err(EngineError::refused(format!("there is nothing to apply: {}", output.warnings.join("; "))));
            }
        }
        Ok(output)
    }
}

type Shares = Vec<(&'static str, f64)>;

// The shares that can move. What the work at hand has is not recalled, so that
// receipts say nothing about it.
fn profiles(ctx: &Ctx) -> [(&'static str, &'static str, Shares); 2] {
    let context = &ctx.config().settings.context;
    let (agent_loop, tiers) = (&context.agent_loop, &context.tiers);
    [
        (
            "loop",
            "context.agent_loop",
            vec![("episodic", agent_loop.share_episodic), ("semantic", agent_loop.share_semantic)],
        ),
        (
            "tiers",
            "context.tiers",
            vec![("task", tiers.share_task), ("project", tiers.share_project), ("global", tiers.share_global)],
        ),
    ]
}

fn parts(receipts: &[Receipt]) -> Vec<PartUse> {
    let mut uses: BTreeMap<(String, String), PartUse> = BTreeMap::new();
    for receipt in receipts {
        let mut seen: Vec<&str> = Vec::new();
        for item in &receipt.items {
            let key = (receipt.profile.clone(), item.section.clone());
            let part = uses.entry(key).or_insert_with(|| PartUse {
                profile: receipt.profile.clone(),
                part: item.section.clone(),
                ..PartUse::default()
            });
            if !seen.contains(&item.section.as_str()) {
                seen.push(&item.section);
                part.receipts += 1;
            }
            part.tokens += item.tokens;
            if item.verdict.is_some_and(|verdict| verdict.used) {
                part.used_tokens += item.tokens;
            }
        }
    }
    uses.into_values().collect()
}

// Half the way from the present shares to what was used of each part.
fn propose(profile: &str, section: &str, shares: &[(&'static str, f64)], uses: &[PartUse]) -> Vec<Proposal> {
    let sum: f64 = shares.iter().map(|(_, share)| share).sum();
    let used = |part: &str| {
        let own = uses.iter().find(|one| one.profile == profile && one.part == part);
        own.map_or(0.0, |one| one.used_tokens as f64)
    };
    let all: f64 = shares.iter().map(|(part, _)| used(part)).sum();
    if all <= 0.0 || sum <= 0.0 {
        return Vec::new();
    }
    let wanted: Vec<f64> =
        shares.iter().map(|(part, share)| ((1.0 - STEP) * share / sum + STEP * used(part) / all).max(LEAST)).collect();
    let total: f64 = wanted.iter().sum();
    // Rounded down to a hundredth, so that all together never exceed what they had.
    let after = |wanted: f64| (wanted / total * sum * 100.0).floor() / 100.0;
    let proposals = shares.iter().zip(wanted).map(|((part, share), wanted)| Proposal {
        key: format!("{section}.share_{part}"),
        before: *share,
        after: round(after(wanted)),
    });
    proposals.filter(|proposal| (proposal.before - proposal.after).abs() > 0.005).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(part: &str, used_tokens: u64) -> PartUse {
        PartUse { profile: "tiers".to_owned(), part: part.to_owned(), receipts: 30, tokens: 1000, used_tokens }
    }

    #[test]
    fn what_is_used_gets_more_and_nothing_gets_nothing() {
        let shares = [("task", 0.4), ("project", 0.4), ("global", 0.2)];
        let uses = [part("task", 900), part("project", 100), part("global", 0)];
        let proposals = propose("tiers", "context.tiers", &shares, &uses);
        let after: BTreeMap<&str, f64> = proposals.iter().map(|one| (one.key.as_str(), one.after)).collect();
        assert!(after["context.tiers.share_task"] > 0.55, "{after:?}");
        assert!(after["context.tiers.share_global"] >= 0.09, "{after:?}");
        assert!(after.values().sum::<f64>() <= 1.0);
        assert!(propose("tiers", "context.tiers", &shares, &[]).is_empty(), "nothing used, nothing proposed");
    }
}
