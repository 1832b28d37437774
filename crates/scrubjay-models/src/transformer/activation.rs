//! The functions between the two halves of a feed-forward part.

/// Which function a model uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activation {
    /// GELU by the error function.
    Gelu,
    /// GELU by the hyperbolic tangent.
    GeluTanh,
    /// What is below 0 is 0.
    Relu,
}

impl Activation {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "gelu" => Some(Self::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Some(Self::GeluTanh),
            "relu" => Some(Self::Relu),
            _ => None,
        }
    }

    pub(super) fn apply(self, value: f32) -> f32 {
        match self {
            Self::Gelu => 0.5 * value * (1.0 + erf(value * std::f32::consts::FRAC_1_SQRT_2)),
            Self::GeluTanh => {
                let inner = 0.797_884_6 * (value + 0.044_715 * value * value * value);
                0.5 * value * (1.0 + inner.tanh())
            }
            Self::Relu => value.max(0.0),
        }
    }
}

// A rational approximation times an exponential; wrong by 1.2e-7 at most.
fn erf(value: f32) -> f32 {
    const FACTORS: [f32; 10] = [
        -1.265_512_2,
        1.000_023_7,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_204,
        1.488_515_9,
        -0.822_152_23,
        0.170_872_77,
    ];
    let size = value.abs();
    let share = 1.0 / (1.0 + 0.5 * size);
    let sum = FACTORS.iter().rev().fold(0.0, |sum, factor| sum * share + factor);
    let rest = share * (sum - size * size).exp();
    if value >= 0.0 { 1.0 - rest } else { rest - 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_is_that_of_the_tables() {
        for (value, expected) in [
            (0.0, 0.0),
            (0.1, 0.112_462_916),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (2.0, 0.995_322_3),
            (4.0, 0.999_999_98),
            (-1.0, -0.842_700_8),
        ] {
            assert!((erf(value) - expected).abs() < 5e-7, "{value}");
        }
        assert!((Activation::Gelu.apply(1.0) - 0.841_344_7).abs() < 1e-6);
        assert!((Activation::GeluTanh.apply(1.0) - 0.841_192).abs() < 1e-5);
    }
}
