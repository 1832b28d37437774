//! Changing a setting.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::config::{set, unset};
use crate::{Ctx, EngineError, Result};

/// Change a setting in the user's file; comments and order in it stay.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfigSetInput {
    /// The dotted key, such as query.max_results.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "KEY"}))]
    pub key: String,
    /// The new value.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "VALUE"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Remove the setting, so that the default holds again.
    pub unset: bool,
    /// Only for the agent at hand.
    pub this_agent: bool,
}

/// The change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigSetOutput {
    /// The key.
    pub key: String,
    /// The value in the file before.
    pub before: Option<String>,
    /// The value in the file now.
    pub after: Option<String>,
    /// The file.
    pub path: String,
}

/// `config.set`.
pub struct ConfigSet;

impl Operation for ConfigSet {
    type Input = ConfigSetInput;
    type Output = ConfigSetOutput;
    const NAME: &'static str = "config.set";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["config", "set"], http: false, mcp: None };
    const GROUP: Group = Group::Setup;
    const EXAMPLES: &'static str = r#"  scrubjay config set query.max_results 10
  scrubjay config set query.max_results --unset"#;

    async fn run(ctx: &Ctx, input: ConfigSetInput) -> Result<ConfigSetOutput> {
        let path = ctx.home().config_file.clone();
        let agent = input.this_agent.then(|| ctx.home().agent.as_str());
        let change = match (&input.value, input.unset) {
            (Some(value), false) => set(&path, &input.key, value, agent)?,
            (None, true) => unset(&path, &input.key, agent)?,
            (None, false) => return Err(EngineError::invalid("give a value, or --unset to return to the default")),
            (Some(_), true) => return Err(EngineError::invalid("give a value or --unset, not both")),
        };
        Ok(ConfigSetOutput {
            key: change.key,
            before: change.before,
            after: change.after,
            path: path.display().to_string(),
        })
    }
}
