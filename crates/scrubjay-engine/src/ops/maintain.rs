//! Upkeep by hand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::consolidate::extent;
use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::maintain::{Occasion, Work, run};
use crate::{Ctx, EngineError, Result};

/// Do upkeep now: what a daemon does at night.
///
/// enrich looks for names, consolidate goes through all conversations that wait (at night only through those that are over), decay lets go of faded facts, reflect looks back upon the week, tidy and backup are for the store itself. Every change can be undone.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MaintainInput {
    /// What to do; all of it if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "WORK"}, "enum" = ["enrich", "consolidate", "decay", "reflect", "tidy", "backup", "all"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<String>,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MaintainOutput {
    /// Each piece of upkeep.
    pub done: Vec<WorkDone>,
    /// Nothing was changed; this is what would have been.
    pub dry_run: bool,
    /// What went wrong on the way.
    pub warnings: Vec<String>,
}

/// A piece of upkeep.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkDone {
    /// Which.
    pub work: String,
    /// What came of it, in a few words.
    pub told: Vec<String>,
    /// The runs that changed something, for undoing them.
    pub runs: Vec<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// `maintain`.
pub struct Maintain;

impl Operation for Maintain {
    type Input = MaintainInput;
    type Output = MaintainOutput;
    const NAME: &'static str = "maintain";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["maintain"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = r#"  scrubjay maintain --dry-run
  scrubjay maintain consolidate
  scrubjay maintain all"#;

    async fn run(ctx: &Ctx, input: MaintainInput) -> Result<MaintainOutput> {
        let wanted: Vec<Work> = match input.work.as_deref() {
            None | Some("all") => Work::ALL.to_vec(),
            Some(name) => vec![Work::from_name(name).ok_or_else(|| {
                let known = Work::ALL.map(Work::name).join(", ");
                EngineError::invalid(format!("`{name}` is no upkeep; use {known} or all"))
            })?],
        };
        let alone = wanted.len() == 1;
        let mut output = MaintainOutput { dry_run: input.dry_run, ..MaintainOutput::default() };
        for work in wanted {
            let mut told = WorkDone { work: work.name().to_owned(), ..WorkDone::default() };
            match run(ctx, work, Occasion::ByHand, extent(input.dry_run)).await {
                Ok(done) => {
                    told.told = done.told;
                    told.runs = done.runs.iter().map(ToString::to_string).collect();
                    output.warnings.extend(done.warnings);
                }
                Err(error) if alone => return Err(error),
                // One that fails must not keep the others from being done.
                Err(error) => {
                    output.warnings.push(format!("{} failed: {error}", work.name()));
                    told.error = Some(error.to_string());
                }
            }
            output.done.push(told);
        }
        Ok(output)
    }
}
