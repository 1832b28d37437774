//! The arithmetic.

use std::num::NonZeroUsize;

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::activation::Activation;
use super::config::Description;
use super::safetensors::Tensors;
use super::wordpiece::WordPiece;
use crate::builtin::Pooling;

/// A model that is ready to run.
pub struct Encoder {
    tokenizer: WordPiece,
    words: Array2<f32>,
    positions: Array2<f32>,
    token_type: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    activation: Activation,
    pooling: Pooling,
    max_tokens: usize,
}

struct Layer {
    /// Queries, keys and values of all heads, one below the other.
    attend: Linear,
    attended: Linear,
    attended_norm: Norm,
    widen: Linear,
    narrow: Linear,
    narrow_norm: Norm,
}

struct Linear {
    /// Outputs × inputs, as it is saved.
    weight: Array2<f32>,
    bias: Array1<f32>,
}

struct Norm {
    scale: Array1<f32>,
    shift: Array1<f32>,
    epsilon: f32,
}

impl Encoder {
    pub(super) fn new(description: &Description, tokenizer: WordPiece, tensors: &Tensors) -> Result<Self, String> {
        let config = &description.config;
        let hidden = config.hidden_size;
        let token_types = tensors
            .numbers("embeddings.token_type_embeddings.weight", &[2, hidden])
            .or_else(|_| tensors.numbers("embeddings.token_type_embeddings.weight", &[1, hidden]))?;
        let layers = (0..config.num_hidden_layers)
            .map(|number| Layer::read(tensors, number, hidden, config.intermediate_size, config.layer_norm_eps))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            tokenizer,
            words: matrix(tensors, "embeddings.word_embeddings.weight", config.vocab_size, hidden)?,
            positions: matrix(
                tensors,
                "embeddings.position_embeddings.weight",
                config.max_position_embeddings,
                hidden,
            )?,
            token_type: Array1::from_iter(token_types.into_iter().take(hidden)),
            norm: Norm::read(tensors, "embeddings.LayerNorm", hidden, config.layer_norm_eps)?,
            layers,
            heads: config.num_attention_heads,
            activation: description.activation,
            pooling: description.pooling,
            max_tokens: description.max_tokens,
        })
    }

    /// Values per vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.token_type.len()
    }

    /// The longest text in tokens, with the two that begin and end it.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// The vectors of texts, on several threads.
    #[must_use]
    pub fn embed_all(&self, texts: &[String], threads: NonZeroUsize) -> Vec<Vec<f32>> {
        let share = texts.len().div_ceil(threads.get()).max(1);
        std::thread::scope(|scope| {
            let workers: Vec<_> = texts
                .chunks(share)
                .map(|texts| scope.spawn(|| texts.iter().map(|text| self.embed(text)).collect::<Vec<_>>()))
                .collect();
            // A thread that died leaves too few vectors, which whoever asked finds out.
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).collect()
        })
    }

    /// The vector of a text, not normalised.
    fn embed(&self, text: &str) -> Vec<f32> {
        let tokens = self.tokenizer.tokens(text, self.max_tokens);
        let mut rows = Array2::zeros((tokens.len(), self.dimensions()));
        for ((mut row, token), position) in rows.rows_mut().into_iter().zip(&tokens).zip(self.positions.rows()) {
            // The tokenizer gives no id outside of the vocabulary; it was compared with it when it was read.
            row += &self.words.row(*token as usize);
            row += &position;
            row += &self.token_type;
        }
        self.norm.apply(&mut rows);
        for layer in &self.layers {
            rows = self.through(layer, &rows);
        }
        match self.pooling {
            Pooling::Cls => rows.row(0).to_vec(),
            Pooling::Mean => rows.mean_axis(Axis(0)).map_or_else(Vec::new, |mean| mean.to_vec()),
        }
    }

    fn through(&self, layer: &Layer, rows: &Array2<f32>) -> Array2<f32> {
        let mut attended = layer.attended.apply(&self.attention(&layer.attend.apply(rows)));
        attended += rows;
        layer.attended_norm.apply(&mut attended);
        let mut wide = layer.widen.apply(&attended);
        wide.mapv_inplace(|value| self.activation.apply(value));
        let mut narrow = layer.narrow.apply(&wide);
        narrow += &attended;
        layer.narrow_norm.apply(&mut narrow);
        narrow
    }

    fn attention(&self, projected: &Array2<f32>) -> Array2<f32> {
        let hidden = self.dimensions();
        let width = hidden / self.heads;
        let scale = (width as f32).sqrt().recip();
        let mut output = Array2::zeros((projected.nrows(), hidden));
        for head in 0..self.heads {
            let part = |number: usize| -> ArrayView2<'_, f32> {
                let from = number * hidden + head * width;
                projected.slice(s![.., from..from + width])
            };
            let mut scores = part(0).dot(&part(1).t());
            for mut row in scores.rows_mut() {
                let largest = row.iter().fold(f32::NEG_INFINITY, |largest, value| largest.max(*value));
                row.mapv_inplace(|value| ((value - largest) * scale).exp());
                let sum = row.sum();
                row.mapv_inplace(|value| value / sum);
            }
            let mut place = output.slice_mut(s![.., head * width..(head + 1) * width]);
            place.assign(&scores.dot(&part(2)));
        }
        output
    }
}

impl Layer {
    fn read(tensors: &Tensors, number: usize, hidden: usize, wide: usize, epsilon: f32) -> Result<Self, String> {
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let mut weight = Vec::with_capacity(3 * hidden * hidden);
        let mut bias = Vec::with_capacity(3 * hidden);
        for part in ["query", "key", "value"] {
            weight.extend(tensors.numbers(&name(&format!("attention.self.{part}.weight")), &[hidden, hidden])?);
            bias.extend(tensors.numbers(&name(&format!("attention.self.{part}.bias")), &[hidden])?);
        }
        let attend = Linear { weight: shaped(weight, 3 * hidden, hidden)?, bias: Array1::from(bias) };
        Ok(Self {
            attend,
            attended: Linear::read(tensors, &name("attention.output.dense"), hidden, hidden)?,
            attended_norm: Norm::read(tensors, &name("attention.output.LayerNorm"), hidden, epsilon)?,
            widen: Linear::read(tensors, &name("intermediate.dense"), wide, hidden)?,
            narrow: Linear::read(tensors, &name("output.dense"), hidden, wide)?,
            narrow_norm: Norm::read(tensors, &name("output.LayerNorm"), hidden, epsilon)?,
        })
    }
}

impl Linear {
    fn read(tensors: &Tensors, name: &str, outputs: usize, inputs: usize) -> Result<Self, String> {
        let weight = matrix(tensors, &format!("{name}.weight"), outputs, inputs)?;
        Ok(Self { weight, bias: Array1::from(tensors.numbers(&format!("{name}.bias"), &[outputs])?) })
    }

    fn apply(&self, rows: &Array2<f32>) -> Array2<f32> {
        rows.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    fn read(tensors: &Tensors, name: &str, hidden: usize, epsilon: f32) -> Result<Self, String> {
        // Models that were converted from TensorFlow call the two by other names.
        let either = |one: &str, other: &str| {
            let first = tensors.numbers(&format!("{name}.{one}"), &[hidden]);
            first.or_else(|why| tensors.numbers(&format!("{name}.{other}"), &[hidden]).map_err(|_| why))
        };
        let (scale, shift) = (either("weight", "gamma")?, either("bias", "beta")?);
        Ok(Self { scale: Array1::from(scale), shift: Array1::from(shift), epsilon })
    }

    fn apply(&self, rows: &mut Array2<f32>) {
        let count = self.scale.len() as f32;
        for mut row in rows.rows_mut() {
            let mean = row.sum() / count;
            row.mapv_inplace(|value| value - mean);
            let variance = row.iter().map(|value| value * value).sum::<f32>() / count;
            let factor = (variance + self.epsilon).sqrt().recip();
            for ((value, scale), shift) in row.iter_mut().zip(&self.scale).zip(&self.shift) {
                *value = *value * factor * scale + shift;
            }
        }
    }
}

fn matrix(tensors: &Tensors, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>, String> {
    shaped(tensors.numbers(name, &[rows, columns])?, rows, columns)
}

fn shaped(numbers: Vec<f32>, rows: usize, columns: usize) -> Result<Array2<f32>, String> {
    Array2::from_shape_vec((rows, columns), numbers).map_err(|error| error.to_string())
}
