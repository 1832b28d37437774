//! Letting go of what faded, now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::consolidate::extent;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::maintain::decay;
use crate::record::round;
use crate::{Ctx, Result};

/// Let go of facts that nobody asked for in a long time.
///
/// Happens by itself every night. A fact goes when its confidence, faded since it was last used, is below 0.05; `restore` brings it back. Confirmed facts and reflections stay.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DecayInput {
    /// Only say what would go.
    pub dry_run: bool,
}

/// What went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DecayOutput {
    /// How many facts were looked at; confirmed ones never are.
    pub looked_at: usize,
    /// Those that went.
    pub faded: Vec<FadedFact>,
    /// The runs, for undoing them.
    pub runs: Vec<String>,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
}

/// A fact that faded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FadedFact {
    /// Its id.
    pub id: String,
    /// What it says.
    pub content: String,
    /// What is left of its confidence.
    pub effective_confidence: f64,
}

/// `decay`.
pub struct Decay;

impl Operation for Decay {
    type Input = DecayInput;
    type Output = DecayOutput;
    const NAME: &'static str = "decay";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["decay"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = "  scrubjay decay --dry-run";

    async fn run(ctx: &Ctx, input: DecayInput) -> Result<DecayOutput> {
        let mut output = DecayOutput { dry_run: input.dry_run, ..DecayOutput::default() };
        for scope in ctx.writable_scopes() {
            let decayed = decay(ctx, &scope, extent(input.dry_run)).await?;
            output.looked_at += decayed.looked_at;
            output.runs.extend(decayed.run.map(|run| run.to_string()));
            output.faded.extend(decayed.faded.into_iter().map(|faded| FadedFact {
                id: faded.id.to_string(),
                content: faded.content,
                effective_confidence: round(faded.effective_confidence),
            }));
        }
        Ok(output)
    }
}
