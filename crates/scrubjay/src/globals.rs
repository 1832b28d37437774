//! The flags that every command has, before or after its name.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, value_parser};

/// What the flags say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Globals {
    /// The folder of everything.
    pub(crate) home: Option<PathBuf>,
    /// Whose store.
    pub(crate) agent: Option<String>,
    /// Where to stand.
    pub(crate) project: Option<String>,
    /// Answer in JSON.
    pub(crate) json: bool,
    /// No warnings, no notes.
    pub(crate) quiet: bool,
    /// Say more.
    pub(crate) verbose: bool,
    /// No colours.
    pub(crate) no_color: bool,
    /// Settings for this command only.
    pub(crate) settings: Vec<(String, String)>,
    /// Begin an empty store where there was one.
    pub(crate) new: bool,
}

const HOME: &str = "global-home";
const AGENT: &str = "global-agent";
const PROJECT: &str = "global-project";
const JSON: &str = "global-json";
const QUIET: &str = "global-quiet";
const VERBOSE: &str = "global-verbose";
const NO_COLOR: &str = "global-no-color";
const SET: &str = "global-set";
const NEW: &str = "global-new";

/// After all that a command takes.
const LAST: usize = 1000;

/// The flags as arguments of a command, and its help. They are added to each
/// command by itself, not inherited, so that a command can leave one out.
pub(crate) fn arguments() -> Vec<Arg> {
    let help = Arg::new("help").long("help").short('h').action(ArgAction::Help).display_order(LAST);
    flags().into_iter().chain([help.help("Show this help; --help shows more than -h")]).collect()
}

/// The flags alone.
pub(crate) fn flags() -> Vec<Arg> {
    let plain = |id: &'static str, long: &'static str, help: &'static str| {
        Arg::new(id).long(long).help(help).help_heading("Global options").hide_short_help(true)
    };
    let value = |id, long, value, help| plain(id, long, help).value_name(value);
    let flag = |id, long, help| plain(id, long, help).action(ArgAction::SetTrue);
    vec![
        value(HOME, "home", "DIR", "The folder that holds the store and the settings [env: SCRUBJAY_HOME]")
            .value_parser(value_parser!(PathBuf)),
        value(AGENT, "agent", "NAME", "Whose memory it is [env: SCRUBJAY_AGENT] [default: default]"),
        value(
            PROJECT,
            "project",
            "ID",
            "The project, if not the one of this folder; none for global memories only [env: SCRUBJAY_PROJECT]",
        ),
        flag(JSON, "json", "Answer in JSON, one line"),
        flag(QUIET, "quiet", "Leave out warnings and notes").short('q'),
        flag(VERBOSE, "verbose", "Say more on standard error").short('v'),
        flag(NO_COLOR, "no-color", "Use no colours [env: NO_COLOR]"),
        value(SET, "set", "KEY=VALUE", "Change a setting for this command; may be given several times")
            .action(ArgAction::Append)
            .value_parser(assignment),
        flag(NEW, "new", "Begin an empty store although there was one that is gone"),
    ]
}

/// Whether an argument is one of the flags.
pub(crate) fn is_global(id: &str) -> bool {
    id.starts_with("global-")
}

/// The same without `--json`, for a command that uses the name itself.
pub(crate) fn arguments_without_json() -> Vec<Arg> {
    arguments().into_iter().filter(|argument| argument.get_id() != JSON).collect()
}

impl Globals {
    /// What was given at any level of the command line. A value given closer to
    /// the end wins; settings add up.
    pub(crate) fn collect(matches: &ArgMatches) -> Self {
        let mut globals = Self::default();
        let mut level = Some(matches);
        while let Some(matches) = level {
            globals.add(matches);
            level = matches.subcommand().map(|(_, inner)| inner);
        }
        globals
    }

    fn add(&mut self, matches: &ArgMatches) {
        let flag = |id| matches.try_get_one::<bool>(id).ok().flatten().copied().unwrap_or(false);
        let text = |id| matches.try_get_one::<String>(id).ok().flatten().cloned();
        self.home = matches.try_get_one::<PathBuf>(HOME).ok().flatten().cloned().or(self.home.take());
        self.agent = text(AGENT).or(self.agent.take());
        self.project = text(PROJECT).or(self.project.take());
        self.json |= flag(JSON);
        self.quiet |= flag(QUIET);
        self.verbose |= flag(VERBOSE);
        self.no_color |= flag(NO_COLOR);
        self.new |= flag(NEW);
        if let Ok(Some(settings)) = matches.try_get_many::<(String, String)>(SET) {
            self.settings.extend(settings.cloned());
        }
    }
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE, for example query.max_results=3".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;

    fn parse(words: &[&str]) -> Globals {
        let inner = Command::new("inner").args(flags());
        let command = Command::new("x").args(flags()).subcommand(inner);
        Globals::collect(&command.try_get_matches_from(words).unwrap())
    }

    #[test]
    fn flags_work_before_and_after_the_command() {
        for words in [["x", "--json", "--agent", "a", "inner"], ["x", "inner", "--json", "--agent", "a"]] {
            let globals = parse(&words);
            assert!(globals.json && globals.agent.as_deref() == Some("a"), "{words:?}");
        }
        let globals = parse(&["x", "--agent", "a", "--set", "k=1", "inner", "--agent", "b", "--set", "k=2=3", "-qv"]);
        assert_eq!(globals.agent.as_deref(), Some("b"));
        assert_eq!(globals.settings, [("k".to_owned(), "1".to_owned()), ("k".to_owned(), "2=3".to_owned())]);
        assert!(globals.quiet && globals.verbose && !globals.json);
    }

    #[test]
    fn an_assignment_has_a_key() {
        assert!(assignment("a").is_err() && assignment("=b").is_err());
        assert_eq!(assignment("a=").unwrap(), ("a".to_owned(), String::new()));
    }
}
