//! The model, whose parameters are in `facts.json`: logistic regressions over the same features.
//!
//! `worth` says whether a sentence of work talk is worth keeping for months, `chat` the same of what somebody says
//! elsewhere, `types` of which type it is if so. `scripts/fit-facts`
//! makes the file; docs/quality.md tells how well it does.

use std::collections::HashMap;
use std::sync::LazyLock;

use scrubjay_models::builtin::{StaticTable, potion_multilingual};
use serde::Deserialize;

use super::features::Features;

static MODEL: LazyLock<Model> = LazyLock::new(|| {
    // A test reads the same file; it cannot fail here.
    serde_json::from_str(include_str!("facts.json")).unwrap_or_default()
});

static TABLE: LazyLock<Option<StaticTable>> = LazyLock::new(|| potion_multilingual().ok());

/// What the model says of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judgement {
    /// The probability that it is worth keeping.
    pub(super) worth: f64,
    /// The same, if it is not said at work.
    pub(super) worth_in_chat: f64,
    /// Its likeliest type.
    pub(super) memory_type: &'static str,
}

/// Judges a sentence by its features.
pub(super) fn judge(features: &Features) -> Judgement {
    let model = &*MODEL;
    let logit = |table: &Table| {
        let weights = features.iter().filter_map(|(name, value)| Some(value * table.weights.get(name)?));
        table.bias + weights.sum::<f32>()
    };
    let likeliest = model.types.iter().max_by(|(_, one), (_, other)| logit(one).total_cmp(&logit(other)));
    let probability = |table: &Table| 1.0 / (1.0 + (-f64::from(logit(table))).exp());
    Judgement {
        worth: probability(&model.worth),
        worth_in_chat: probability(&model.chat),
        memory_type: likeliest.map_or("fact", |(name, _)| name.as_str()),
    }
}

/// Adds the meaning of a text to its features, as far as the table of 101 languages knows it.
pub(super) fn add_meaning(text: &str, features: &mut Features) {
    let Some(vector) = TABLE.as_ref().and_then(|table| table.vector(text)) else { return };
    features.extend(vector.iter().enumerate().map(|(place, value)| (format!("v{place}"), *value)));
}

#[derive(Debug, Default, Deserialize)]
struct Model {
    worth: Table,
    chat: Table,
    types: Vec<(String, Table)>,
}

#[derive(Debug, Default, Deserialize)]
struct Table {
    bias: f32,
    weights: HashMap<String, f32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read() {
        let model: Model = serde_json::from_str(include_str!("facts.json")).unwrap();
        assert!(model.worth.weights.len() > 100);
        assert!(model.chat.weights.len() > 100);
        assert!(model.types.len() > 3);
    }
}
