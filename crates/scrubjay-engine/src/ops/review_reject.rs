//! A fact that came about by itself is wrong.

use schemars::JsonSchema;
use scrubjay_core::memory::{EndedBy, Kind, Relation};
use scrubjay_store::change::{Change, Patch};
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Drop facts that came about by themselves.
///
/// What they had pushed aside is as sure again as before. The same value is not drawn from the same conversation again.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReviewRejectInput {
    /// The facts.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "many", "value": "ID"}))]
    pub ids: Vec<String>,
}

/// What was dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewRejectOutput {
    /// The facts.
    pub ids: Vec<String>,
    /// Facts that stand again.
    pub standing_again: Vec<String>,
    /// The run, for undoing it.
    pub run: String,
}

/// `review.reject`.
pub struct ReviewReject;

impl Operation for ReviewReject {
    type Input = ReviewRejectInput;
    type Output = ReviewRejectOutput;
    const NAME: &'static str = "review.reject";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["review", "reject"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = "  scrubjay review reject fact_2b7e91c4";

    async fn run(ctx: &Ctx, input: ReviewRejectInput) -> Result<ReviewRejectOutput> {
        if input.ids.is_empty() {
            return Err(EngineError::invalid("say which facts to drop; `scrubjay review` lists them"));
        }
        let store = ctx.store().await?;
        let mut changes = Vec::new();
        let mut standing_again = Vec::new();
        for text in &input.ids {
            let id = memory_id(text)?;
            let memory = store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(text))?;
            if memory.kind() != Kind::Fact {
                return Err(EngineError::invalid(format!("{id} is not a fact; `scrubjay forget` drops any memory")));
            }
            changes.push(Change::End { id, expected_version: Some(memory.version), by: EndedBy::Forgotten });
            let links = store.links(ctx.view(), id).await?;
            let aside = links.into_iter().filter(|link| link.from == id && link.relation == Relation::Supersedes);
            for link in aside {
                let Some(old) = store.get(ctx.view(), link.to).await?.filter(|old| old.is_active()) else { continue };
                let history = store.history(ctx.view(), old.id).await?;
                // The last time its confidence fell is when it was pushed aside.
                let before = history.iter().rev().find_map(|entry| entry.before.fields.confidence);
                if let Some(before) = before.filter(|before| *before > old.confidence.value()) {
                    let patch = Box::new(Patch { confidence: Some(before), ..Patch::default() });
                    changes.push(Change::Update { id: old.id, expected_version: Some(old.version), patch });
                    standing_again.push(old.id.to_string());
                }
                changes.push(Change::Unlink(link));
            }
        }
        let stamp = ctx.stamp(Self::NAME)?;
        let run = stamp.run.to_string();
        store.apply(ctx.view(), stamp, changes, Vec::new()).await?;
        Ok(ReviewRejectOutput { ids: input.ids, standing_again, run })
    }
}
