//! Messages and tool results as callers hand them in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A message of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Turn {
    /// Who said it: user, assistant, system or tool.
    pub role: String,
    /// What was said.
    pub content: String,
}

/// What a tool gave back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ToolResult {
    /// The tool's name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub tool: String,
    /// What it gave back.
    pub content: String,
}
