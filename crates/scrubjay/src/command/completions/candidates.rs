//! What could stand where the cursor is.

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::values::{Asked, values};
use crate::derive;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;
use crate::output::layout::one_line;

/// A candidate and a few words about it.
pub(super) type Candidate = (String, String);

/// Tells a shell to offer the names of files, too.
pub(super) const FILES: &str = "@files";

/// Its arguments.
pub(crate) fn command() -> Command {
    Command::new("complete")
        .about("Tell a shell what could come next")
        .hide(true)
        .arg(Arg::new("words").num_args(0..).action(ArgAction::Append).last(true).help("The words up to the cursor"))
        .args(globals::arguments())
}

/// Writes the candidates, one a line, each with a few words about it. Whatever
/// goes wrong, a shell gets no more than nothing.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let words: Vec<String> = matches.get_many("words").into_iter().flatten().cloned().collect();
    let (before, current) = match words.split_last() {
        Some((current, before)) => (before, current.as_str()),
        None => (&[][..], ""),
    };
    let mut root = derive::root(80);
    root.build();
    let mut text = String::new();
    for (value, about) in candidates(invocation, &root, before, current) {
        text.push_str(&format!("{value}\t{}\n", one_line(&about)));
    }
    invocation.console.data(&text)?;
    Ok(0)
}

fn candidates(invocation: &mut Invocation<'_>, root: &Command, before: &[String], current: &str) -> Vec<Candidate> {
    let place = Place::after(root, before);
    // `--kind=fa` is `--kind fa`, with the flag kept.
    if let Some((flag, value)) = current.split_once('=').filter(|(flag, _)| flag.starts_with("--")) {
        let Some(argument) = place.flag(flag) else { return Vec::new() };
        let found = values(invocation, &place.asked(argument, before), value);
        return found.into_iter().map(|(value, about)| (format!("{flag}={value}"), about)).collect();
    }
    if let Some(argument) = place.waiting {
        return values(invocation, &place.asked(argument, before), current);
    }
    if current.starts_with('-') {
        return place.flags().filter(|(flag, _)| flag.starts_with(current)).collect();
    }
    let mut found: Vec<Candidate> = Vec::new();
    if place.given == 0 {
        let shown = place.command.get_subcommands().filter(|inner| !inner.is_hide_set());
        for inner in shown.filter(|inner| inner.get_name().starts_with(current)) {
            let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
            found.push((inner.get_name().to_owned(), about));
        }
    }
    if let Some(argument) = place.positional() {
        found.extend(values(invocation, &place.asked(argument, before), current));
    }
    found
}

/// How far the words before the cursor lead.
struct Place<'a> {
    command: &'a Command,
    /// The words of the command.
    path: Vec<String>,
    /// A flag that lacks its value.
    waiting: Option<&'a Arg>,
    /// How many values stand without a flag.
    given: usize,
}

impl<'a> Place<'a> {
    fn after(root: &'a Command, words: &[String]) -> Self {
        let mut place = Self { command: root, path: Vec::new(), waiting: None, given: 0 };
        for word in words {
            if place.waiting.take().is_some() {
                continue;
            }
            if word.starts_with('-') {
                let takes_value = |argument: &&Arg| argument.get_action().takes_values() && !word.contains('=');
                place.waiting = place.flag(word.split('=').next().unwrap_or_default()).filter(takes_value);
                continue;
            }
            match place.command.find_subcommand(word).filter(|_| place.given == 0) {
                Some(inner) => {
                    place.command = inner;
                    place.path.push(inner.get_name().to_owned());
                }
                None => place.given += 1,
            }
        }
        place
    }

    fn flag(&self, word: &str) -> Option<&'a Arg> {
        let long = word.strip_prefix("--");
        let short = word.strip_prefix('-').and_then(|rest| rest.chars().next());
        self.command.get_arguments().find(|argument| match long {
            Some(long) => argument.get_long() == Some(long),
            None => argument.get_short().is_some() && argument.get_short() == short,
        })
    }

    fn flags(&self) -> impl Iterator<Item = Candidate> {
        let shown = self.command.get_arguments().filter(|argument| !argument.is_hide_set());
        shown.filter_map(|argument| {
            let about = argument.get_help().map(ToString::to_string).unwrap_or_default();
            Some((format!("--{}", argument.get_long()?), about))
        })
    }

    // The argument without a flag that comes next; the last one may take many.
    fn positional(&self) -> Option<&'a Arg> {
        let all: Vec<&Arg> = self.command.get_positionals().collect();
        match all.get(self.given) {
            Some(argument) => Some(argument),
            None => all.last().copied().filter(|argument| matches!(argument.get_action(), ArgAction::Append)),
        }
    }

    fn asked<'b>(&'b self, argument: &'b Arg, before: &'b [String]) -> Asked<'b> {
        let path: Vec<&str> = self.path.iter().map(String::as_str).collect();
        Asked { path, argument, before }
    }
}
