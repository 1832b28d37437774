//! Setting up a model with one line.

use schemars::JsonSchema;
use scrubjay_models::chat::command::{ENTRIES, Entry, find};
use scrubjay_models::embed::BuiltinModel;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::config::set;
use crate::models::{Provider, Role, backfill, not_built_in};
use crate::{Ctx, EngineError, Result};

/// Set up a model, with one line in the user's file.
///
/// Keys are not written: they belong in the environment. After a change of the embedder all vectors are made anew in the background, and search goes on with the old ones until then.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelsSetInput {
    /// What it is for: embed, chat (all chat roles), gate, extract, consolidate, reflect or summarize.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "ROLE"}))]
    pub role: String,
    /// The provider, or provider/model; none to do without.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "MODEL"}))]
    pub model: String,
    /// The address of a server of your own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// For embed local: a GGUF file, or the folder of a sentence-transformer. For chat command: the program, if it is
    /// not a client in the search path; it reads the prompt and prints its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Fewer values per vector than the model has by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<usize>,
    /// Only for the agent at hand.
    pub this_agent: bool,
}

/// What was changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsSetOutput {
    /// The settings that were written, as key and value.
    pub changed: Vec<(String, String)>,
    /// The file.
    pub path: String,
    /// What is still missing.
    pub warnings: Vec<String>,
}

/// `models.set`.
pub struct ModelsSet;

impl Operation for ModelsSet {
    type Input = ModelsSetInput;
    type Output = ModelsSetOutput;
    const NAME: &'static str = "models.set";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["models", "set"], http: false, mcp: None };
    const GROUP: Group = Group::Models;
    const EXAMPLES: &'static str = r#"  scrubjay models set embed builtin
  scrubjay models set embed ollama/nomic-embed-text
  scrubjay models set chat anthropic
  scrubjay models set gate openai/gpt-5-nano
  scrubjay models set chat command/claude
  scrubjay models set chat none"#;

    async fn run(ctx: &Ctx, input: ModelsSetInput) -> Result<ModelsSetOutput> {
        let (changes, provider) = planned(&input)?;
        // An address that cannot be used is refused before it is written.
        if let Some(url) = &input.url {
            scrubjay_models::http::Address::parse(url)
                .map_err(|why| EngineError::invalid(format!("the address cannot be used: {why}")))?;
        }
        let file = ctx.home().config_file.clone();
        let agent = input.this_agent.then(|| ctx.home().agent.as_str());
        let mut changed = Vec::new();
        for (key, value) in changes {
            set(&file, &key, &value, agent)?;
            changed.push((key, value));
        }
        if let Some(provider) = provider.filter(|_| input.role == "embed") {
            backfill::give_another_chance(&*ctx.store().await?, provider).await?;
        }
        let keys = &ctx.config().settings.keys;
        let missing = provider.filter(|provider| {
            let url = input.url.as_deref().unwrap_or(provider.default_url);
            provider.needs_key(url) && provider.key(keys).is_none()
        });
        let mut warnings: Vec<String> = missing
            .map(|provider| {
                format!("{} needs a key; set {} in the environment", provider.name, provider.key_variable())
            })
            .into_iter()
            .collect();
        if provider.is_some_and(Provider::is_command) {
            let calls = ctx.config().settings.chat.command.calls_per_day;
            warnings.push(format!(
                "its calls count against your plan, {calls} a day at most (chat.command.calls_per_day), and are billed if it works with an API key"
            ));
        }
        Ok(ModelsSetOutput { changed, path: file.display().to_string(), warnings })
    }
}

fn client(model: &str) -> Option<&'static Entry> {
    find(model.split('/').next().unwrap_or_default())
}

fn names(which: fn(Provider) -> bool) -> String {
    Provider::all().filter(|provider| which(*provider)).map(|provider| provider.name).collect::<Vec<_>>().join(", ")
}

type Planned = (Vec<(String, String)>, Option<Provider>);

fn planned(input: &ModelsSetInput) -> Result<Planned> {
    let is_built_in = BuiltinModel::from_name(&input.model).is_some_and(|model| !model.name().is_empty());
    let built_in = Provider::all().find(|provider| provider.is_built_in()).filter(|_| is_built_in);
    let (name, model) = match (input.model.split_once('/'), built_in) {
        (Some((name, model)), _) => (name, model),
        (None, Some(provider)) => (provider.name, input.model.as_str()),
        (None, None) => (input.model.as_str(), ""),
    };
    let provider = Provider::from_name(name);
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    if input.role == "embed" {
        let known = provider.is_some_and(Provider::embeds);
        if !known && !matches!(name, "none" | "auto") {
            let usable = names(Provider::embeds);
            let message = format!("`{name}` makes no vectors; use {usable}, auto or none");
            return Err(EngineError::invalid(message));
        }
        if provider.is_some_and(Provider::is_built_in) && BuiltinModel::from_name(model).is_none() {
            return Err(EngineError::invalid(not_built_in(model)));
        }
        let mut changes = vec![pair("embedding.provider", name), pair("embedding.model", model)];
        changes.push(pair("embedding.url", input.url.as_deref().unwrap_or_default()));
        changes.push(pair("embedding.dimensions", &input.dimensions.unwrap_or(0).to_string()));
        if let Some(path) = &input.path {
            let absolute = std::path::absolute(path);
            let path = absolute.map_err(|error| EngineError::io("find", path.as_str(), error))?;
            changes.push(pair("embedding.path", &path.to_string_lossy()));
        }
        return Ok((changes, provider));
    }
    let chat = provider.filter(|provider| provider.chats());
    let command = chat.filter(|provider| provider.is_command());
    let is_command = command.is_some();
    if (input.path.is_some() && !(is_command && input.role == "chat")) || input.dimensions.is_some() {
        return Err(EngineError::invalid("--dimensions is for embed only, --path for embed and for chat command"));
    }
    if is_command && input.path.is_none() && client(model).is_none() {
        let names: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        let message = format!("say which program: command/NAME with {}, or command --path PROGRAM", names.join(", "));
        return Err(EngineError::invalid(message));
    }
    let refused = |role: &Role| command.is_some_and(|command| !command.works_as(*role));
    if let Some(role) = Role::from_name(&input.role).filter(refused) {
        let message = format!("rules do the work of {} for a command, which has one call per window", role.name());
        return Err(EngineError::invalid(message));
    }
    if input.role == "chat" {
        if chat.is_none() && name != "none" {
            let message = format!("`{name}` has no chat models; use {} or none", names(Provider::chats));
            return Err(EngineError::invalid(message));
        }
        let url = input.url.as_deref().unwrap_or_default();
        let mut changes = vec![pair("chat.provider", name), pair("chat.model", model), pair("chat.url", url)];
        if is_command {
            // A name without a slash is looked for in the search path.
            let path = input.path.as_deref().unwrap_or_default();
            let absolute = if path.contains('/') { std::path::absolute(path) } else { Ok(path.into()) };
            let path = absolute.map_err(|error| EngineError::io("find", path, error))?;
            changes.push(pair("chat.command.program", &path.to_string_lossy()));
        }
        return Ok((changes, chat));
    }
    let Some(role) = Role::from_name(&input.role) else {
        let role = &input.role;
        let message = format!("`{role}` is no role; use embed, chat, gate, extract, consolidate, reflect or summarize");
        return Err(EngineError::invalid(message));
    };
    if input.url.is_some() {
        return Err(EngineError::invalid("--url belongs to a provider; set it with embed or chat"));
    }
    let value = if name == "none" { "" } else { input.model.as_str() };
    Ok((vec![pair(&format!("chat.{}", role.name()), value)], chat))
}
