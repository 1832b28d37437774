//! The settings in force.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Operation, Risk, Surfaces};
use crate::config::entries;
use crate::{Ctx, Result};

/// Show the settings in force, and where each comes from.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfigShowInput {
    /// Say where each value comes from: default, file and line, environment or flag.
    pub origin: bool,
}

/// The settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigShowOutput {
    /// Every setting.
    pub settings: Vec<SettingRecord>,
    /// What was ignored, and why.
    pub warnings: Vec<String>,
}

/// One setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingRecord {
    /// Its dotted key.
    pub key: String,
    /// Its value, in TOML notation.
    pub value: String,
    /// Where it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// `config.show`.
pub struct ConfigShow;

impl Operation for ConfigShow {
    type Input = ConfigShowInput;
    type Output = ConfigShowOutput;
    const NAME: &'static str = "config.show";
    const RISK: Risk = Risk::Read;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["config", "show"], http: true, mcp: None };

    async fn run(ctx: &Ctx, input: ConfigShowInput) -> Result<ConfigShowOutput> {
        let settings = entries(ctx.config())
            .into_iter()
            .map(|entry| SettingRecord {
                key: entry.key,
                value: entry.value,
                origin: input.origin.then(|| entry.origin.to_string()),
            })
            .collect();
        Ok(ConfigShowOutput { settings, warnings: ctx.config().warnings.clone() })
    }
}
