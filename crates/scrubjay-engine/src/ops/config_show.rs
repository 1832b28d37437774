//! The settings in force.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Operation, Risk, Surfaces};
use crate::config::{entries, suggestion};
use crate::{Ctx, EngineError, Result};

/// Show the settings in force, and where each comes from.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfigShowInput {
    /// Only this setting, such as query.max_results, or those of a section, such as query.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "KEY"}))]
    pub key: Option<String>,
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
        let entries = entries(ctx.config());
        let is_meant = |key: &str| match input.key.as_deref().map(str::trim) {
            None | Some("") => true,
            Some(wanted) => key == wanted || key.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.')),
        };
        if let Some(wanted) = input.key.as_deref().filter(|_| !entries.iter().any(|entry| is_meant(&entry.key))) {
            let hint = match suggestion(wanted) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "`scrubjay config show` lists all".to_owned(),
            };
            return Err(EngineError::invalid(format!("there is no setting `{wanted}`; {hint}")));
        }
        let settings = entries
            .into_iter()
            .filter(|entry| is_meant(&entry.key))
            .map(|entry| SettingRecord {
                key: entry.key,
                value: entry.value,
                origin: input.origin.then(|| entry.origin.to_string()),
            })
            .collect();
        Ok(ConfigShowOutput { settings, warnings: ctx.config().warnings.clone() })
    }
}
