//! The arithmetic between the vectors of words and the rows of the last layer.

use ndarray::{Array1, Array2, ArrayView2, s};

use super::activation::Activation;
use super::numbers::Numbers;

/// An encoder of the BERT family without its words.
pub(crate) struct Layers {
    positions: Array2<f32>,
    token_type: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    activation: Activation,
}

/// Sizes and choices of an encoder.
pub(crate) struct Sizes {
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) intermediate: usize,
    pub(crate) positions: usize,
    pub(crate) epsilon: f32,
    pub(crate) activation: Activation,
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

/// A linear layer.
pub(crate) struct Linear {
    /// Outputs × inputs, as it is saved.
    weight: Array2<f32>,
    bias: Array1<f32>,
}

struct Norm {
    scale: Array1<f32>,
    shift: Array1<f32>,
    epsilon: f32,
}

impl Layers {
    pub(crate) fn read(numbers: &dyn Numbers, sizes: &Sizes) -> Result<Self, String> {
        let hidden = sizes.hidden;
        let token_types = numbers
            .numbers("embeddings.token_type_embeddings.weight", &[2, hidden])
            .or_else(|_| numbers.numbers("embeddings.token_type_embeddings.weight", &[1, hidden]))?;
        let layers = (0..sizes.layers).map(|number| Layer::read(numbers, number, sizes)).collect::<Result<_, _>>()?;
        Ok(Self {
            positions: matrix(numbers, "embeddings.position_embeddings.weight", sizes.positions, hidden)?,
            token_type: Array1::from_iter(token_types.into_iter().take(hidden)),
            norm: Norm::read(numbers, "embeddings.LayerNorm", hidden, sizes.epsilon)?,
            layers,
            heads: sizes.heads,
            activation: sizes.activation,
        })
    }

    /// The rows of the last layer for the vectors of a text's words, a row each.
    pub(crate) fn run(&self, mut rows: Array2<f32>) -> Array2<f32> {
        for (mut row, position) in rows.rows_mut().into_iter().zip(self.positions.rows()) {
            row += &position;
            row += &self.token_type;
        }
        self.norm.apply(&mut rows);
        for layer in &self.layers {
            rows = self.through(layer, &rows);
        }
        rows
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
        let hidden = self.token_type.len();
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
    fn read(numbers: &dyn Numbers, number: usize, sizes: &Sizes) -> Result<Self, String> {
        let Sizes { hidden, intermediate: wide, epsilon, .. } = *sizes;
        let name = |part: &str| format!("encoder.layer.{number}.{part}");
        let mut weight = Vec::with_capacity(3 * hidden * hidden);
        let mut bias = Vec::with_capacity(3 * hidden);
        for part in ["query", "key", "value"] {
            weight.extend(numbers.numbers(&name(&format!("attention.self.{part}.weight")), &[hidden, hidden])?);
            bias.extend(numbers.numbers(&name(&format!("attention.self.{part}.bias")), &[hidden])?);
        }
        let attend = Linear { weight: shaped(weight, 3 * hidden, hidden)?, bias: Array1::from(bias) };
        Ok(Self {
            attend,
            attended: Linear::read(numbers, &name("attention.output.dense"), hidden, hidden)?,
            attended_norm: Norm::read(numbers, &name("attention.output.LayerNorm"), hidden, epsilon)?,
            widen: Linear::read(numbers, &name("intermediate.dense"), wide, hidden)?,
            narrow: Linear::read(numbers, &name("output.dense"), hidden, wide)?,
            narrow_norm: Norm::read(numbers, &name("output.LayerNorm"), hidden, epsilon)?,
        })
    }
}

impl Linear {
    pub(crate) fn read(numbers: &dyn Numbers, name: &str, outputs: usize, inputs: usize) -> Result<Self, String> {
        let weight = matrix(numbers, &format!("{name}.weight"), outputs, inputs)?;
        Ok(Self { weight, bias: Array1::from(numbers.numbers(&format!("{name}.bias"), &[outputs])?) })
    }

    pub(crate) fn apply(&self, rows: &Array2<f32>) -> Array2<f32> {
        rows.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    fn read(numbers: &dyn Numbers, name: &str, hidden: usize, epsilon: f32) -> Result<Self, String> {
        // Models that were converted from TensorFlow call the two by other names.
        let either = |one: &str, other: &str| {
            let first = numbers.numbers(&format!("{name}.{one}"), &[hidden]);
            first.or_else(|why| numbers.numbers(&format!("{name}.{other}"), &[hidden]).map_err(|_| why))
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

pub(super) fn matrix(numbers: &dyn Numbers, name: &str, rows: usize, columns: usize) -> Result<Array2<f32>, String> {
    shaped(numbers.numbers(name, &[rows, columns])?, rows, columns)
}

fn shaped(values: Vec<f32>, rows: usize, columns: usize) -> Result<Array2<f32>, String> {
    Array2::from_shape_vec((rows, columns), values).map_err(|error| error.to_string())
}
