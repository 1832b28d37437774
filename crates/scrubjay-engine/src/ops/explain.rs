//! How something came to its place, and why nothing did.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use scrubjay_core::memory::OriginKind;
use scrubjay_store::item::Item;
use serde::{Deserialize, Serialize};

use crate::record::round;
use crate::search::{self, Found};

/// How a hit came to its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Rank and raw score in each part of the search.
    pub arms: BTreeMap<String, ArmRecord>,
    /// What the ranking model saw of the question and of the hit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub features: BTreeMap<String, f64>,
    /// The factors that led from relevance to score.
    pub weights: BTreeMap<String, f64>,
    /// Where the memory came from.
    pub provenance: Provenance,
}

/// A hit's place in one part of the search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArmRecord {
    /// From 1.
    pub rank: usize,
    /// In that part's own measure.
    pub score: f64,
}

/// Where a memory came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// user, assistant, tool, file, web, import or system.
    pub origin: String,
    /// The memories it was made from.
    pub source_ids: Vec<String>,
    /// When it was learned.
    pub created_at: String,
}

/// Why nothing was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissingRecord {
    /// The relevance that a hit must have.
    pub threshold: f64,
    /// The relevance of what came nearest; null if nothing came near.
    pub best: Option<f64>,
    /// Whether the question asks for nothing: it has no word beyond function words and mere dialogue.
    pub asks_for_nothing: bool,
    /// Words of the question that nothing here holds, nor anything like them.
    pub unknown_words: Vec<String>,
    /// Parts of the search that were not available or are switched off, each with the reason.
    pub arms: BTreeMap<String, String>,
    /// All of it in sentences.
    pub reasons: Vec<String>,
}

impl MissingRecord {
    /// What was missing for a hit. `best` is the relevance of what came nearest.
    pub(super) fn of(threshold: f64, best: Option<f64>, asks_for_nothing: bool, missing: &search::Missing) -> Self {
        let mut reasons = Vec::new();
        if asks_for_nothing {
            reasons.push("It asks for nothing: no word of it names a matter.".to_owned());
        }
        match best {
            Some(best) if best < threshold => {
                reasons
                    .push(format!("The best near miss has a relevance of {best:.2}; the threshold is {threshold:.2}."));
            }
            Some(_) => {}
            None if asks_for_nothing => {}
            None => {
                reasons.push("Nothing that was searched has a word, a name or a meaning in common with it.".to_owned());
            }
        }
        if !missing.words.is_empty() {
            let words: Vec<String> = missing.words.iter().map(|word| format!("“{word}”")).collect();
            reasons.push(format!("Nothing here holds {}.", words.join(", ")));
        }
        let arms = missing.arms.iter().map(|(arm, why)| format!("The {arm} arm was not used: {why}."));
        reasons.extend(arms);
        Self {
            threshold,
            best: best.map(round),
            asks_for_nothing,
            unknown_words: missing.words.clone(),
            arms: missing.arms.iter().map(|(arm, why)| ((*arm).to_owned(), why.clone())).collect(),
            reasons,
        }
    }
}

/// How a hit came to its place.
pub(super) fn explanation(hit: &Found) -> Explanation {
    let arm = |(arm, place): &(&'static str, search::Place)| {
        ((*arm).to_owned(), ArmRecord { rank: place.rank, score: round(place.score) })
    };
    Explanation {
        arms: hit.places.iter().map(arm).collect(),
        features: hit.features.iter().map(|(name, value)| ((*name).to_owned(), round(f64::from(*value)))).collect(),
        weights: hit.factors.iter().map(|(name, factor)| ((*name).to_owned(), round(*factor))).collect(),
        provenance: provenance(&hit.item),
    }
}

fn provenance(item: &Item) -> Provenance {
    match item {
        Item::Memory(memory) => Provenance {
            origin: memory.origin.kind.name().to_owned(),
            source_ids: memory.source_ids.iter().map(ToString::to_string).collect(),
            created_at: memory.created_at.to_string(),
        },
        Item::Chunk(chunk) => Provenance {
            origin: OriginKind::File.name().to_owned(),
            source_ids: Vec::new(),
            created_at: chunk.indexed_at.to_string(),
        },
    }
}
