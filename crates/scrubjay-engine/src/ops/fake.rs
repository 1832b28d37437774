//! An operation that exists in unit tests only: this file and its line in the list are all that it takes to add one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use super::tool::Tool;
use crate::{Ctx, Result};

/// Say a text backwards.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct FakeInput {
    /// The text.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "TEXT"}))]
    pub text: String,
}

/// The text, backwards.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub(super) struct FakeOutput {
    /// The text.
    pub text: String,
}

/// `reverse`.
pub(super) struct Fake;

impl Operation for Fake {
    type Input = FakeInput;
    type Output = FakeOutput;
    const NAME: &'static str = "reverse";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["reverse"], http: true, mcp: Some("reverse") };
    const GROUP: Group = Group::Look;
    const EXAMPLES: &'static str = "  scrubjay reverse live";
    const TOOL: Tool = Tool { about: "Says a text backwards.", required: &["text"], optional: &[] };

    async fn run(_ctx: &Ctx, input: FakeInput) -> Result<FakeOutput> {
        Ok(FakeOutput { text: input.text.chars().rev().collect() })
    }
}
