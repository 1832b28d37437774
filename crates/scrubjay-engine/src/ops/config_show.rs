//! The settings in force.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config_adjust::is_ours;
use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::config::{entries, keys, suggestion};
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
    /// Say what each is for, what it is by default and what it may be.
    pub describe: bool,
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
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Its default, in TOML notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// What it is made of: text, integer, number, true or false, and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// What it may be, in words; empty if anything of its type may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// The words to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// Whether `config.adjust` changes it; others are changed at the terminal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjustable: Option<bool>,
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
    const GROUP: Group = Group::Setup;
    const EXAMPLES: &'static str = r#"  scrubjay config show
  scrubjay config show query
  scrubjay config get query.max_results"#;

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
        let docs = if input.describe { keys() } else { Vec::new() };
        let settings = entries
            .into_iter()
            .filter(|entry| is_meant(&entry.key))
            .map(|entry| {
                let doc = docs.iter().find(|doc| doc.key == entry.key);
                SettingRecord {
                    origin: input.origin.then(|| entry.origin.to_string()),
                    about: doc.map(|doc| doc.doc.clone()),
                    default: doc.map(|doc| doc.default.clone()),
                    value_type: doc.map(|doc| doc.value_type.to_string()),
                    allowed: doc.map(|doc| doc.allowed.clone()),
                    choices: doc.map_or_else(Vec::new, |doc| doc.choices.iter().map(ToString::to_string).collect()),
                    adjustable: doc.map(|doc| doc.is_adjustable && is_ours(ctx, &entry.origin)),
                    key: entry.key,
                    value: entry.value,
                }
            })
            .collect();
        Ok(ConfigShowOutput { settings, warnings: ctx.config().warnings.clone() })
    }
}
