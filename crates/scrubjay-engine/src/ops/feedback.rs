//! What a person thinks of a memory being handed to agents.

use schemars::JsonSchema;
use scrubjay_store::change::{Applied, Change, Patch};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::MemoryRecord;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::context::{INJECTION, Injection};
use crate::record::memory_id;
use crate::{Ctx, EngineError, Result};

/// Say whether a memory should be handed to agents: never again, always when a prompt touches it, or when it fits.
///
/// It is kept with the memory as the attribute `injection`. A search finds the memory as before. Undo takes it back.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackInput {
    /// The memory.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "ID"}))]
    pub id: String,
    /// `never`; `always`, before others, if it has anything to do with the prompt; or `auto`, when it fits.
    #[schemars(extend("enum" = ["never", "always", "auto"]))]
    pub show: String,
}

/// The memory as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FeedbackOutput {
    /// The memory.
    pub memory: MemoryRecord,
}

/// `feedback`.
pub struct Feedback;

impl Operation for Feedback {
    type Input = FeedbackInput;
    type Output = FeedbackOutput;
    const NAME: &'static str = "feedback";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["feedback"], http: true, mcp: None };
    const GROUP: Group = Group::Agent;
    const EXAMPLES: &'static str = r#"  scrubjay feedback --show never fact_2b7e91c4
  scrubjay feedback --show always fact_2b7e91c4"#;

    async fn run(ctx: &Ctx, input: FeedbackInput) -> Result<FeedbackOutput> {
        let id = memory_id(&input.id)?;
        let wanted = match input.show.as_str() {
            "auto" => None,
            name => Some(Injection::from_name(name).ok_or_else(|| {
                EngineError::invalid(format!("`{name}` is none of never, always and auto; say --show never"))
            })?),
        };
        let store = ctx.store().await?;
        let memory = store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(&input.id))?;
        if !memory.is_active() {
            return Err(EngineError::refused(format!("{id} ended; agents are not handed it anyway")));
        }
        let mut attributes = memory.attributes.clone();
        match wanted {
            Some(wanted) => attributes.insert(INJECTION.to_owned(), Value::from(wanted.name())),
            None => attributes.remove(INJECTION),
        };
        let patch = Patch { attributes: Some(attributes), ..Patch::default() };
        let change = Change::Update { id, expected_version: Some(memory.version), patch: Box::new(patch) };
        let applied = store.apply(ctx.view(), ctx.stamp(Self::NAME)?, vec![change], Vec::new()).await?;
        match applied.into_iter().next() {
            Some(Applied::Memory(memory)) => Ok(FeedbackOutput { memory: MemoryRecord::at(&memory, ctx.now()) }),
            _ => Ok(FeedbackOutput { memory: MemoryRecord::at(&memory, ctx.now()) }),
        }
    }
}
