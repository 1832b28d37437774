//! Everything that the program needs to know about a provider.

use std::sync::Arc;

use scrubjay_models::batch::BatchProtocol;
use scrubjay_models::chat::served::ChatProtocol;
use scrubjay_models::embed::served::Protocol;
use scrubjay_models::http::HttpClient;

/// A provider of models.
pub struct Descriptor {
    /// Its name in settings, and the first part of its models' ids.
    pub name: &'static str,
    /// What it is, in one sentence for the reference page.
    pub about: &'static str,
    /// Its address unless the settings name another; empty if it is not called over the network.
    pub default_url: &'static str,
    /// The key that it wants, if it wants one.
    pub api_key: Option<ApiKey>,
    /// Headers that every request carries besides the key.
    pub headers: &'static [(&'static str, &'static str)],
    /// Its models that turn text into vectors, if it has any.
    pub embedding: Option<EmbeddingModels>,
    /// Its chat models, if it has any.
    pub chat: Option<ChatModels>,
    /// What its usual models cost, as `model=input` or `model=input/output` in dollars per million tokens.
    pub prices: &'static [&'static str],
}

/// The key of a provider. Its setting is `keys.` and the provider's name.
pub struct ApiKey {
    /// The help text of the setting.
    pub about: &'static str,
    /// The variables in which its own programs look for the key; a later one wins, and the last is named to people.
    pub variables: &'static [&'static str],
    /// The header that carries the key, and what stands before the key in it.
    pub header: (&'static str, &'static str),
    /// Whether a server at another address than the default may do without.
    pub optional_elsewhere: bool,
}

/// The models of a provider that turn text into vectors.
pub struct EmbeddingModels {
    /// The model unless the settings name another.
    pub default_model: &'static str,
    /// Whether it can be asked for fewer dimensions than a model has.
    pub takes_dimensions: bool,
    /// When `auto` tries it, lowest first; never if none. It is taken if it is there: a model file that exists, a
    /// served provider with a key, or what is part of this program.
    pub auto_rank: Option<u8>,
    /// How a model is run.
    pub runtime: EmbeddingRuntime,
    /// Its batch service, if it has one.
    pub batch: Option<OpenBatch>,
}

/// Opens the batch service of a served model.
type OpenBatch = fn(Arc<HttpClient>, &ServedModel) -> Box<dyn BatchProtocol>;

/// How an embedding model is run.
pub enum EmbeddingRuntime {
    /// It is part of this program.
    BuiltIn,
    /// It is a file or folder on this machine.
    ModelFile,
    /// It is asked over HTTP.
    Served(fn(&ServedModel) -> Box<dyn Protocol>),
}

/// The chat models of a provider.
pub struct ChatModels {
    /// The model that decides and shortens, unless the settings name another.
    pub small_model: &'static str,
    /// The model that does the rest, unless the settings name another.
    pub large_model: &'static str,
    /// How a model is run.
    pub runtime: ChatRuntime,
}

/// How a chat model is run.
pub enum ChatRuntime {
    /// It is a program of the user's; its calls count against somebody's plan.
    Command,
    /// It is asked over HTTP.
    Served(fn(&ServedModel) -> Box<dyn ChatProtocol>),
}

/// A model as its provider's protocol needs to know it.
pub struct ServedModel {
    /// The provider's name for it.
    pub model: String,
    /// Fewer values per vector than it has by itself.
    pub dimensions: Option<usize>,
    /// Whether it is asked at the provider's default address, and not at another server that speaks like it.
    pub at_default_url: bool,
}
