//! Replacing a fact that was wrong.

use schemars::JsonSchema;
use scrubjay_core::memory::{EndedBy, Kind, Link, Relation};
use scrubjay_core::text::TextHash;
use scrubjay_store::change::{Applied, Change};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::operation::{Group, Operation, Risk, Surfaces};
use super::tool::Tool;
use crate::capture::{Draft, check_size, clean, prepare};
use crate::queue::after_writing;
use crate::record::memory_id;
use crate::tiers::{Ask, ask};
use crate::{Ctx, EngineError, Result};

/// Replace a fact by a corrected one.
///
/// The old fact ends and stays in history; the new one takes over its type, importance and tags and is linked to it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct CorrectInput {
    /// The fact that is wrong.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "ID"}, "x-mcp" = "The fact's id, from search_memory."))]
    pub id: String,
    /// What is right.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TEXT"}))]
    pub content: String,
    /// You, a person, want this change of a preference for all projects; otherwise it waits for your confirmation.
    #[serde(default)]
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// The correction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CorrectOutput {
    /// The corrected fact; null if the correction waits.
    pub id: Option<String>,
    /// The fact it replaces.
    pub replaces: String,
    /// The confirmation that the correction waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
    /// What was taken out of the text.
    pub warnings: Vec<String>,
}

/// `correct`.
pub struct Correct;

impl Operation for Correct {
    type Input = CorrectInput;
    type Output = CorrectOutput;
    const NAME: &'static str = "correct";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["correct"], http: true, mcp: Some("correct_fact") };
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r#"  scrubjay correct fact_2b7e91c4 "Grace owns billing""#;
    const TOOL: Tool = Tool {
        about: "Replace a fact that is wrong or has changed by what is right.",
        required: &["id", "content"],
        optional: &[],
    };

    async fn run(ctx: &Ctx, input: CorrectInput) -> Result<CorrectOutput> {
        let id = memory_id(&input.id)?;
        let store = ctx.store().await?;
        let old = store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(&input.id))?;
        if old.kind() != Kind::Fact {
            let message =
                format!("{id} is an {}; only facts can be corrected (`scrubjay edit` changes any memory)", old.kind());
            return Err(EngineError::invalid(message));
        }
        check_size(ctx, &input.content)?;
        let cleaned = clean(&input.content, ctx.config().settings.capture.redact);
        if cleaned.text.is_empty() {
            return Err(EngineError::invalid("the correction is empty; to drop the fact use `scrubjay forget`"));
        }
        if ctx.must_ask(&old.scope, &old.memory_type, old.origin.kind, input.yes) {
            let question =
                format!("Replace the {} “{}” by “{}” for all projects", old.memory_type, old.content, cleaned.text);
            let later = json!({"id": input.id, "content": cleaned.text});
            let pending = Some(ask(ctx, Self::NAME, later, question).await?.to_string());
            return Ok(CorrectOutput { id: None, replaces: id.to_string(), pending, warnings: cleaned.warnings });
        }
        let draft = Draft {
            kind: Kind::Fact,
            scope: old.scope.clone(),
            content: cleaned.text,
            memory_type: Some(old.memory_type.to_string()),
            session_id: old.session_id.clone(),
            role: None,
            importance: Some(old.importance.value()),
            confidence: None,
            event_time: None,
            origin: old.origin.clone(),
            tags: old.tags.clone(),
            source_ids: Vec::new(),
            attributes: old.attributes.clone(),
            client_id: None,
            explicit: ctx.actor() == "user",
        };
        let new = prepare(ctx, draft)?;
        // The link would have nothing to lead from.
        if !new.despite_purge && store.is_purged(&old.scope, TextHash::of_value(&new.memory.content)).await? {
            return Err(EngineError::refused("this text was purged here; a person can remember it again"));
        }
        let link = Link { from: new.memory.id, relation: Relation::Supersedes, to: id };
        let changes = vec![
            Change::End { id, expected_version: Some(old.version), by: EndedBy::Corrected },
            Change::Create(Box::new(new)),
            Change::Link(link),
        ];
        let jobs = after_writing(ctx, &old.scope)?;
        let applied = store.apply(ctx.view(), ctx.stamp(Self::NAME)?, changes, jobs).await?;
        match applied.into_iter().nth(1) {
            Some(Applied::Memory(memory)) => Ok(CorrectOutput {
                id: Some(memory.id.to_string()),
                replaces: id.to_string(),
                pending: None,
                warnings: cleaned.warnings,
            }),
            _ => Err(EngineError::defect("nothing was stored")),
        }
    }
}
