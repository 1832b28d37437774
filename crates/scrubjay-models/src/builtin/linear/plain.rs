//! Layers with one scale per output, multiplied with 7-bit activations.

use std::ops::Range;

use super::super::error::WeightError;
use super::super::kernel::{PANEL, Uint7Panels, Uint7Rows};
use super::super::weights::Weights;
use super::layer::Linear;

/// Inputs that one step of a run takes.
const QUAD: usize = 4;

/// Sections `.weights`, `.runs`, `.scales`, `.sums` and `.bias`.
#[derive(Debug)]
pub(in crate::builtin) struct PlainLinear {
    weights: Range<usize>,
    runs: Range<usize>,
    run_starts: Vec<usize>,
    scales: Vec<f32>,
    sums: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

impl Linear for PlainLinear {
    type Rows = Uint7Rows;

    fn cut(weights: &Weights, name: &str, inputs: usize, outputs: usize) -> Result<Self, WeightError> {
        let runs_name = format!("{name}.runs");
        let runs = weights.locate(&runs_name, weights.length(&runs_name)?)?;
        let run_starts = run_starts(weights.slice(&runs), inputs / QUAD, outputs / PANEL)
            .filter(|_| inputs.is_multiple_of(QUAD) && outputs.is_multiple_of(PANEL))
            .ok_or(WeightError::Section { name: runs_name })?;
        Ok(Self {
            weights: weights.locate(&format!("{name}.weights"), inputs * outputs)?,
            runs,
            run_starts,
            scales: weights.numbers(&format!("{name}.scales"), outputs)?,
            sums: weights.numbers(&format!("{name}.sums"), outputs)?,
            bias: weights.numbers(&format!("{name}.bias"), outputs)?,
            inputs,
        })
    }

    fn outputs<'model>(&'model self, weights: &'model Weights, outputs: Range<usize>) -> Uint7Panels<'model> {
        debug_assert!(outputs.start.is_multiple_of(PANEL) && outputs.end.is_multiple_of(PANEL));
        Uint7Panels {
            weights: &weights.slice(&self.weights)[outputs.start * self.inputs..outputs.end * self.inputs],
            runs: weights.slice(&self.runs),
            run_starts: &self.run_starts[outputs.start / PANEL..=outputs.end / PANEL],
            scales: &self.scales[outputs.clone()],
            sums: &self.sums[outputs.clone()],
            bias: &self.bias[outputs],
            inputs: self.inputs,
        }
    }

    fn all<'model>(&'model self, weights: &'model Weights) -> Uint7Panels<'model> {
        self.outputs(weights, 0..self.bias.len())
    }
}

/// Where the runs of each panel begin, and where the last ones end; none unless those of each panel cover its quads.
fn run_starts(runs: &[u8], quads: usize, panels: usize) -> Option<Vec<usize>> {
    let mut starts = vec![0];
    let mut covered = 0;
    for (place, &run) in runs.iter().enumerate() {
        covered += usize::from(run);
        if covered == quads {
            starts.push(place + 1);
            covered = 0;
        } else if covered > quads {
            return None;
        }
    }
    (covered == 0 && starts.len() == panels + 1).then_some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_each_panel() {
        assert_eq!(run_starts(&[3, 1, 4, 2, 2], 4, 3), Some(vec![0, 2, 3, 5]));
        for (runs, panels) in [(&[3, 2][..], 1), (&[3], 1), (&[4, 4], 1), (&[4], 2), (&[], 1)] {
            assert_eq!(run_starts(runs, 4, panels), None, "{runs:?}");
        }
    }
}
