//! A fact that came about by itself is nearly right.

use schemars::JsonSchema;
use scrubjay_core::memory::Kind;
use scrubjay_store::change::{Change, Patch};
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::review::REVIEW;
use crate::capture::{check_size, clean};
use crate::queue::after_writing;
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Keep a fact that came about by itself, in other words.
///
/// Its former words stay in history. To replace a fact that was right once and is no longer, use `correct`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReviewEditInput {
    /// The fact.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "ID"}))]
    pub id: String,
    /// What it should say.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TEXT"}))]
    pub content: String,
}

/// The fact as it is now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewEditOutput {
    /// The fact.
    pub id: String,
    /// What it says.
    pub content: String,
    /// The run, for undoing it.
    pub run: String,
    /// What was taken out of the text.
    pub warnings: Vec<String>,
}

/// `review.edit`.
pub struct ReviewEdit;

impl Operation for ReviewEdit {
    type Input = ReviewEditInput;
    type Output = ReviewEditOutput;
    const NAME: &'static str = "review.edit";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["review", "edit"], http: true, mcp: None };
    const GROUP: Group = Group::Facts;
    const EXAMPLES: &'static str = r#"  scrubjay review edit fact_2b7e91c4 "Ada owns billing, not refunds""#;

    async fn run(ctx: &Ctx, input: ReviewEditInput) -> Result<ReviewEditOutput> {
        let id = memory_id(&input.id)?;
        let store = ctx.store().await?;
        let memory = store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(&input.id))?;
        if memory.kind() != Kind::Fact {
            return Err(EngineError::invalid(format!("{id} is not a fact; `scrubjay edit` changes any memory")));
        }
        check_size(ctx, &input.content)?;
        let cleaned = clean(&input.content, ctx.config().settings.capture.redact);
        if cleaned.text.is_empty() {
            return Err(EngineError::invalid("say what it should say; `scrubjay review reject` drops the fact"));
        }
        let mut attributes = memory.attributes.clone();
        attributes.remove(REVIEW);
        let patch = Patch {
            content: Some(cleaned.text.clone()),
            attributes: Some(attributes),
            confidence: Some(1.0),
            ..Patch::default()
        };
        let change = Change::Update { id, expected_version: Some(memory.version), patch: Box::new(patch) };
        let stamp = ctx.stamp(Self::NAME)?;
        let run = stamp.run.to_string();
        let jobs = after_writing(ctx, &memory.scope)?;
        store.apply(ctx.view(), stamp, vec![change], jobs).await?;
        Ok(ReviewEditOutput { id: id.to_string(), content: cleaned.text, run, warnings: cleaned.warnings })
    }
}
