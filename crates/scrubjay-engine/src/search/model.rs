//! The ranking model, whose parameters are in `ranking.json`.
//!
//! `order` says how well a candidate fits, `answer` whether there is anything to find at all, from the features of the
//! question; both are the mean of a linear model and of a small ensemble of trees. People who chat with each other talk
//! otherwise than one who works with an assistant, so that turns of named speakers have an order model of their own.
//! `change` says whether a newer hit changed what an older one says: a linear model of the two. The relevance of a hit is the
//! probability of an answer, a little less for what compares badly with the best; how it compares is its fit, which
//! the order follows. `scripts/fit-ranking` makes the file;
//! `docs/quality.md` tells what it was fitted to and how well it is calibrated.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::features::{CANDIDATE_FEATURES, FeatureTable, QUERY_FEATURES};
use super::rival::{Evidence, PAIR_FEATURES};

static MODEL: LazyLock<Model> = LazyLock::new(Model::read);

/// What the model says of one candidate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Judgement {
    /// The probability that a question has an answer here, a little less for what compares badly with the best.
    pub(super) relevance: f64,
    /// How it compares with the best of those that are admitted, 0 to 1.
    pub(super) fit: f64,
}

/// Judges all candidates of a question.
pub(super) fn judge(table: &FeatureTable, admitted: &[usize]) -> Vec<Judgement> {
    let model = &*MODEL;
    let answer = logistic(f64::from(model.answer.logit(&table.query)));
    let own: Vec<f64> =
        table.candidates.iter().map(|features| logistic(f64::from(model.order_logit(features)))).collect();
    let best = admitted.iter().map(|place| own[*place]).fold(f64::MIN_POSITIVE, f64::max);
    let judged = |own: f64| {
        let fit = (own / best).min(1.0);
        Judgement { relevance: answer * fit.powf(model.share), fit }
    };
    own.into_iter().map(judged).collect()
}

/// How sure it is that a newer hit changed what an older one says, as a logit.
pub(super) fn change_logit(evidence: &Evidence) -> f32 {
    MODEL.change.logit(evidence)
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

struct Model {
    order: Mean,
    /// The same for what named speakers say.
    named_order: Mean,
    /// The place of the feature that tells which of the two applies.
    named_speaker: usize,
    answer: Mean,
    change: Linear,
    /// The exponent of the comparison with the best.
    share: f64,
}

impl Model {
    fn order_logit(&self, features: &[f32; CANDIDATE_FEATURES.len()]) -> f32 {
        let is_named = features.get(self.named_speaker).is_some_and(|value| *value > 0.5);
        if is_named { self.named_order.logit(features) } else { self.order.logit(features) }
    }

    fn read() -> Self {
        // A test reads the same file; it cannot fail here.
        let file: File = serde_json::from_str(include_str!("ranking.json")).unwrap_or_default();
        let trees = |trees: Vec<Vec<Node>>| trees.into_iter().map(Tree).collect();
        Self {
            order: Mean { linear: file.order.in_order(&CANDIDATE_FEATURES), trees: trees(file.order_trees) },
            named_order: Mean {
                linear: file.named_order.in_order(&CANDIDATE_FEATURES),
                trees: trees(file.named_order_trees),
            },
            named_speaker: place_of("is_named_speaker"),
            answer: Mean { linear: file.answer.in_order(&QUERY_FEATURES), trees: trees(file.answer_trees) },
            change: file.change.in_order(&PAIR_FEATURES),
            share: file.share,
        }
    }
}

fn place_of(feature: &str) -> usize {
    CANDIDATE_FEATURES.iter().position(|name| *name == feature).unwrap_or(CANDIDATE_FEATURES.len())
}

/// The mean of a linear model and of a sum of trees.
struct Mean {
    linear: Linear,
    trees: Vec<Tree>,
}

impl Mean {
    fn logit(&self, features: &[f32]) -> f32 {
        let trees: f32 = self.trees.iter().map(|tree| tree.value(features)).sum();
        (self.linear.logit(features) + trees) / 2.0
    }
}

struct Linear {
    bias: f32,
    weights: Vec<f32>,
}

impl Linear {
    fn logit(&self, features: &[f32]) -> f32 {
        self.bias + self.weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum::<f32>()
    }
}

// The first node is the root.
struct Tree(Vec<Node>);

impl Tree {
    fn value(&self, features: &[f32]) -> f32 {
        let mut place = 0;
        // A node comes after its parent, so that this ends.
        loop {
            match self.0.get(place) {
                Some(Node::Split(feature, threshold, left, right)) => {
                    let goes_left = features.get(*feature).is_some_and(|value| value <= threshold);
                    place = if goes_left { *left } else { *right };
                }
                Some(Node::Leaf([value])) => return *value,
                None => return 0.0,
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Node {
    /// A feature, the highest value that goes left, and the places of the two children.
    Split(usize, f32, usize, usize),
    Leaf([f32; 1]),
}

#[derive(Default, Deserialize)]
struct Table {
    bias: f32,
    weights: BTreeMap<String, f32>,
}

impl Table {
    fn in_order(&self, names: &[&str]) -> Linear {
        let weights = names.iter().map(|name| self.weights.get(*name).copied().unwrap_or(0.0)).collect();
        Linear { bias: self.bias, weights }
    }
}

#[derive(Default, Deserialize)]
struct File {
    share: f64,
    order: Table,
    order_trees: Vec<Vec<Node>>,
    named_order: Table,
    named_order_trees: Vec<Vec<Node>>,
    answer: Table,
    answer_trees: Vec<Vec<Node>>,
    change: Table,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_belongs_to_a_feature_and_every_feature_has_one() {
        let file: File = serde_json::from_str(include_str!("ranking.json")).unwrap();
        let same = |table: &Table, names: &[&str]| {
            let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            names.sort();
            assert_eq!(table.weights.keys().cloned().collect::<Vec<_>>(), names);
        };
        same(&file.order, &CANDIDATE_FEATURES);
        same(&file.named_order, &CANDIDATE_FEATURES);
        assert!(place_of("is_named_speaker") < CANDIDATE_FEATURES.len());
        same(&file.answer, &QUERY_FEATURES);
        same(&file.change, &PAIR_FEATURES);
        let value: serde_json::Value = serde_json::from_str(include_str!("ranking.json")).unwrap();
        assert_eq!(value["order_tree_features"], serde_json::json!(CANDIDATE_FEATURES.as_slice()));
        assert_eq!(value["answer_tree_features"], serde_json::json!(QUERY_FEATURES.as_slice()));
        assert!(file.share > 0.0);
        for (trees, features) in [
            (&file.order_trees, CANDIDATE_FEATURES.len()),
            (&file.named_order_trees, CANDIDATE_FEATURES.len()),
            (&file.answer_trees, QUERY_FEATURES.len()),
        ] {
            assert!(!trees.is_empty());
            for tree in trees {
                for (place, node) in tree.iter().enumerate() {
                    if let Node::Split(feature, _, left, right) = node {
                        assert!(*feature < features);
                        assert!(place < *left && place < *right && left.max(right) < &tree.len());
                    }
                }
            }
        }
    }

    #[test]
    fn the_best_gets_the_probability_of_an_answer_and_the_others_less() {
        let mut table =
            FeatureTable { candidates: vec![[0.0; CANDIDATE_FEATURES.len()]; 3], ..FeatureTable::default() };
        table.candidates[1][0] = 1.0;
        table.candidates[2][0] = 2.0;
        let all: Vec<f64> = judge(&table, &[0, 1, 2]).iter().map(|judged| judged.relevance).collect();
        let answer = logistic(f64::from(MODEL.answer.logit(&table.query)));
        let best = all.iter().copied().fold(0.0, f64::max);
        assert!((best - answer).abs() < 1e-9);
        assert!(all.iter().all(|relevance| (0.0..=answer).contains(relevance)));
    }
}
