//! The models that are set up.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use scrubjay_models::embed::{BuiltinModel, known};
use scrubjay_models::http::reach;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::models::{
    EmbeddingChoice, Prices, Provider, Role, Standing, chat_choice, command_place, command_program, embedding_choices,
    found_clients, not_built_in, place_of, standing,
};
use crate::{Ctx, Result};

/// How long a provider may take to accept a connection.
const REACH: Duration = Duration::from_millis(1500);

/// List the models that are set up, who runs them, and how their providers do.
///
/// No model is called, and no text leaves; `models test` calls them. It is only looked whether somebody is there.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ModelsInput {}

/// The models.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelsOutput {
    /// Those that are set up: embedders in the order in which they are used, then chat models by role.
    pub models: Vec<ModelRecord>,
    /// What could be set up, and what is missing for it.
    pub providers: Vec<ProviderRecord>,
}

/// A model that is set up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRecord {
    /// What it is used for: embed, gate, extract, consolidate, reflect, summarize.
    pub role: String,
    /// Its provider and name.
    pub id: String,
    /// Where its provider is, or the program of a command; none for models inside of this program.
    pub url: Option<String>,
    /// Whether texts leave this machine.
    pub remote: bool,
    /// Values per vector, as far as known.
    pub dimensions: Option<usize>,
    /// Dollars per million tokens read and written, as far as known.
    pub price_usd: Option<[f64; 2]>,
    /// `ready`, `unreachable` (nobody is there), `resting` (it failed a moment ago) or `unusable`.
    pub state: String,
    /// Why it is not ready, and what to do.
    pub detail: Option<String>,
}

/// A provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderRecord {
    /// Its name in settings.
    pub name: String,
    /// What it can do: embed, chat.
    pub offers: Vec<String>,
    /// Where it is usually.
    pub url: Option<String>,
    /// Whether its key is there; none if it needs none.
    pub key: Option<bool>,
    /// For command: the clients on this machine that could be asked, as `models set chat command/NAME` wants them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<ClientRecord>,
}

/// A client that could be asked in place of a model of its vendor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientRecord {
    /// Its name in settings.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Where its program is.
    pub program: String,
}

/// `models`.
pub struct Models;

impl Operation for Models {
    type Input = ModelsInput;
    type Output = ModelsOutput;
    const NAME: &'static str = "models";
    const RISK: Risk = Risk::Read;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["models"], http: true, mcp: None };
    const GROUP: Group = Group::Models;
    const EXAMPLES: &'static str = "  scrubjay models";

    async fn run(ctx: &Ctx, _input: ModelsInput) -> Result<ModelsOutput> {
        let settings = &ctx.config().settings;
        let mut models = Vec::new();
        if ctx.embeds() {
            for choice in embedding_choices(settings, &ctx.home().path) {
                models.push(embedding(ctx, &choice).await?);
            }
        }
        for role in Role::ALL {
            if let Some(choice) = chat_choice(settings, role) {
                let id = format!("{}/{}", choice.provider.name, choice.model);
                let record = described(ctx, role.name(), id, choice.provider, &choice.url, None).await?;
                let is_command = choice.provider.is_command();
                models.push(if is_command { of_command(ctx, &choice.model, record).await? } else { record });
            }
        }
        look(&mut models).await;
        Ok(ModelsOutput { models, providers: Provider::all().map(|provider| offered(ctx, provider)).collect() })
    }
}

// Whether somebody takes connections where models are said to be; each place once.
async fn look(models: &mut [ModelRecord]) {
    let mut looked: BTreeMap<String, std::result::Result<(), String>> = BTreeMap::new();
    for model in models.iter_mut().filter(|model| matches!(model.state.as_str(), "ready" | "resting")) {
        let Some(url) = model.url.clone().filter(|url| url.contains("://")) else { continue };
        if !looked.contains_key(&url) {
            looked.insert(url.clone(), reach(&url, REACH).await);
        }
        if let Some(Err(why)) = looked.get(&url) {
            "unreachable".clone_into(&mut model.state);
            let hint = if model.remote { "is there a network?" } else { "is its server running?" };
            model.detail = Some(format!("not reachable at {url}: {why}; {hint}"));
        }
    }
}

async fn embedding(ctx: &Ctx, choice: &EmbeddingChoice) -> Result<ModelRecord> {
    let built_in = BuiltinModel::from_name(&choice.model).filter(|_| choice.provider.is_built_in());
    let built_in = built_in.map(|model| model.embedder(1).model().clone());
    let dimensions = match &built_in {
        Some(card) => Some(card.dimensions),
        None => choice.dimensions.or_else(|| known(&choice.model).map(|known| known.dimensions)),
    };
    let id = match built_in {
        Some(card) => card.id,
        None if choice.provider.is_model_file() => format!("{}/{}", choice.provider.name, choice.path.display()),
        None => choice.id(),
    };
    let mut record = described(ctx, "embed", id, choice.provider, &choice.url, dimensions).await?;
    if choice.provider.is_built_in() && BuiltinModel::from_name(&choice.model).is_none() {
        "unusable".clone_into(&mut record.state);
        record.detail = Some(not_built_in(&choice.model));
    }
    if choice.provider.is_model_file() && !choice.path.exists() {
        "unusable".clone_into(&mut record.state);
        record.detail = Some(format!("{} does not exist; set embedding.path", choice.path.display()));
    }
    Ok(record)
}

async fn of_command(ctx: &Ctx, model: &str, mut record: ModelRecord) -> Result<ModelRecord> {
    match command_program(ctx, model) {
        Some(program) => record.url = Some(program.display().to_string()),
        None => {
            "unusable".clone_into(&mut record.state);
            record.detail = Some("its program is not there; set chat.command.program to its path".to_owned());
            return Ok(record);
        }
    }
    if let Standing::Failing(rest) = standing(&*ctx.store().await?, &command_place(model)).await? {
        "resting".clone_into(&mut record.state);
        record.detail = Some(failing(ctx, rest.since_ms));
    }
    Ok(record)
}

fn failing(ctx: &Ctx, since_ms: i64) -> String {
    let seconds = (ctx.now().millis() - since_ms).max(0) / 1000;
    format!("it has been failing for {seconds} s; `scrubjay models test` says how")
}

async fn described(
    ctx: &Ctx,
    role: &str,
    id: String,
    provider: Provider,
    url: &str,
    dimensions: Option<usize>,
) -> Result<ModelRecord> {
    let settings = &ctx.config().settings;
    let called = !url.is_empty();
    let price = Prices::parse(&settings.spend.prices).of(&id).map(|price| [price.input, price.output]);
    let mut state = "ready";
    let mut detail = None;
    if called && provider.needs_key(url) && provider.key(&settings.keys).is_none() {
        state = "unusable";
        detail = Some(format!("it needs a key; set {} in the environment", provider.key_variable()));
    } else if called && let Standing::Failing(rest) = standing(&*ctx.store().await?, &place_of(provider, url)).await? {
        state = "resting";
        detail = Some(failing(ctx, rest.since_ms));
    }
    Ok(ModelRecord {
        role: role.to_owned(),
        id,
        url: called.then(|| url.to_owned()),
        remote: provider.is_remote(url),
        dimensions,
        price_usd: price.or((!provider.is_remote(url)).then_some([0.0, 0.0])),
        state: state.to_owned(),
        detail,
    })
}

fn offered(ctx: &Ctx, provider: Provider) -> ProviderRecord {
    let mut offers = Vec::new();
    if provider.embeds() {
        offers.push("embed".to_owned());
    }
    if provider.chats() {
        offers.push("chat".to_owned());
    }
    let url = provider.default_url;
    let clients = if provider.is_command() { found_clients(ctx) } else { Vec::new() };
    ProviderRecord {
        name: provider.name.to_owned(),
        offers,
        url: (!url.is_empty()).then(|| url.to_owned()),
        key: provider.api_key.as_ref().map(|_| provider.key(&ctx.config().settings.keys).is_some()),
        clients: clients.into_iter().map(client).collect(),
    }
}

fn client((entry, program): (&scrubjay_models::chat::command::Entry, std::path::PathBuf)) -> ClientRecord {
    ClientRecord { name: entry.name.to_owned(), title: entry.title.to_owned(), program: program.display().to_string() }
}
