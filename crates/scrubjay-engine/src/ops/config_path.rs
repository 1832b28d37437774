//! Where things are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::{Ctx, Result};

/// Say where the store, the settings and the backups are.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct ConfigPathInput {}

/// Where things are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigPathOutput {
    /// The folder of everything.
    pub home: String,
    /// The user's settings.
    pub config: String,
    /// The store.
    pub store: String,
    /// The backups.
    pub backups: String,
    /// The agent whose store it is.
    pub agent: String,
    /// The project at hand.
    pub project: Option<String>,
}

/// `config.path`.
pub struct ConfigPath;

impl Operation for ConfigPath {
    type Input = ConfigPathInput;
    type Output = ConfigPathOutput;
    const NAME: &'static str = "config.path";
    const RISK: Risk = Risk::Read;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["config", "path"], http: false, mcp: None };
    const GROUP: Group = Group::Setup;
    const EXAMPLES: &'static str = "  scrubjay config path";

    async fn run(ctx: &Ctx, _input: ConfigPathInput) -> Result<ConfigPathOutput> {
        let home = ctx.home();
        Ok(ConfigPathOutput {
            home: home.path.display().to_string(),
            config: home.config_file.display().to_string(),
            store: home.store(&ctx.config().settings).display().to_string(),
            backups: home.backups().display().to_string(),
            agent: home.agent.clone(),
            project: ctx.view().project_id().map(ToString::to_string),
        })
    }
}
