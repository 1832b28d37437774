//! Why a program gave no answer.

use std::io;

use thiserror::Error;

/// Why a program gave no answer. Never holds the text that it was given.
#[derive(Debug, Error)]
pub enum CommandError {
    /// It is not there.
    #[error("{program} is not on the search path; set chat.command.program to its full path")]
    NotFound {
        /// The program.
        program: String,
    },
    /// It could not be started.
    #[error("{program} cannot be started")]
    Start {
        /// The program.
        program: String,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It talks to itself: this process is part of a call already.
    #[error("{program} is not asked from inside of a call to a model")]
    Inside {
        /// The program.
        program: String,
    },
    /// It wants a person to log in.
    #[error("{program} asks for a login; run it once in a terminal and log in")]
    Login {
        /// The program.
        program: String,
    },
    /// The user's plan is used up for now.
    #[error("{program} says that the limit of its plan is reached")]
    Limit {
        /// The program.
        program: String,
    },
    /// It answered, but in prose.
    #[error("{program} answered in prose where JSON was asked for")]
    Prose {
        /// The program.
        program: String,
    },
    /// It printed nothing.
    #[error("{program} printed nothing")]
    Silent {
        /// The program.
        program: String,
    },
    /// It failed.
    #[error("{program} failed ({status}){}", reason(said))]
    Failed {
        /// The program.
        program: String,
        /// How it ended.
        status: String,
        /// What it said, shortened and redacted.
        said: String,
    },
}

fn reason(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}
