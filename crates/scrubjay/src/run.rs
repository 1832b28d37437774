//! From the arguments to the exit code.

use std::ffi::OsString;

use clap::ArgMatches;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use scrubjay_engine::clients::Direction;
use scrubjay_engine::ops::{Entry, REGISTRY};

use crate::command;
use crate::console::Console;
use crate::derive;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::globals::{Globals, is_global};
use crate::invocation::{Invocation, palette};

/// Runs the command that the arguments name and returns its exit code.
pub(crate) fn run(
    arguments: impl IntoIterator<Item = OsString>,
    environment: &Environment,
    console: &mut Console,
) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // A hook never fails its client, whatever its arguments are.
    if command::hook::is_called(&arguments) {
        return command::hook::run(&arguments, environment, console);
    }
    let mut globals = Globals::default();
    let done = attempt(&arguments, environment, console, &mut globals);
    let done = done.and_then(|exit| console.flush().map(|()| exit));
    match done {
        Ok(exit) => exit,
        Err(failure) => {
            let is_answer = matches!(&failure, Failure::Usage(error) if !error.use_stderr());
            let facts = console.facts;
            let terminal = if is_answer { facts.output_is_terminal } else { facts.messages_are_terminal };
            // Arguments that cannot be parsed still say how the error is wanted.
            globals.json |= asks_for(&arguments, "--json") || arguments.get(1).is_some_and(|word| word == "call");
            globals.no_color |= asks_for(&arguments, "--no-color");
            failure.report(console, globals.json, palette(&globals, environment, terminal))
        }
    }
}

fn attempt(
    arguments: &[OsString],
    environment: &Environment,
    console: &mut Console,
    globals: &mut Globals,
) -> Result<u8, Failure> {
    let root = derive::root(console.facts.columns);
    let matches = root.try_get_matches_from(arguments).map_err(|error| unknown_command(error, arguments))?;
    *globals = Globals::collect(&matches);
    let mut invocation = Invocation { globals: globals.clone(), environment, console };
    dispatch(&mut invocation, &matches)
}

fn dispatch(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    if matches.get_flag("help") || matches.get_flag("version") {
        return command::root::run(invocation, matches);
    }
    let (path, inner) = path_of(matches)?;
    match path.first().copied() {
        None => command::root::run(invocation, matches),
        Some("help") => command::help::run(invocation, inner),
        Some("call") => command::call::run(invocation, inner),
        Some("serve") => command::serve::run(invocation, inner),
        Some("open") => command::open::run(invocation, inner),
        Some("status") => command::status::run(invocation),
        Some("stop") => command::status::stop(invocation),
        Some("logs") => command::logs::run(invocation, inner),
        Some("service") => command::unit::run(invocation, &path, inner),
        Some("install") => command::install::run(invocation, inner, Direction::Install),
        Some("uninstall") => command::install::run(invocation, inner, Direction::Uninstall),
        Some("token") => command::token::run(invocation, &path, inner),
        Some("mcp") => command::mcp::run(invocation),
        Some("context-file") => command::context_file::run(invocation, inner),
        Some("completions") => command::completions::run(invocation, inner),
        Some("complete") => command::completions::complete(invocation, inner),
        Some("man") => command::man::run(invocation, inner),
        Some("version") => command::root::show_version(invocation),
        Some("eval") => command::eval::run(invocation, &path, inner),
        Some("watch") => command::watch::run(invocation, inner),
        Some("demo") => command::demo::run(invocation, inner),
        Some(_) => match entry_of(&path) {
            Some(entry) if entry.name == "capture" => command::capture::run(invocation, inner),
            Some(entry) if entry.name == "export" => command::export::run(invocation, entry, inner),
            Some(entry) if entry.name == "import" => command::import::run(invocation, entry, inner),
            Some(entry) => command::operation::run(invocation, entry, inner),
            // Groups without an operation of their own require a subcommand.
            None => Err(Failure::invalid(format!("`{}` is not a command; try `scrubjay help`", path.join(" ")))),
        },
    }
}

/// The words of the command and the arguments of the last of them. What was
/// given to a word before it, apart from the flags of every command, would be
/// passed over in silence, so it is refused.
fn path_of(matches: &ArgMatches) -> Result<(Vec<&str>, &ArgMatches), Failure> {
    let mut path = Vec::new();
    let mut level = matches;
    while let Some((name, inner)) = level.subcommand() {
        let given = |id: &&clap::Id| level.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        if let Some(stray) = level.ids().find(|id| !is_global(id.as_str()) && given(id)) {
            let (outer, stray) = (path.join(" "), stray.as_str().replace('_', "-"));
            return Err(Failure::invalid(format!("`{outer} {name}` does not take --{stray}; it belongs to `{outer}`")));
        }
        path.push(name);
        level = inner;
    }
    Ok((path, level))
}

fn entry_of(path: &[&str]) -> Option<&'static Entry> {
    REGISTRY.iter().find(|entry| entry.surfaces.command == path)
}

/// A word that is no command is told with what was probably meant, by its spelling or by its meaning.
pub(crate) fn unknown_command(error: clap::Error, arguments: &[OsString]) -> Failure {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let unknown = text(ContextKind::InvalidSubcommand);
    let ([word], ErrorKind::InvalidSubcommand) = (unknown.as_slice(), error.kind()) else { return error.into() };
    // The words before it, without flags: the group that it is missing in.
    let before = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    let group: Vec<&str> = before.take_while(|argument| argument != word).filter(|one| !one.starts_with('-')).collect();
    let group =
        group.last().filter(|group| REGISTRY.iter().any(|entry| entry.surfaces.command.first() == Some(*group)));
    let by_meaning = if group.is_none() { command::aliases::meant_by(word) } else { &[] };
    // The most alike comes last. A word with other letters is no typing error, and `purge` for `upgrade` a bad idea.
    let mut alike = text(ContextKind::SuggestedSubcommand);
    alike.reverse();
    alike.retain(|known| strsim::damerau_levenshtein(word, known) <= 1 + word.chars().count() / 4);
    alike.truncate(1);
    let meant: Vec<String> =
        if by_meaning.is_empty() { alike } else { by_meaning.iter().map(|&one| one.to_owned()).collect() };
    let before = group.map_or_else(String::new, |group| format!("{group} "));
    let shown: Vec<String> = meant.iter().map(|one| format!("`scrubjay {before}{one}`")).collect();
    let hint = match shown.split_last() {
        None => format!(
            "`scrubjay help{}` shows all",
            if before.is_empty() { "" } else { " " }.to_owned() + before.trim_end()
        ),
        Some((one, [])) => format!("did you mean {one}? `scrubjay help` shows all"),
        Some((last, rest)) => format!("did you mean {} or {last}? `scrubjay help` shows all", rest.join(", ")),
    };
    Failure::invalid(format!("there is no command `{before}{word}`; {hint}"))
}

fn asks_for(arguments: &[OsString], flag: &str) -> bool {
    arguments.iter().skip(1).take_while(|word| *word != "--").any(|word| word == flag)
}
