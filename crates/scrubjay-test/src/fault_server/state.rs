//! What the server knows: how it is to behave, and what it was asked.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::batch::Batches;
use super::fault::Fault;
use super::instance::instance;
use super::vector::{tokens, vector};
use super::wire::Seen;

/// The key that every protocol wants, where it wants one.
pub const KEY: &str = "test-key-canary-41f7";

type Reply = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What the server knows.
#[derive(Default)]
pub(super) struct State {
    faults: Mutex<Faults>,
    pub(super) seen: Mutex<Vec<Seen>>,
    pub(super) reply: Mutex<Option<Reply>>,
    pub(super) batches: Mutex<Batches>,
    pub(super) sent_bytes: Mutex<u64>,
}

#[derive(Default)]
struct Faults {
    next: VecDeque<Option<Fault>>,
    always: Option<Fault>,
}

impl State {
    pub(super) fn plan(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        lock(&self.faults).next.extend(faults);
    }

    pub(super) fn set_always(&self, fault: Option<Fault>) {
        let mut faults = lock(&self.faults);
        faults.next.clear();
        faults.always = fault;
    }

    /// How to fail at this request.
    pub(super) fn fault(&self) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let always = faults.always;
        faults.next.pop_front().unwrap_or(always)
    }

    /// The vectors of texts, as JSON, in the way the fault wants them.
    pub(super) fn vectors(texts: &[String], dimensions: usize, fault: Option<Fault>) -> Vec<Value> {
        let mut vectors: Vec<Value> = texts.iter().map(|text| json!(vector(text, dimensions))).collect();
        match fault {
            Some(Fault::ShortBatch) => {
                vectors.pop();
            }
            Some(Fault::WrongDimension) => {
                if let Some(last) = vectors.last_mut().and_then(Value::as_array_mut) {
                    last.pop();
                }
            }
            Some(Fault::OtherModel) => {
                for vector in vectors.iter_mut().filter_map(Value::as_array_mut) {
                    vector.truncate(dimensions / 2);
                }
            }
            Some(Fault::NotANumber) => {
                if let Some(first) = vectors.last_mut().and_then(|vector| vector.get_mut(0)) {
                    *first = json!("NaN");
                }
            }
            Some(Fault::Empty) => vectors.clear(),
            _ => {}
        }
        vectors
    }

    /// What the chat model says to a question that is to be answered in a shape.
    pub(super) fn says(&self, question: &str, shape: Option<&Value>, fault: Option<Fault>) -> Said {
        let own = lock(&self.reply).as_ref().and_then(|reply| reply(question));
        let shaped = || shape.map_or_else(|| format!("You said: {question}"), |shape| instance(shape).to_string());
        let mut text = own.unwrap_or_else(shaped);
        match fault {
            Some(Fault::CutOff) => text.truncate(text.floor_char_boundary(text.len() / 2)),
            Some(Fault::Prose) => "I would rather tell you in my own words.".clone_into(&mut text),
            Some(Fault::Empty) => text.clear(),
            _ => {}
        }
        let output_tokens = tokens(&text);
        Said { text, input_tokens: tokens(question), output_tokens }
    }
}

/// What the chat model said.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) input_tokens: usize,
    pub(super) output_tokens: usize,
}

/// Texts in a value that is a text or a list of texts.
pub(super) fn texts_of(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items.iter().map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
