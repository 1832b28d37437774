//! The small files of a model: what it is, and how its output becomes one vector.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::activation::Activation;
use crate::builtin::Pooling;
use crate::prefix::PrefixScheme;

/// Larger files of this kind do not exist.
const LARGEST_BYTES: u64 = 1 << 20;

/// `config.json`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Config {
    model_type: String,
    pub(super) hidden_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    pub(super) intermediate_size: usize,
    pub(super) vocab_size: usize,
    pub(super) max_position_embeddings: usize,
    #[serde(default = "epsilon")]
    pub(super) layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

/// Everything that the encoder must know.
#[derive(Debug, Clone)]
pub(super) struct Description {
    pub(super) config: Config,
    pub(super) activation: Activation,
    pub(super) pooling: Pooling,
    pub(super) max_tokens: usize,
    pub(super) prefix_scheme: PrefixScheme,
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
    path: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct PoolingConfig {
    pooling_mode: Option<String>,
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Prompts {
    prompts: BTreeMap<String, String>,
}

fn epsilon() -> f32 {
    1e-12
}

/// Reads the small files of a folder.
pub(super) fn describe(folder: &Path) -> Result<Description, String> {
    let config: Config = read(&folder.join("config.json"))?.ok_or("config.json is missing")?;
    if config.model_type != "bert" {
        return Err(format!("its architecture is `{}`, and only `bert` can be run", config.model_type));
    }
    if config.position_embedding_type.as_deref().is_some_and(|kind| kind != "absolute") {
        return Err("its positions are relative, which cannot be run".to_owned());
    }
    let activation = Activation::named(&config.hidden_act)
        .ok_or_else(|| format!("its activation `{}` is not known", config.hidden_act))?;
    check_sizes(&config)?;
    let modules: Vec<Module> = read(&folder.join("modules.json"))?.unwrap_or_default();
    let mut pooling = Pooling::Mean;
    for module in &modules {
        match module.kind.rsplit('.').next().unwrap_or_default() {
            "Transformer" | "Normalize" => {}
            "Pooling" => pooling = pooling_of(&folder.join(beneath(&module.path)?).join("config.json"))?,
            other => return Err(format!("it has a module `{other}`, which cannot be run")),
        }
    }
    let sentence: SentenceConfig = read(&folder.join("sentence_bert_config.json"))?.unwrap_or_default();
    let max_tokens = sentence.max_seq_length.unwrap_or(usize::MAX).min(config.max_position_embeddings);
    if max_tokens < 3 {
        return Err("it sees fewer than three tokens".to_owned());
    }
    let prompts: Prompts = read(&folder.join("config_sentence_transformers.json"))?.unwrap_or_default();
    Ok(Description { activation, pooling, max_tokens, prefix_scheme: prefixes(&prompts), config })
}

fn check_sizes(config: &Config) -> Result<(), String> {
    // Far above any model of this family; it keeps products of these numbers from overflowing.
    const LARGEST: usize = 1 << 20;
    let sizes = [
        config.hidden_size,
        config.num_hidden_layers,
        config.num_attention_heads,
        config.intermediate_size,
        config.vocab_size,
        config.max_position_embeddings,
    ];
    if sizes.iter().any(|size| !(1..=LARGEST).contains(size)) {
        return Err("a size in config.json is zero or too large".to_owned());
    }
    if !config.hidden_size.is_multiple_of(config.num_attention_heads) {
        return Err("its attention heads do not divide its hidden size".to_owned());
    }
    Ok(())
}

fn pooling_of(path: &Path) -> Result<Pooling, String> {
    let config: PoolingConfig = read(path)?.ok_or("the configuration of its pooling is missing")?;
    match (config.pooling_mode.as_deref(), config.pooling_mode_cls_token, config.pooling_mode_mean_tokens) {
        (Some("cls"), ..) | (None, true, false) => Ok(Pooling::Cls),
        (Some("mean"), ..) | (None, false, true) => Ok(Pooling::Mean),
        _ => Err("its pooling is neither the mean nor the first token".to_owned()),
    }
}

// A module lies inside the folder of its model.
fn beneath(path: &str) -> Result<&str, String> {
    let inside = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if inside { Ok(path) } else { Err("modules.json names a place outside of the folder".to_owned()) }
}

fn prefixes(prompts: &Prompts) -> PrefixScheme {
    let prompt = |names: &[&str]| names.iter().find_map(|name| prompts.prompts.get(*name)).cloned().unwrap_or_default();
    let (document, query) = (prompt(&["document", "passage", "corpus"]), prompt(&["query"]));
    if document.is_empty() && query.is_empty() {
        return PrefixScheme::None;
    }
    PrefixScheme::Custom { document, query }
}

fn read<Form: DeserializeOwned>(path: &Path) -> Result<Option<Form>, String> {
    let name = path.file_name().unwrap_or_default().display();
    match fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(found) if found.len() > LARGEST_BYTES => return Err(format!("{name} is too large")),
        _ => {}
    }
    let text = fs::read(path).map_err(|error| format!("{name} cannot be read ({error})"))?;
    serde_json::from_slice(&text).map(Some).map_err(|error| format!("{name} is not understood ({error})"))
}
