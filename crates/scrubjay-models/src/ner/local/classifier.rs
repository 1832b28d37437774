//! The model: a sentence in, what each of its words looks like out.

use std::ops::Range;

use ndarray::Array2;

use super::packed::{Packed, Table};
use crate::builtin::tokenizer::{Token, Tokenizer};
use crate::builtin::window::by_tokens;
use crate::builtin::{Architecture, Weights, tinybert_ner};
use crate::transformer::{Activation, Layers, Linear, Sizes};

/// What the model tells apart, in the order of [`Look::shares`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Outside,
    Person,
    Organization,
    Location,
    /// A name of something else: a language, a song, a championship.
    Other,
}

impl Class {
    const COUNT: usize = 5;
}

/// What a word looks like.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    /// Where the word begins, in bytes.
    pub(super) start: usize,
    /// How probable each class is.
    shares: [f32; Class::COUNT],
}

impl Look {
    pub(super) fn share(&self, class: Class) -> f32 {
        self.shares[class as usize]
    }

    /// True if the word is rather part of a name than not.
    pub(super) fn is_name(&self) -> bool {
        let outside = self.share(Class::Outside);
        self.shares.iter().skip(1).any(|share| *share > outside)
    }
}

/// A token classifier that is ready to run.
pub(super) struct Classifier {
    weights: Weights,
    tokenizer: Tokenizer,
    words: Table,
    layers: Layers,
    output: Linear,
    classes: Vec<Class>,
}

impl Classifier {
    /// Reads the model that is inside the binary: some 20 milliseconds, and 19 MB that stay.
    pub(super) fn load() -> Result<Self, String> {
        let weights = tinybert_ner().map_err(|error| error.to_string())?;
        let tokenizer = Tokenizer::cut(&weights).map_err(|error| error.to_string())?;
        let classes = weights.header().labels.iter().map(|label| class(label)).collect::<Result<Vec<_>, _>>()?;
        let Architecture { hidden, layers, heads, intermediate, vocabulary, positions, .. } =
            weights.header().architecture;
        let epsilon = weights.header().architecture.layer_norm_epsilon;
        let sizes = Sizes { hidden, layers, heads, intermediate, positions, epsilon, activation: Activation::Gelu };
        let packed = Packed(&weights);
        Ok(Self {
            words: Table::locate(&weights, "embeddings.word_embeddings.weight", vocabulary, hidden)?,
            layers: Layers::read(&packed, &sizes)?,
            output: Linear::read(&packed, "classifier", classes.len(), hidden)?,
            classes,
            tokenizer,
            weights,
        })
    }

    /// What the words of a text look like, in order. A text that is too long is looked at in parts that overlap; a word
    /// counts in the part in which it is farther from the border.
    pub(super) fn looks(&self, text: &str) -> Vec<Look> {
        let mut looks: Vec<Look> = Vec::new();
        let mut end = 0;
        for window in by_tokens(&self.tokenizer, &self.weights, text, self.max_tokens()) {
            let border = usize::midpoint(window.start, end.max(window.start));
            looks.truncate(looks.partition_point(|look| look.start < border));
            looks.extend(self.looks_in(text, window.clone()).into_iter().filter(|look| look.start >= border));
            end = window.end;
        }
        looks
    }

    fn looks_in(&self, text: &str, window: Range<usize>) -> Vec<Look> {
        let part = &text[window.clone()];
        let (ids, starts) = self.tokens(part);
        let logits = self.logits(&ids);
        // A word is what its first token is: so the model was trained.
        let rows = logits.rows().into_iter().skip(1).zip(starts);
        let firsts = rows.filter_map(|(row, start)| start.map(|start| (row, start)));
        firsts.map(|(row, start)| Look { start: window.start + start, shares: self.shares(row.iter()) }).collect()
    }

    /// The ids of a text as the model sees them, and for each between the first and the last where its word begins, if it
    /// is the first of one.
    pub(super) fn tokens(&self, text: &str) -> (Vec<u32>, Vec<Option<usize>>) {
        let mut starts = Vec::new();
        let room = self.max_tokens() - 2;
        let mut end = 0;
        self.tokenizer.visit(&self.weights, text, &mut |token: Token| {
            let start = text.get(end..token.end).and_then(|gap| gap.find(|one: char| !one.is_whitespace()));
            starts.push(start.filter(|_| token.begins_word).map(|start| end + start));
            end = token.end;
            starts.len() < room
        });
        (self.tokenizer.encode(&self.weights, text, self.max_tokens()), starts)
    }

    /// A row per token, a column per label.
    pub(super) fn logits(&self, ids: &[u32]) -> Array2<f32> {
        let mut rows = Array2::zeros((ids.len(), self.weights.header().architecture.hidden));
        for (mut row, id) in rows.rows_mut().into_iter().zip(ids) {
            for (value, number) in row.iter_mut().zip(self.words.row(&self.weights, *id as usize)) {
                *value = number;
            }
        }
        self.output.apply(&self.layers.run(rows))
    }

    fn max_tokens(&self) -> usize {
        self.weights.header().architecture.max_tokens
    }

    fn shares<'row>(&self, logits: impl Iterator<Item = &'row f32> + Clone) -> [f32; Class::COUNT] {
        let largest = logits.clone().fold(f32::NEG_INFINITY, |largest, value| largest.max(*value));
        let mut shares = [0.0; Class::COUNT];
        let mut sum = 0.0;
        for (logit, class) in logits.zip(&self.classes) {
            let share = (logit - largest).exp();
            shares[*class as usize] += share;
            sum += share;
        }
        shares.map(|share| share / sum)
    }
}

// Where one name ends and the next begins is told by how they are written, not by B and I: see `judge.rs`.
fn class(label: &str) -> Result<Class, String> {
    match label {
        "O" => Ok(Class::Outside),
        "B-PER" | "I-PER" => Ok(Class::Person),
        "B-ORG" | "I-ORG" => Ok(Class::Organization),
        "B-LOC" | "I-LOC" => Ok(Class::Location),
        "B-MISC" | "I-MISC" => Ok(Class::Other),
        other => Err(format!("the label `{other}` is not known")),
    }
}
