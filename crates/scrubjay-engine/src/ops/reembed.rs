//! Making all vectors anew.

use schemars::JsonSchema;
use scrubjay_store::item::GenerationState;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::spend::{EstimateRecord, estimate};
use crate::embed::{Embedded, reembed};
use crate::item::{is_of, plan};
use crate::models::{ask_again, forget_card, place_of};
use crate::{Ctx, EngineError, Result};

/// Make vectors with the embedder that is set up now, and switch to them.
///
/// Search goes on with the old vectors until the new ones are complete; the switch is one step. If it is interrupted, the next call goes on where it stopped.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ReembedInput {
    /// Only say how things stand.
    pub status: bool,
    /// Make them again even if the present ones were made by the same embedder.
    pub force: bool,
}

/// How the vectors stand.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReembedOutput {
    /// The model whose vectors serve.
    pub model: Option<String>,
    /// Whether it is the one that is set up now.
    pub current: bool,
    /// Items with vectors.
    pub embedded: u64,
    /// All items.
    pub items: u64,
    /// The model whose vectors are being made.
    pub building: Option<String>,
    /// How many items have vectors of that model.
    pub built: u64,
    /// How many items were given vectors by this call.
    pub done: usize,
    /// How many items a provider's batch service is working on.
    pub in_batches: usize,
    /// What the rest costs, as far as its price is known.
    pub estimate: Option<EstimateRecord>,
}

/// `reembed`.
pub struct Reembed;

impl Operation for Reembed {
    type Input = ReembedInput;
    type Output = ReembedOutput;
    const NAME: &'static str = "reembed";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["reembed"], http: true, mcp: None };
    const GROUP: Group = Group::Models;
    const EXAMPLES: &'static str = r#"  scrubjay reembed --status
  scrubjay reembed --force"#;

    async fn run(ctx: &Ctx, input: ReembedInput) -> Result<ReembedOutput> {
        if input.force
            && !input.status
            && let Some(opened) = ctx.opened_embedder().await?
        {
            // A server may have another model under the same name by now, with vectors of another size.
            forget_card(ctx, &opened.choice).await?;
            // Vectors of the wrong size counted as failures; a person wants it to be asked now.
            let place = place_of(opened.choice.provider, &opened.choice.url);
            ask_again(&*ctx.store().await?, &place, opened.client.as_ref().map(|client| &**client.breaker())).await?;
        }
        let Some(embedder) = ctx.embedder().await? else {
            let message = "no embedder is set up; set embedding.provider and store.vector.enabled";
            return Err(EngineError::invalid(message));
        };
        let made = if input.status { Embedded::default() } else { reembed(ctx, &embedder, input.force).await? };
        let store = ctx.store().await?;
        let wanted = plan(&*embedder);
        let estimate = estimate(ctx, &embedder.model().id).await?;
        let mut output = ReembedOutput { done: made.items, estimate, ..ReembedOutput::default() };
        for batch in store.batches().await? {
            output.in_batches += batch.items.as_array().map_or(0, Vec::len);
        }
        for generation in store.generations().await? {
            let coverage = store.coverage(generation.id).await?;
            match generation.state {
                GenerationState::Serving => {
                    output.current = is_of(&generation.spec, &wanted);
                    output.model = Some(generation.spec.model);
                    (output.embedded, output.items) = (coverage.embedded, coverage.items);
                }
                GenerationState::Building => {
                    output.building = Some(generation.spec.model);
                    output.built = coverage.embedded;
                }
                GenerationState::Retired => {}
            }
        }
        Ok(output)
    }
}
