//! Looking back upon the week, now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::consolidate::extent;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::reflect::reflect;
use crate::{Ctx, Result};

/// Look back upon the last seven days and keep what they add up to.
///
/// Happens by itself once a week. It needs three new facts, and there is none within six days of the last. Without a chat model it is a digest of the weightiest facts.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReflectInput {
    /// Where to look: project or global.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Only show what it would say.
    pub dry_run: bool,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReflectOutput {
    /// The reflection; null if it was not kept.
    pub id: Option<String>,
    /// What it says; null if there was no reason to look back.
    pub content: Option<String>,
    /// How many facts were looked at.
    pub facts: usize,
    /// Who wrote it: `digest`, or a model.
    pub by: String,
    /// Why there is none.
    pub skipped: Option<String>,
    /// The run, for undoing it.
    pub run: Option<String>,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

/// `reflect`.
pub struct Reflect;

impl Operation for Reflect {
    type Input = ReflectInput;
    type Output = ReflectOutput;
    const NAME: &'static str = "reflect";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["reflect"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = "  scrubjay reflect --dry-run";

    async fn run(ctx: &Ctx, input: ReflectInput) -> Result<ReflectOutput> {
        let scope = ctx.scope_named(input.scope.as_deref())?;
        let reflected = reflect(ctx, &scope, extent(input.dry_run)).await?;
        Ok(ReflectOutput {
            id: reflected.id.map(|id| id.to_string()),
            content: reflected.content,
            facts: reflected.facts,
            by: reflected.by,
            skipped: reflected.skipped,
            run: reflected.run.map(|run| run.to_string()),
            warnings: reflected.warnings,
        })
    }
}
