//! Asking the models that are set up whether they answer.

use schemars::JsonSchema;
use scrubjay_models::chat::ChatRequest;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::models::{
    Role, ask_again, chat_choice, command_place, embedding_choices, open_chat, open_embedding, place_of,
};
use crate::{Ctx, EngineError, Result};

/// Ask each model that is set up for a small answer, and say how long it took.
///
/// It costs a few tokens where models cost anything. A provider that failed a moment ago is asked nevertheless. The command ends with code 5 if one does not answer.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelsTestInput {
    /// Only the model of this role.
    #[schemars(extend("enum" = ["embed", "gate", "extract", "consolidate", "reflect", "summarize"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsTestOutput {
    /// One entry per model; roles that share a model share the entry.
    pub results: Vec<TestRecord>,
    /// Whether all of them answered.
    pub all_answered: bool,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestRecord {
    /// What it is used for.
    pub roles: Vec<String>,
    /// The model.
    pub id: String,
    /// Whether it answered.
    pub answered: bool,
    /// How long that took, in milliseconds.
    pub latency_ms: u64,
    /// Values per vector.
    pub dimensions: Option<usize>,
    /// Why it did not answer.
    pub error: Option<String>,
}

/// `models.test`.
pub struct ModelsTest;

impl Operation for ModelsTest {
    type Input = ModelsTestInput;
    type Output = ModelsTestOutput;
    const NAME: &'static str = "models.test";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["models", "test"], http: true, mcp: None };
    const GROUP: Group = Group::Models;
    const EXAMPLES: &'static str = r#"  scrubjay models test
  scrubjay models test --role embed"#;

    async fn run(ctx: &Ctx, input: ModelsTestInput) -> Result<ModelsTestOutput> {
        let wanted = |role: &str| input.role.as_deref().is_none_or(|wanted| wanted == role);
        if let Some(role) = input.role.as_deref().filter(|role| *role != "embed" && Role::from_name(role).is_none()) {
            let message = format!("`{role}` is no role; use embed, gate, extract, consolidate, reflect or summarize");
            return Err(EngineError::invalid(message));
        }
        let mut results = Vec::new();
        if wanted("embed") && ctx.embeds() {
            results.extend(embedders(ctx).await);
        }
        chats(ctx, wanted, &mut results).await?;
        if results.is_empty() {
            let message = "no model is set up for that; `scrubjay models set` sets one up";
            return Err(EngineError::not_found(message));
        }
        Ok(ModelsTestOutput { all_answered: results.iter().all(|result| result.answered), results })
    }
}

async fn embedders(ctx: &Ctx) -> Vec<TestRecord> {
    let mut results = Vec::new();
    for choice in embedding_choices(&ctx.config().settings, &ctx.home().path) {
        let started = ctx.elapsed();
        let asked = async {
            // A person asks: what failed a moment ago, here or in another process, may work now.
            let place = place_of(choice.provider, &choice.url);
            ask_again(&*ctx.store().await?, &place, None).await?;
            let opened = open_embedding(ctx, &choice, false).await?;
            let breaker = opened.client.as_ref().map(|client| client.breaker());
            ask_again(&*ctx.store().await?, &place, breaker.map(|breaker| &**breaker)).await?;
            opened.embedder.embed_query("Does this work?").await?;
            Ok::<_, EngineError>(opened.embedder.model().clone())
        };
        let asked = asked.await;
        let latency_ms = millis(ctx, started);
        results.push(match asked {
            Ok(card) => TestRecord {
                roles: vec!["embed".to_owned()],
                id: card.id,
                answered: true,
                latency_ms,
                dimensions: Some(card.dimensions),
                error: None,
            },
            Err(error) => failed("embed", choice.id(), latency_ms, &error),
        });
    }
    results
}

async fn chats(ctx: &Ctx, wanted: impl Fn(&str) -> bool, results: &mut Vec<TestRecord>) -> Result<()> {
    for role in Role::ALL.into_iter().filter(|role| wanted(role.name())) {
        let Some(choice) = chat_choice(&ctx.config().settings, role) else { continue };
        let id = format!("{}/{}", choice.provider.name, choice.model);
        if let Some(known) = results.iter_mut().find(|result| result.id == id) {
            known.roles.push(role.name().to_owned());
            continue;
        }
        let started = ctx.elapsed();
        let asked = async {
            let (chat, breaker) = open_chat(ctx, &choice, role).await?;
            let place = if choice.provider.is_command() {
                command_place(&choice.model)
            } else {
                place_of(choice.provider, &choice.url)
            };
            ask_again(&*ctx.store().await?, &place, Some(&breaker)).await?;
            let request = ChatRequest::new("Answer with one word.", "Say yes.").up_to(64);
            Ok::<_, EngineError>(chat.complete(&request).await?)
        };
        let asked = asked.await;
        let latency_ms = millis(ctx, started);
        results.push(match asked {
            Ok(_) => TestRecord {
                roles: vec![role.name().to_owned()],
                id,
                answered: true,
                latency_ms,
                dimensions: None,
                error: None,
            },
            Err(error) => failed(role.name(), id, latency_ms, &error),
        });
    }
    Ok(())
}

fn failed(role: &str, id: String, latency_ms: u64, error: &EngineError) -> TestRecord {
    let error = Some(error.to_string());
    TestRecord { roles: vec![role.to_owned()], id, answered: false, latency_ms, dimensions: None, error }
}

fn millis(ctx: &Ctx, started: std::time::Duration) -> u64 {
    u64::try_from(ctx.elapsed().saturating_sub(started).as_millis()).unwrap_or(u64::MAX)
}
