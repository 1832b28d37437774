//! Layers with a scale for each group of weights, multiplied with int16 activations.

use std::ops::Range;

use super::super::error::WeightError;
use super::super::kernel::{Int16Panels, Int16Rows, MAX_GROUP, PANEL};
use super::super::weights::Weights;
use super::layer::Linear;

/// Sections `.weights`, `.scales` and `.bias`.
#[derive(Debug)]
pub(in crate::builtin) struct GroupedLinear {
    weights: Range<usize>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    group: usize,
}

impl Linear for GroupedLinear {
    type Rows = Int16Rows;

    fn cut(weights: &Weights, name: &str, inputs: usize, outputs: usize) -> Result<Self, WeightError> {
        let group = weights.header().group;
        let is_usable = (2..=MAX_GROUP).contains(&group) && group.is_multiple_of(2) && inputs.is_multiple_of(group);
        if !is_usable {
            return Err(WeightError::Unsupported("its scales do not divide its rows"));
        }
        Ok(Self {
            weights: weights.locate(&format!("{name}.weights"), inputs * outputs)?,
            scales: weights.numbers(&format!("{name}.scales"), inputs / group * outputs)?,
            bias: weights.numbers(&format!("{name}.bias"), outputs)?,
            inputs,
            group,
        })
    }

    fn outputs<'model>(&'model self, weights: &'model Weights, outputs: Range<usize>) -> Int16Panels<'model> {
        debug_assert!(outputs.start.is_multiple_of(PANEL) && outputs.end.is_multiple_of(PANEL));
        let groups = self.inputs / self.group;
        Int16Panels {
            weights: &weights.slice(&self.weights)[outputs.start * self.inputs..outputs.end * self.inputs],
            scales: &self.scales[outputs.start * groups..outputs.end * groups],
            bias: &self.bias[outputs],
            inputs: self.inputs,
            group: self.group,
        }
    }

    fn all<'model>(&'model self, weights: &'model Weights) -> Int16Panels<'model> {
        self.outputs(weights, 0..self.bias.len())
    }
}
