//! A fact that came about by itself is right.

use schemars::JsonSchema;
use scrubjay_core::memory::Confidence;
use scrubjay_store::change::{Change, Patch};
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::review::REVIEW;
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Keep facts that came about or changed by themselves.
///
/// They count as certain, and are no longer listed by `review`. To protect a fact from fading as well, use `confirm`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReviewKeepInput {
    /// The facts.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
}

/// What was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewKeepOutput {
    /// The facts.
    pub ids: Vec<String>,
    /// The run, for undoing it.
    pub run: String,
}

/// `review.keep`.
pub struct ReviewKeep;

impl Operation for ReviewKeep {
    type Input = ReviewKeepInput;
    type Output = ReviewKeepOutput;
    const NAME: &'static str = "review.keep";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["review", "keep"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = "  scrubjay review keep fact_2b7e91c4";

    async fn run(ctx: &Ctx, input: ReviewKeepInput) -> Result<ReviewKeepOutput> {
        if input.ids.is_empty() {
            return Err(EngineError::invalid("say which facts to keep; `scrubjay review` lists them"));
        }
        let store = ctx.store().await?;
        let mut changes = Vec::new();
        for text in &input.ids {
            let id = memory_id(text)?;
            let memory = store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(text))?;
            let mut attributes = memory.attributes.clone();
            attributes.remove(REVIEW);
            // What stepped back is kept as what it is: the former state of things.
            let sure = (memory.confidence > Confidence::SUPERSEDED).then(|| Confidence::FULL.value());
            let patch = Box::new(Patch { attributes: Some(attributes), confidence: sure, ..Patch::default() });
            changes.push(Change::Update { id, expected_version: Some(memory.version), patch });
        }
        let stamp = ctx.stamp(Self::NAME)?;
        let run = stamp.run.to_string();
        store.apply(ctx.view(), stamp, changes, Vec::new()).await?;
        Ok(ReviewKeepOutput { ids: input.ids, run })
    }
}
