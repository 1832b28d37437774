//! What every program that is asked does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Semaphore;

use super::super::card::ChatCard;
use super::super::error::ChatError;
use super::super::near_json::near_json;
use super::super::provider::Chat;
use super::super::request::{ChatReply, ChatRequest, Stop};
use super::GUARD_VARIABLE;
use super::complaint::{Complaint, complaint, last_line};
use super::entry::{Entry, Options, Printed, plain};
use super::error::CommandError;
use super::prompt::prompt;
use super::run::{Ended, OUTPUT_BYTES, Started, Stopped, find, run};
use crate::http::{Breaker, CallError, LONGEST_REST, Outside};

/// Where the prompt goes in the arguments of a program that does not read it from standard input.
pub const PROMPT: &str = "{prompt}";

/// A program to ask, as the user set it up.
#[derive(Clone)]
pub struct Program {
    /// How it wants to be called; none for a program of the user's own, which gets `arguments` and prints its answer.
    pub entry: Option<&'static Entry>,
    /// The program: a path, or a name to look for in `folders`.
    pub program: PathBuf,
    /// Its arguments, in place of the usual ones; the prompt takes the place of [`PROMPT`], or goes to standard input
    /// if that is not there.
    pub arguments: Vec<String>,
    /// The model that a client is told to use; none for its own choice.
    pub model: Option<String>,
    /// The search path.
    pub folders: Vec<PathBuf>,
    /// Its environment. The guard is added.
    pub variables: BTreeMap<String, String>,
    /// The folder that it runs in: one with nothing in it, made if need be.
    pub folder: PathBuf,
}

/// How patient a caller is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long one call may take.
    pub timeout: Duration,
    /// How long the program is left alone after it failed.
    pub rest: Duration,
}

impl Patience {
    /// A wait of ten minutes after a failure: what helps is a person who logs in, or time.
    #[must_use]
    pub fn of(timeout: Duration) -> Self {
        Self { timeout, rest: LONGEST_REST }
    }
}

/// A chat model that is a program. One call at a time.
pub struct CommandChat {
    program: Program,
    patience: Patience,
    breaker: Arc<Breaker>,
    outside: Arc<dyn Outside>,
    card: ChatCard,
    slot: Semaphore,
}

impl CommandChat {
    /// A chat model.
    #[must_use]
    pub fn new(
        program: Program,
        patience: Patience,
        breaker: Arc<Breaker>,
        outside: Arc<dyn Outside>,
        card: ChatCard,
    ) -> Self {
        Self { program, patience, breaker, outside, card, slot: Semaphore::new(1) }
    }

    /// Where the program is; none if it is not there.
    #[must_use]
    pub fn program(&self) -> Option<PathBuf> {
        find(&self.program.program, &self.program.folders)
    }

    fn name(&self) -> String {
        match self.program.entry {
            Some(entry) => entry.name.to_owned(),
            None => self.program.program.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    async fn asked(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        let program = self.program().ok_or_else(|| CommandError::NotFound { program: self.name() })?;
        if self.program.variables.contains_key(GUARD_VARIABLE) {
            return Err(CommandError::Inside { program: self.name() }.into());
        }
        let instructed = self.program.entry.is_some_and(|entry| entry.takes_instructions);
        let usual = self.program.arguments.is_empty();
        let text = prompt(request, !(instructed && usual));
        let (arguments, input) = self.arguments(request, &text);
        let start = |source| CommandError::Start { program: self.name(), source };
        std::fs::create_dir_all(&self.program.folder).map_err(start)?;
        let variables = self.variables();
        let started = Started {
            program: &program,
            arguments: &arguments,
            variables: &variables,
            folder: &self.program.folder,
            input: input.as_bytes(),
        };
        let ended = run(&started, self.patience.timeout).await.map_err(|stopped| match stopped {
            Stopped::NotStarted(source) => ChatError::from(start(source)),
            Stopped::TimedOut => CallError::TimedOut { provider: self.name(), after: self.patience.timeout }.into(),
            Stopped::TooMuch => CallError::TooLarge { provider: self.name(), limit_bytes: OUTPUT_BYTES }.into(),
        })?;
        self.read(request, &text, &ended)
    }

    // The arguments, and what goes to standard input.
    fn arguments<'text>(&self, request: &ChatRequest, text: &'text str) -> (Vec<String>, &'text str) {
        let own = &self.program.arguments;
        match self.program.entry {
            Some(entry) if own.is_empty() => {
                let options = Options { model: self.program.model.as_deref(), instructions: &request.system };
                ((entry.arguments)(&options), text)
            }
            _ => {
                let in_arguments = own.iter().any(|argument| argument.contains(PROMPT));
                let filled = own.iter().map(|argument| argument.replace(PROMPT, text)).collect();
                (filled, if in_arguments { "" } else { text })
            }
        }
    }

    fn variables(&self) -> BTreeMap<String, String> {
        let mut variables = self.program.variables.clone();
        if let Some(entry) = self.program.entry {
            for name in entry.without_variables {
                variables.remove(*name);
            }
            variables.extend(entry.variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        }
        variables.insert(GUARD_VARIABLE.to_owned(), "1".to_owned());
        variables
    }

    fn read(&self, request: &ChatRequest, text: &str, ended: &Ended) -> Result<ChatReply, ChatError> {
        let output = String::from_utf8_lossy(&ended.output);
        let messages = String::from_utf8_lossy(&ended.messages);
        let printed = match self.program.entry {
            Some(entry) if self.program.arguments.is_empty() => (entry.read)(&output),
            _ => plain(&output),
        };
        let failed = |said: &str| {
            let program = self.name();
            let known = complaint(said).or_else(|| complaint(&last_line(&messages, text)));
            match known {
                Some(Complaint::Login) => CommandError::Login { program },
                Some(Complaint::Limit) => CommandError::Limit { program },
                None => {
                    let said = if said.trim().is_empty() { messages.as_ref() } else { said };
                    CommandError::Failed { program, status: ended.status.to_string(), said: last_line(said, text) }
                }
            }
        };
        let (answer, usage) = match printed {
            Printed::Failure(said) => return Err(failed(&said).into()),
            Printed::ChatReply(..) if !ended.status.success() => return Err(failed(&output).into()),
            Printed::ChatReply(answer, usage) => (answer, usage),
        };
        if answer.trim().is_empty() {
            // Some say why on the other stream, and end as if all were well.
            return Err(match complaint(&last_line(&messages, text)) {
                Some(_) => failed(&messages).into(),
                None => CommandError::Silent { program: self.name() }.into(),
            });
        }
        if request.shape.is_some() && near_json(&answer).is_none() {
            return Err(match complaint(&answer) {
                Some(_) => failed(&answer).into(),
                None => CommandError::Prose { program: self.name() }.into(),
            });
        }
        Ok(ChatReply { text: answer, usage, stop: Stop::Done })
    }
}

#[async_trait]
impl Chat for CommandChat {
    fn model(&self) -> &ChatCard {
        &self.card
    }

    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        // Waiting for the slot never fails: the semaphore is not closed as long as the model lives.
        let _slot = self.slot.acquire().await;
        let resting = |retry_in| CallError::Resting { provider: self.name(), retry_in };
        self.breaker.permit(self.outside.now_ms()).map_err(resting)?;
        let result = self.asked(request).await;
        match &result {
            // One answer in prose says nothing about the next.
            Ok(_) | Err(ChatError::Command(CommandError::Prose { .. })) => self.breaker.succeeded(),
            Err(_) => self.breaker.failed(self.outside.now_ms(), Some(self.patience.rest)),
        }
        result
    }
}

impl Entry {
    /// Where the client is in these folders; none if it is in none of them.
    #[must_use]
    pub fn found_in(&self, folders: &[PathBuf]) -> Option<PathBuf> {
        find(Path::new(self.name), folders)
    }
}
