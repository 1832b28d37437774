//! Changing a memory.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::memory::{Confidence, Importance, Memory, MemoryType, label};
use scrubjay_store::change::{Applied, Change, Patch};
use serde::{Deserialize, Serialize};

use super::MemoryRecord;
use super::operation::{Group, Operation, Risk, Surfaces};
use crate::capture::{check_size, clean, clean_label};
use crate::clean::clean_attributes;
use crate::queue::after_writing;
use crate::record::{memory_id, time};
use crate::tiers::{Ask, ask};
use crate::{Ctx, EngineError, Result};

/// Change a memory's text, type, importance, labels or metadata.
///
/// What is not given stays as it is. The former values stay in history.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EditInput {
    /// The memory.
    #[schemars(extend("x-cli" = {"id": "memory", "positional": "one", "value": "ID"}))]
    pub id: String,
    /// The new text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The new type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<String>,
    /// The new importance, 1 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// The new confidence, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// When it happened: yesterday, 2h ago, 2026-05-01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"time": "begin", "value": "TIME"}))]
    pub time: Option<String>,
    /// A label to add; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "tag", "short": "t"}))]
    pub add_tags: Vec<String>,
    /// A label to remove; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "untag", "value": "TAG"}))]
    pub remove_tags: Vec<String>,
    /// Metadata to set, NAME=VALUE; NAME=null removes it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-cli" = {"long": "attribute", "value": "NAME=VALUE"}))]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// Refuse if the memory's version is another one by now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<u64>,
    /// You, a person, want this change of a preference for all projects; otherwise it waits for your confirmation.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// The memory as it is now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EditOutput {
    /// The memory.
    pub memory: MemoryRecord,
    /// The confirmation that the change waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<String>,
    /// What was taken out of the text.
    pub warnings: Vec<String>,
}

/// `edit`.
pub struct Edit;

impl Operation for Edit {
    type Input = EditInput;
    type Output = EditOutput;
    const NAME: &'static str = "edit";
    const RISK: Risk = Risk::Write;
    const SURFACES: Surfaces = Surfaces { command: &["edit"], http: true, mcp: None };
    const GROUP: Group = Group::Change;
    const EXAMPLES: &'static str = r#"  scrubjay edit fact_2b7e91c4 --importance 5 --tag billing
  scrubjay edit fact_2b7e91c4 --content "Ada owns billing and refunds""#;

    async fn run(ctx: &Ctx, input: EditInput) -> Result<EditOutput> {
        let id = memory_id(&input.id)?;
        let store = ctx.store().await?;
        let memory = store.get(ctx.view(), id).await?.ok_or_else(|| super::show::missing(&input.id))?;
        let settings = &ctx.config().settings.capture;
        let mut warnings = Vec::new();
        let mut patch = Patch::default();
        let asked = EditInput { content: None, ..input.clone() };
        if let Some(content) = &input.content {
            check_size(ctx, content)?;
            let cleaned = clean(content, settings.redact);
            if cleaned.text.is_empty() {
                return Err(EngineError::invalid("the new text is empty; to drop the memory use `scrubjay forget`"));
            }
            warnings = cleaned.warnings;
            patch.content = Some(cleaned.text);
        }
        patch.memory_type = input
            .memory_type
            .map(|text| clean_label(&text, settings.redact).parse::<MemoryType>())
            .transpose()
            .map_err(EngineError::invalid)?;
        patch.importance =
            input.importance.map(Importance::new).transpose().map_err(EngineError::invalid)?.map(Importance::value);
        patch.confidence =
            input.confidence.map(Confidence::new).transpose().map_err(EngineError::invalid)?.map(Confidence::value);
        patch.event_time = input.time.as_deref().map(time).transpose()?;
        if !input.add_tags.is_empty() || !input.remove_tags.is_empty() {
            let mut tags = memory.tags.clone();
            tags.retain(|tag| !input.remove_tags.contains(tag));
            for tag in &input.add_tags {
                let tag = label("tag", &clean_label(tag, settings.redact), 64).map_err(EngineError::invalid)?;
                if !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
            patch.tags = Some(tags);
        }
        if !input.attributes.is_empty() {
            let mut attributes = memory.attributes.clone();
            attributes.extend(clean_attributes(input.attributes, settings.redact));
            attributes.retain(|_, value| !value.is_null());
            patch.attributes = Some(attributes);
        }
        if patch.is_empty() {
            return Err(EngineError::invalid("say what to change, for example --content TEXT or --importance 4"));
        }
        let changed_type = patch.memory_type.as_ref().unwrap_or(&memory.memory_type);
        let must_ask = |one: &MemoryType| ctx.must_ask(&memory.scope, one, memory.origin.kind, asked.yes);
        if must_ask(&memory.memory_type) || must_ask(changed_type) {
            return put_off(ctx, &memory, asked, &patch, warnings).await;
        }
        // The version that was read guards the lists that were merged from it.
        let expected_version = Some(input.expected_version.unwrap_or(memory.version));
        let jobs = after_writing(ctx, &memory.scope)?;
        let change = Change::Update { id, expected_version, patch: Box::new(patch) };
        let applied = store.apply(ctx.view(), ctx.stamp(Self::NAME)?, vec![change], jobs).await?;
        match applied.into_iter().next() {
            Some(Applied::Memory(memory)) => {
                Ok(EditOutput { memory: MemoryRecord::at(&memory, ctx.now()), pending: None, warnings })
            }
            _ => Err(EngineError::defect("nothing was changed")),
        }
    }
}

// The same change, cleaned, as an input that makes it later.
async fn put_off(
    ctx: &Ctx,
    memory: &Memory,
    asked: EditInput,
    patch: &Patch,
    warnings: Vec<String>,
) -> Result<EditOutput> {
    let redact = ctx.config().settings.capture.redact;
    let labels = |labels: Vec<String>| labels.iter().map(|label| clean_label(label, redact)).collect();
    let input = EditInput {
        content: patch.content.clone(),
        memory_type: patch.memory_type.as_ref().map(ToString::to_string),
        add_tags: labels(asked.add_tags),
        remove_tags: labels(asked.remove_tags),
        attributes: clean_attributes(asked.attributes, redact),
        yes: false,
        ..asked
    };
    let input = serde_json::to_value(input).map_err(|source| EngineError::Encode { operation: "edit", source })?;
    let question = match &patch.content {
        Some(content) => {
            format!("Change the {} “{}” to “{content}” for all projects", memory.memory_type, memory.content)
        }
        None => format!("Change the {} “{}”, which holds for all projects", memory.memory_type, memory.content),
    };
    let pending = Some(ask(ctx, "edit", input, question).await?.to_string());
    Ok(EditOutput { memory: MemoryRecord::at(memory, ctx.now()), pending, warnings })
}
