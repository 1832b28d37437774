//! Choosing memories: the conditions that several operations share.

use schemars::JsonSchema;
use scrubjay_core::filter::{Field, Filter, Operator, Scalar, Test};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::capture::clean_id;
use crate::record::time;
use crate::{EngineError, Result};

/// Which memories are meant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pick {
    /// Only this kind.
    #[schemars(extend("enum" = ["episode", "fact", "reflection", "scratch"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Only this type, such as decision, preference or message.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub memory_type: Option<String>,
    /// Only with this tag; several mean any of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-cli" = {"long": "tag"}))]
    pub tags: Vec<String>,
    /// Only from this conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only said by this role: user, assistant, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Only from this origin.
    #[schemars(extend("enum" = ["user", "assistant", "tool", "file", "web", "import", "system"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Only in this scope: project, global, task or task/NAME.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Only what happened at or after this time: yesterday, 3d, last week, 2026-05-01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"time": "begin", "value": "TIME"}))]
    pub since: Option<String>,
    /// Only what happened before this time: yesterday, 3d, last week, 2026-05-01.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"time": "begin", "value": "TIME"}))]
    pub until: Option<String>,
    /// Further conditions as JSON: {"importance": {"$gte": 4}, "tags": ["a", "b"]}. Operators: $eq $ne $gt $gte $lt $lte; a list means any of.
    #[serde(rename = "where", skip_serializing_if = "Value::is_null")]
    #[schemars(extend("x-cli" = {"json": true, "value": "JSON"}))]
    pub conditions: Value,
}

impl Pick {
    /// Whether nothing was chosen, so that everything is meant.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The conditions as a filter.
    ///
    /// # Errors
    /// When a value makes no sense.
    pub fn filter(&self, ctx: &crate::Ctx) -> Result<Filter> {
        let mut filter = Filter::parse(&self.conditions).map_err(EngineError::invalid)?;
        if let Some(kind) = &self.kind {
            let kind: scrubjay_core::memory::Kind = kind.parse().map_err(EngineError::invalid)?;
            filter = filter.and_equal(Field::Kind, kind.name());
        }
        if let Some(origin) = &self.origin {
            let origin: scrubjay_core::memory::OriginKind = origin.parse().map_err(EngineError::invalid)?;
            filter = filter.and_equal(Field::Origin, origin.name());
        }
        if let Some(scope) = &self.scope {
            filter = filter.and_equal(Field::Scope, ctx.scope_named(Some(scope))?.to_string());
        }
        let session = self.session.as_deref().map(|session| session_id(ctx, session));
        let plain = [(Field::Type, &self.memory_type), (Field::SessionId, &session), (Field::Role, &self.role)];
        for (field, value) in plain {
            if let Some(value) = value {
                filter = filter.and_equal(field, value.clone());
            }
        }
        if !self.tags.is_empty() {
            filter = filter.and(Field::Tags, Test::AnyOf(self.tags.iter().cloned().map(Scalar::Text).collect()));
        }
        let bounds = [(&self.since, Operator::GreaterOrEqual), (&self.until, Operator::Less)];
        for (bound, operator) in bounds {
            if let Some(text) = bound {
                let time = time(text)?;
                let test = Test::Compare(operator, Scalar::Number(time.millis() as f64));
                filter = filter.and(Field::EventTime, test);
            }
        }
        Ok(filter)
    }
}

/// A session's id as it is stored.
pub(crate) fn session_id(ctx: &crate::Ctx, text: &str) -> String {
    clean_id(text, ctx.config().settings.capture.redact)
}
