//! Looking for names again, now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::consolidate::extent;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::maintain::enrich;
use crate::{Ctx, EngineError, Result};

/// Look for people, organizations, projects and places in memories that mention few.
///
/// Happens by itself every night, for 50 memories, each once, and sooner if `llm` is in the list `entities.accurate`. `undo` takes a run back whole. It takes a chat model; names with a shape of their own and names that are known are found without one.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EnrichInput {
    /// How many memories at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"short": "n"}))]
    pub limit: Option<usize>,
    /// Only say what would be found.
    pub dry_run: bool,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnrichOutput {
    /// How many memories were looked at.
    pub looked_at: usize,
    /// How many mentions are new.
    pub mentions: usize,
    /// The runs that changed something, for undoing them: one for each scope.
    pub runs: Vec<String>,
    /// Why nothing was done.
    pub skipped: Option<String>,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

/// `enrich`.
pub struct Enrich;

impl Operation for Enrich {
    type Input = EnrichInput;
    type Output = EnrichOutput;
    const NAME: &'static str = "enrich";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["enrich"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = "  scrubjay enrich --dry-run";

    async fn run(ctx: &Ctx, input: EnrichInput) -> Result<EnrichOutput> {
        let mut left = input.limit.unwrap_or(ctx.config().settings.maintain.enrich_limit);
        if !(1..=10_000).contains(&left) {
            return Err(EngineError::invalid("limit must be between 1 and 10000"));
        }
        // A store that cannot be used is told, whatever there is to do.
        ctx.store().await?;
        let mut output = EnrichOutput { dry_run: input.dry_run, ..EnrichOutput::default() };
        for scope in ctx.writable_scopes() {
            if left == 0 {
                break;
            }
            let enriched = enrich(ctx, &scope, left, extent(input.dry_run)).await?;
            left -= enriched.looked_at.min(left);
            output.looked_at += enriched.looked_at;
            output.mentions += enriched.mentions;
            output.runs.extend(enriched.run.map(|run| run.to_string()));
            output.skipped = enriched.skipped;
            output.warnings.extend(enriched.warnings);
        }
        Ok(output)
    }
}
