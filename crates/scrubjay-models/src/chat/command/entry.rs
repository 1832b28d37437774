//! How a client wants to be called.

use super::super::request::Usage;

/// A client that can be asked, with everything that is particular about it.
pub struct Entry {
    /// Its name in settings, and the name of its program.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The client as `install` calls it; none if it is not wired in by us.
    pub client: Option<&'static str>,
    /// The arguments. The prompt goes to standard input, where other users of the machine cannot see it.
    pub(super) arguments: fn(&Options<'_>) -> Vec<String>,
    /// Whether the instructions are among the arguments; otherwise they are part of the prompt.
    pub(super) takes_instructions: bool,
    /// Variables that keep it from doing more than to answer.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Variables by which it would know that another one of its kind started it.
    pub(super) without_variables: &'static [&'static str],
    /// Reads what it printed.
    pub(super) read: fn(&str) -> Printed,
}

/// What differs between calls.
pub(super) struct Options<'a> {
    /// The model; none for the client's own choice.
    pub(super) model: Option<&'a str>,
    /// What the model is to do.
    pub(super) instructions: &'a str,
}

/// What a client printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Printed {
    /// An answer, and what it took as far as the client says.
    ChatReply(String, Usage),
    /// What it has to say instead of an answer.
    Failure(String),
}

/// Takes everything that was printed for the answer.
pub(super) fn plain(output: &str) -> Printed {
    Printed::ChatReply(output.to_owned(), Usage::default())
}

/// `words`, and the model after `flag` if one is wanted.
pub(super) fn words(words: &[&str], flag: &str, options: &Options<'_>) -> Vec<String> {
    let model = options.model.map(|model| [flag, model]);
    words.iter().copied().chain(model.into_iter().flatten()).map(str::to_owned).collect()
}
