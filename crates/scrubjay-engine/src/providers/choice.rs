//! From settings to models, in the order in which they are to be used.

use std::path::{Path, PathBuf};

use scrubjay_models::embed::BuiltinModel;

use super::role::Role;
use crate::config::Settings;
use crate::provider_list::{EmbeddingRuntime, Provider, ServedModel};

/// An embedder that the settings name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmbeddingChoice {
    /// Who runs it.
    pub provider: Provider,
    /// The provider's name for the model.
    pub model: String,
    /// Where the provider is; nothing for those that are not called.
    pub url: String,
    /// Fewer values than the model has by itself.
    pub dimensions: Option<usize>,
    /// The file or folder of a local model.
    pub path: PathBuf,
}

/// A chat model that the settings name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChatChoice {
    /// Who runs it.
    pub provider: Provider,
    /// The provider's name for the model.
    pub model: String,
    /// Where the provider is.
    pub url: String,
}

impl EmbeddingChoice {
    /// The id of its vectors, where it is known without loading anything: `openai/text-embedding-3-large:256`.
    #[must_use]
    pub fn id(&self) -> String {
        let shortened = self.dimensions.map_or_else(String::new, |dimensions| format!(":{dimensions}"));
        format!("{}/{}{shortened}", self.provider.name, self.model)
    }

    /// The model as its provider's protocol needs to know it.
    pub(crate) fn served(&self) -> ServedModel {
        ServedModel {
            model: self.model.clone(),
            dimensions: self.dimensions,
            at_default_url: self.url == self.provider.default_url,
        }
    }
}

impl ChatChoice {
    /// The model as its provider's protocol needs to know it.
    pub(crate) fn served(&self) -> ServedModel {
        let at_default_url = self.url == self.provider.default_url;
        ServedModel { model: self.model.clone(), dimensions: None, at_default_url }
    }
}

/// The embedders that the settings name, in the order in which they are to be used: what `embedding.provider` says,
/// then `embedding.fallback`. For `auto`, the first provider by `auto_rank` that is there: a local model that exists,
/// a served one with a key, the built-in one.
#[must_use]
pub fn embedding_choices(settings: &Settings, home: &Path) -> Vec<EmbeddingChoice> {
    let chosen = &settings.embedding;
    let mut choices: Vec<EmbeddingChoice> = Vec::new();
    for (place, name) in std::iter::once(&chosen.provider).chain(&chosen.fallback).enumerate() {
        let choice = match name.as_str() {
            "none" => continue,
            "auto" => automatic(settings, home),
            // What is said about the model is said about the first provider; a fallback has its usual one.
            name => Provider::from_name(name).and_then(|provider| of_provider(settings, home, provider, place == 0)),
        };
        if let Some(choice) = choice.filter(|choice| !choices.contains(choice)) {
            choices.push(choice);
        }
    }
    choices
}

/// The embedder that made vectors with this id, if the settings and what is usual are enough to make another like it.
/// Addresses come from the settings alone, never from what is stored.
#[must_use]
pub(crate) fn choice_of_id(settings: &Settings, home: &Path, id: &str) -> Option<EmbeddingChoice> {
    let (name, rest) = id.split_once('/')?;
    let provider = Provider::from_name(name)?;
    let (model, dimensions) = match rest.rsplit_once(':') {
        Some((model, digits)) if digits.parse::<usize>().is_ok() => (model, digits.parse().ok()),
        _ => (rest, None),
    };
    match &provider.embedding.as_ref()?.runtime {
        EmbeddingRuntime::ModelFile => None,
        EmbeddingRuntime::BuiltIn => {
            let model = BuiltinModel::from_id(id)?.name().to_owned();
            Some(EmbeddingChoice { model, ..of_provider(settings, home, provider, false)? })
        }
        EmbeddingRuntime::Served(_) => {
            let own = settings.embedding.provider == provider.name;
            let usual = of_provider(settings, home, provider, own)?;
            Some(EmbeddingChoice { model: model.to_owned(), dimensions, ..usual })
        }
    }
}

/// The chat model of a role; none if none is set up.
#[must_use]
pub fn chat_choice(settings: &Settings, role: Role) -> Option<ChatChoice> {
    let chosen = &settings.chat;
    let provider = Provider::from_name(&chosen.provider)?;
    let own = match role {
        Role::Gate => &chosen.gate,
        Role::Extract => &chosen.extract,
        Role::Consolidate => &chosen.consolidate,
        Role::Reflect => &chosen.reflect,
        Role::Summarize => &chosen.summarize,
    };
    let named = if own.is_empty() { &chosen.model } else { own };
    // `anthropic/claude-haiku-4-5` names another provider than the rest; a model's own name may hold a slash too.
    let other = named.split_once('/').and_then(|(name, model)| Some((Provider::from_name(name)?, model)));
    let (provider, model) = match other.filter(|(other, _)| other.chats()) {
        Some((other, model)) => (other, model),
        None => (provider, named.as_str()),
    };
    if !provider.works_as(role) {
        return None;
    }
    if provider.is_command() {
        let model = if model.is_empty() { own_program(&chosen.command.program) } else { model.to_owned() };
        return Some(ChatChoice { provider, model, url: String::new() });
    }
    let model = if model.is_empty() { provider.default_chat_model(role) } else { model };
    let own_address = !chosen.url.is_empty() && provider.name == chosen.provider;
    let url = if own_address { chosen.url.as_str() } else { provider.default_url };
    Some(ChatChoice { provider, model: model.to_owned(), url: trimmed(url) })
}

// A program of the user's own is named by its file.
fn own_program(program: &str) -> String {
    Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn automatic(settings: &Settings, home: &Path) -> Option<EmbeddingChoice> {
    let rank = |provider: &Provider| provider.embedding.as_ref().and_then(|embedding| embedding.auto_rank);
    let mut ranked: Vec<Provider> = Provider::all().filter(|provider| rank(provider).is_some()).collect();
    ranked.sort_by_key(rank);
    ranked.into_iter().find_map(|provider| {
        let choice = of_provider(settings, home, provider, provider.is_model_file())?;
        let is_there = match &provider.embedding.as_ref()?.runtime {
            EmbeddingRuntime::BuiltIn => true,
            EmbeddingRuntime::ModelFile => choice.path.exists(),
            EmbeddingRuntime::Served(_) => provider.key(&settings.keys).is_some(),
        };
        is_there.then_some(choice)
    })
}

// None if the provider makes no vectors.
fn of_provider(settings: &Settings, home: &Path, provider: Provider, first: bool) -> Option<EmbeddingChoice> {
    let chosen = &settings.embedding;
    let embedding = provider.descriptor().embedding.as_ref()?;
    let path = match embedding.runtime {
        EmbeddingRuntime::ModelFile if chosen.path.is_empty() => home.join("models").join(embedding.default_model),
        EmbeddingRuntime::ModelFile => home.join(&chosen.path),
        EmbeddingRuntime::BuiltIn | EmbeddingRuntime::Served(_) => PathBuf::new(),
    };
    let own = |value: &str, usual: &str| if first && !value.is_empty() { value.to_owned() } else { usual.to_owned() };
    let model = match embedding.runtime {
        EmbeddingRuntime::ModelFile => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        // The name of a built-in model is nobody else's, so that it counts for `auto` and for a fallback too.
        EmbeddingRuntime::BuiltIn if BuiltinModel::from_name(&chosen.model).is_some() => chosen.model.clone(),
        EmbeddingRuntime::BuiltIn | EmbeddingRuntime::Served(_) => own(&chosen.model, embedding.default_model),
    };
    let known = scrubjay_models::embed::known(&model);
    let usual = known.filter(|known| known.shortened).map(|known| known.dimensions);
    let asked = (first && chosen.dimensions > 0).then_some(chosen.dimensions);
    Some(EmbeddingChoice {
        provider,
        url: trimmed(&own(&chosen.url, provider.default_url)),
        dimensions: asked.or(usual).filter(|_| embedding.takes_dimensions),
        model,
        path,
    })
}

fn trimmed(url: &str) -> String {
    url.trim().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretText;

    fn settings(provider: &str) -> Settings {
        let mut settings = Settings::default();
        settings.embedding.provider = provider.to_owned();
        settings
    }

    fn ids(settings: &Settings) -> Vec<String> {
        embedding_choices(settings, Path::new("/nonexistent")).iter().map(EmbeddingChoice::id).collect()
    }

    #[test]
    fn auto_takes_what_there_is() {
        let mut automatic = settings("auto");
        assert_eq!(ids(&automatic), ["builtin/"]);
        automatic.keys.set("gemini", SecretText::new("k"));
        assert_eq!(ids(&automatic), ["gemini/gemini-embedding-001:768"]);
        automatic.keys.set("openai", SecretText::new("k"));
        assert_eq!(ids(&automatic), ["openai/text-embedding-3-small"]);
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("models/embeddinggemma-300M-Q8_0.gguf");
        std::fs::create_dir(model.parent().unwrap()).unwrap();
        std::fs::write(&model, "GGUF").unwrap();
        let choices = embedding_choices(&automatic, folder.path());
        assert_eq!((choices[0].provider, &choices[0].path), (Provider::from_name("local").unwrap(), &model));
    }

    #[test]
    fn the_name_of_a_built_in_model_counts_wherever_that_is_used() {
        for provider in ["builtin", "auto"] {
            let mut chosen = settings(provider);
            chosen.embedding.model = "builtin-multilingual".to_owned();
            assert_eq!(ids(&chosen), ["builtin/builtin-multilingual"]);
        }
        let home = Path::new("/nonexistent");
        let model = |id: &str| choice_of_id(&settings("builtin"), home, id).map(|choice| choice.model);
        assert_eq!(model("builtin/granite-embedding-30m-english@1").as_deref(), Some(""));
        assert_eq!(model("builtin/potion-multilingual-128@1").as_deref(), Some("builtin-multilingual"));
        assert_eq!(model("builtin/something-else@1"), None);
    }

    #[test]
    fn fallbacks_follow_in_order_and_each_once() {
        let mut chosen = settings("openai");
        chosen.embedding.model = "text-embedding-3-large".to_owned();
        chosen.embedding.url = "http://localhost:8000/v1/".to_owned();
        chosen.embedding.fallback = ["gemini", "builtin", "openai", "none"].map(str::to_owned).to_vec();
        let choices = embedding_choices(&chosen, Path::new("/nonexistent"));
        assert_eq!(choices[0].url, "http://localhost:8000/v1");
        assert_eq!(
            ids(&chosen),
            [
                "openai/text-embedding-3-large:256",
                "gemini/gemini-embedding-001:768",
                "builtin/",
                "openai/text-embedding-3-small"
            ]
        );
        assert!(ids(&settings("none")).is_empty());
    }

    #[test]
    fn vectors_of_before_have_an_embedder_without_a_stored_address() {
        let chosen = settings("ollama");
        let home = Path::new("/nonexistent");
        let openai = choice_of_id(&chosen, home, "openai/text-embedding-3-large:256").unwrap();
        assert_eq!((openai.url.as_str(), openai.dimensions), ("https://api.openai.com/v1", Some(256)));
        assert_eq!(openai.id(), "openai/text-embedding-3-large:256");
        let tagged = choice_of_id(&chosen, home, "ollama/nomic-embed-text:v1.5").unwrap();
        assert_eq!(tagged.model, "nomic-embed-text:v1.5");
        assert_eq!(choice_of_id(&chosen, home, "local/x@1"), None);
        assert_eq!(choice_of_id(&chosen, home, "fake/x@1"), None);
    }

    #[test]
    fn a_command_is_asked_for_facts_and_summaries_only() {
        let mut chosen = Settings::default();
        chosen.chat.provider = "command".to_owned();
        chosen.chat.model = "claude/haiku".to_owned();
        let model = |chosen: &Settings, role| chat_choice(chosen, role).map(|choice| choice.model);
        for role in [Role::Extract, Role::Reflect, Role::Summarize] {
            assert_eq!(model(&chosen, role).as_deref(), Some("claude/haiku"));
        }
        chosen.chat.gate = "command/claude".to_owned();
        assert_eq!((model(&chosen, Role::Gate), model(&chosen, Role::Consolidate)), (None, None));
        chosen.chat.gate = "ollama/llama3.2".to_owned();
        assert_eq!(chat_choice(&chosen, Role::Gate).unwrap().provider.name, "ollama");
        chosen.chat.model = String::new();
        chosen.chat.command.program = "/opt/bin/answer".to_owned();
        assert_eq!(model(&chosen, Role::Extract).as_deref(), Some("answer"));
        chosen.chat.provider = "openai".to_owned();
        chosen.chat.extract = "command/codex".to_owned();
        assert_eq!(chat_choice(&chosen, Role::Extract).unwrap().provider.name, "command");
    }

    #[test]
    fn roles_have_their_own_models() {
        let mut chosen = Settings::default();
        assert_eq!(chat_choice(&chosen, Role::Gate), None);
        chosen.chat.provider = "anthropic".to_owned();
        chosen.chat.extract = "openai/gpt-5-mini".to_owned();
        chosen.chat.reflect = "claude-opus-4-1".to_owned();
        let model = |role| {
            let choice = chat_choice(&chosen, role).unwrap();
            (choice.provider.name, choice.model)
        };
        assert_eq!(model(Role::Gate), ("anthropic", "claude-haiku-4-5".to_owned()));
        assert_eq!(model(Role::Extract), ("openai", "gpt-5-mini".to_owned()));
        assert_eq!(model(Role::Reflect), ("anthropic", "claude-opus-4-1".to_owned()));
        chosen.chat.provider = "openai".to_owned();
        chosen.chat.url = "http://localhost:8080/v1".to_owned();
        chosen.chat.model = "org/some-model".to_owned();
        let choice = chat_choice(&chosen, Role::Summarize).unwrap();
        assert_eq!((choice.model.as_str(), choice.url.as_str()), ("org/some-model", "http://localhost:8080/v1"));
    }
}
