//! What can go wrong with a chat model.

use std::path::PathBuf;

use thiserror::Error;

use super::card::ChatCard;
use super::command::CommandError;
use crate::http::CallError;

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum ChatError {
    /// The provider could not be asked, or did not answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The program that was to answer did not.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The model refuses to answer this.
    #[error("{model} refused to answer")]
    Refused {
        /// The model.
        model: String,
    },
    /// The answer ran into its limit, so that its JSON is not whole.
    #[error("the answer of {model} was cut off after {output_tokens} tokens")]
    CutOff {
        /// The model.
        model: String,
        /// How long it was.
        output_tokens: u64,
    },
    /// The answer is not the JSON that was asked for, however often it was asked.
    #[error("{model} did not answer in the shape that was asked for{}: {why}", times(*tries))]
    Shape {
        /// The model.
        model: String,
        /// How often it was asked.
        tries: u32,
        /// What is wrong with the last answer; never its text.
        why: String,
    },
    /// The day's money is spent.
    #[error("{why}")]
    Paused {
        /// Which limit was reached, and until when.
        why: String,
    },
    /// A recording could not be read.
    #[error("the recording {} could not be read", path.display())]
    ReadRecording {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A recording is damaged.
    #[error("line {line} of the recording is not understood")]
    Recording {
        /// From 1.
        line: usize,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// Nothing was recorded for this request, or the script has come to its end.
    #[error("no answer was recorded for this request of {length_chars} characters")]
    NotRecorded {
        /// How long the request is.
        length_chars: usize,
    },
}

impl ChatError {
    /// Whether a later call may succeed with nothing changed.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Call(error) => error.blame() == crate::http::Blame::Provider,
            Self::Paused { .. } => true,
            _ => false,
        }
    }

    /// Whether rules take over for this piece of work. They do when an answer is of no use, and whenever a model fails
    /// whose calls are scarce: trying again later would be another call.
    #[must_use]
    pub fn leaves_it_to_rules(&self, model: &ChatCard) -> bool {
        model.scarce || matches!(self, Self::Shape { .. } | Self::CutOff { .. })
    }
}

fn times(tries: u32) -> String {
    if tries == 1 { String::new() } else { format!(", {tries} times") }
}
