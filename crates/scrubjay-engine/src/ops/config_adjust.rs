//! Changing a setting that only tunes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config_set::ConfigSetOutput;
use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::config::{Origin, is_adjustable, is_set, set, suggestion, unset};
use crate::{Ctx, EngineError, Result};

/// Change a setting that only tunes: a threshold, a budget, a size, a switch.
///
/// It works over HTTP too, for the owner. Paths, programs, providers, keys, addresses and what protects the store are changed with `config set`, at the terminal.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfigAdjustInput {
    /// The dotted key, such as inject.min_score.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "KEY"}))]
    pub key: String,
    /// The new value.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "VALUE"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Let the default hold again.
    pub reset: bool,
}

/// `config.adjust`.
pub struct ConfigAdjust;

impl Operation for ConfigAdjust {
    type Input = ConfigAdjustInput;
    type Output = ConfigSetOutput;
    const NAME: &'static str = "config.adjust";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["config", "adjust"], http: true, mcp: None };
    const GROUP: Group = Group::Setup;
    const EXAMPLES: &'static str = r#"  scrubjay config adjust inject.min_score 0.6
  scrubjay config adjust inject.min_score --reset"#;

    async fn run(ctx: &Ctx, input: ConfigAdjustInput) -> Result<ConfigSetOutput> {
        if !ctx.is_person() {
            return Err(EngineError::refused("only the owner changes settings, in person"));
        }
        let key = input.key.trim();
        let Some(origin) = ctx.config().origins.get(key) else {
            let hint = match suggestion(key) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "`scrubjay config show` lists all".to_owned(),
            };
            return Err(EngineError::invalid(format!("there is no setting `{key}`; {hint}")));
        };
        if !is_adjustable(key) {
            let message = format!("`{key}` is changed at the terminal alone: scrubjay config set {key} VALUE");
            return Err(EngineError::refused(message));
        }
        if !is_ours(ctx, origin) {
            return Err(EngineError::refused(format!("`{key}` is set by {origin}, which wins; change it there")));
        }
        let path = ctx.home().config_file.clone();
        // What the agent's own table says wins, so it is changed there.
        let agent = Some(ctx.home().agent.as_str());
        let agent = if is_set(&path, key, agent)? { agent } else { None };
        let change = match (&input.value, input.reset) {
            (Some(value), false) => set(&path, key, value, agent)?,
            (None, true) => unset(&path, key, agent)?,
            (None, false) => return Err(EngineError::invalid("give a value, or --reset to return to the default")),
            (Some(_), true) => return Err(EngineError::invalid("give a value or --reset, not both")),
        };
        Ok(ConfigSetOutput {
            key: key.to_owned(),
            before: change.before,
            after: change.after,
            path: path.display().to_string(),
        })
    }
}

/// Whether a change of the user's file shows: nothing above it decides the setting.
pub(super) fn is_ours(ctx: &Ctx, origin: &Origin) -> bool {
    match origin {
        Origin::Default => true,
        Origin::File { path, .. } => *path == ctx.home().config_file,
        Origin::Environment { .. } | Origin::Flag => false,
    }
}
