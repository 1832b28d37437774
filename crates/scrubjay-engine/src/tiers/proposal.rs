//! A memory that is asked for.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::memory::Memory;
use scrubjay_core::scope::Scope;
use serde::{Deserialize, Serialize};

/// Remember a fact.
///
/// It is kept in the project at hand unless another scope is given. A fact that says the same as one already known is merged into it, which then counts as more important. One that gives another value to the same supersedes it if a person says so, and otherwise waits in `review`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["content"]))]
pub struct RememberInput {
    /// What to remember.
    #[schemars(extend("x-cli" = {"positional": "rest", "value": "TEXT", "stdin": true}))]
    pub content: String,
    /// What sort of memory: fact, episode or reflection.
    #[schemars(extend("enum" = ["fact", "episode", "reflection"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its type, such as decision, preference, convention, failure, pattern, task_complete, error or milestone.
    #[schemars(extend("x-mcp" = "decision, preference, convention, failure, pattern or another."))]
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<String>,
    /// How much it matters, 1 (trivial) to 5 (critical).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    /// How sure it is, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// A label; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "tag", "short": "t"}, "x-mcp" = "Labels."))]
    pub tags: Vec<String>,
    /// Where to keep it: project, global, task or task/NAME.
    #[schemars(extend("x-mcp" = "project (default), or global: for all projects."))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The conversation it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When it happened: yesterday, 2h ago, 2026-05-01; now, if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"time": "begin", "value": "TIME"}))]
    pub time: Option<String>,
    /// Where the text came from.
    #[schemars(extend("x-mcp" = "Say tool or web if the text comes from there.", "enum" = ["user", "assistant", "tool", "file", "web", "import", "system"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// A memory it was made from; may be given several times.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"id": "memory", "long": "source", "value": "ID"}, "x-mcp" = "Ids of the memories it was made from."))]
    pub source_ids: Vec<String>,
    /// Free metadata, NAME=VALUE; may be given several times.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-cli" = {"long": "attribute", "value": "NAME=VALUE"}))]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// Your own key; remembering again with the same one changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"long": "key"}))]
    pub id: Option<String>,
    /// What becomes of a fact that gives another value to the same: `correct` supersedes it, `keep` keeps both for `review`, `ask` keeps nothing yet and tells which fact it is. If not given, a person's word corrects it, unless that fact was confirmed.
    #[schemars(extend("enum" = ["correct", "keep", "ask"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<String>,
    /// You, a person, want this preference for all projects; otherwise it waits for your confirmation.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

impl RememberInput {
    /// What to ask for to get this memory.
    pub(crate) fn of(memory: &Memory) -> Self {
        Self {
            content: memory.content.clone(),
            kind: Some(memory.kind().name().to_owned()),
            memory_type: Some(memory.memory_type.to_string()),
            importance: Some(memory.importance.value()),
            confidence: Some(memory.confidence.value()),
            tags: memory.tags.clone(),
            scope: Some(if memory.scope == Scope::Global { "global" } else { "project" }.to_owned()),
            session: memory.session_id.clone(),
            time: Some(memory.event_time.to_string()),
            origin: Some(memory.origin.kind.name().to_owned()),
            source_ids: memory.source_ids.iter().map(ToString::to_string).collect(),
            attributes: memory.attributes.clone(),
            id: None,
            conflict: None,
            yes: false,
        }
    }
}
