//! The files that the tests compare with.

use std::path::PathBuf;

use scrubjay_models::builtin::{Model, Weights, granite};
use serde_json::Value;

pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// One JSON object per line.
pub(crate) fn lines(name: &str) -> Vec<Value> {
    let content = std::fs::read_to_string(path(name)).unwrap();
    content.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn granite_model() -> Model {
    Model::new(granite().unwrap()).unwrap()
}

pub(crate) fn tiny_model() -> Model {
    Model::new(Weights::read(&path("tiny-bert.sjw")).unwrap()).unwrap()
}

pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot = |one: &[f32], other: &[f32]| -> f64 {
        one.iter().zip(other).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
    };
    dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
}

/// Values of 8 bits.
pub(crate) fn from_hexadecimal(digits: &str) -> Vec<f32> {
    let bytes = (0..digits.len()).step_by(2).map(|place| u8::from_str_radix(&digits[place..place + 2], 16).unwrap());
    bytes.map(|byte| f32::from(byte.cast_signed())).collect()
}
