//! The demo as a play: real commands, and what they are for.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::rc::Rc;

use clap::{Arg, ArgAction, ArgMatches, Command};
use scrubjay_core::error::ErrorCode;
use scrubjay_core::time::Timestamp;

use super::story::{conversation, day};
use crate::console::{Console, Facts};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::globals;
use crate::invocation::Invocation;
use crate::output::layout::wrap;
use crate::output::style::Style;
use crate::run;
use crate::scratch_folder::ScratchFolder;

/// The project that the team works on.
const PROJECT: &str = "tern";

/// Its arguments.
pub(crate) fn command() -> Command {
    let keep =
        Arg::new("keep").long("keep").action(ArgAction::SetTrue).help("Keep the scratch folder and say where it is");
    Command::new("demo")
        .about("Show everything at work on bundled conversations, in a scratch folder")
        .arg(keep)
        .args(globals::arguments())
}

/// Plays the demo.
pub(crate) fn run(invocation: &mut Invocation<'_>, matches: &ArgMatches) -> Result<u8, Failure> {
    let keep = matches.get_flag("keep");
    let scratch = ScratchFolder::new(&invocation.environment.temporary_folder(), keep)?;
    // The clock belongs to the engine; a context on the scratch folder has one.
    let now = clock(&scratch)?;
    Stage { invocation, scratch: &scratch, now }.play()?;
    if keep {
        let home = scratch.path.display();
        let text = format!(
            "The memories of this demo are kept. Look around:\n  scrubjay --home {home} --project {PROJECT} list\n"
        );
        invocation.console.data(&text)?;
    }
    Ok(0)
}

fn clock(scratch: &ScratchFolder) -> Result<Timestamp, Failure> {
    let environment = Environment::bare(scratch.path.clone());
    let globals = globals::Globals { home: Some(scratch.path.clone()), ..globals::Globals::default() };
    Ok(crate::context::open(&globals, &environment)?.ctx.now())
}

struct Stage<'a, 'b> {
    invocation: &'a mut Invocation<'b>,
    scratch: &'a ScratchFolder,
    now: Timestamp,
}

impl Stage<'_, '_> {
    fn play(&mut self) -> Result<(), Failure> {
        let (first, second) = (day(self.now, 9), day(self.now, 16));
        self.tell("Ines, Priya and Tomasz build Tern, an app for ferry tickets. Their agent hands every conversation to Scrubjay. Three weeks ago they began:")?;
        self.capture("kickoff")?;
        self.tell("Two weeks later. Someone pastes a token; it is taken out before anything is written.")?;
        self.capture("standup")?;
        self.tell("And yesterday. A passage marked <private> is left out as well.")?;
        self.capture("incident")?;

        self.tell("What matters can also be told on purpose:")?;
        let fact = format!("The release of Tern 2.0 is on {first}");
        let output = self.command(&["remember", "--type", "decision", "--tag", "release", &fact])?;
        let id = id_in(&output)?;

        self.tell("Later, anyone may ask. Facts and conversations answer together:")?;
        self.command(&["recall", "-n", "2", "when is the release of Tern"])?;
        self.command(&["recall", "-n", "2", "why did bookings fail"])?;
        self.tell("The token is gone, whoever asks:")?;
        self.command(&["recall", "-n", "1", "token for the test server"])?;
        self.tell("A question that has nothing to do with anything gets nothing:")?;
        self.command(&["recall", "favourite pizza topping"])?;

        self.tell("Plans change. A correction replaces the fact and keeps what was believed before:")?;
        let fact = format!("The release of Tern 2.0 is on {second}");
        self.command(&["correct", &id, &fact])?;
        self.command(&["history", &id])?;
        self.command(&["recall", "-n", "1", "--kind", "fact", "when is the release of Tern"])?;

        self.tell("Names, addresses, tags and paths are found on the way in:")?;
        self.command(&["entities", "--limit", "6"])?;
        self.command(&["entity", "--limit", "2", "joris@kiel-harbour.example"])?;

        self.tell("Forgetting is reversible:")?;
        self.command(&["forget", "--session", "kickoff", "--yes"])?;
        self.command(&["undo"])?;
        self.command(&["stats"])?;

        self.tell("That was it: a few files in a folder, no server, no network. Next:")?;
        let palette = self.invocation.palette();
        for (command, what) in [
            ("scrubjay remember \"…\"", "keep something"),
            ("scrubjay recall \"…\"", "find it again"),
            ("scrubjay capture < chat.jsonl", "keep a conversation"),
            ("scrubjay help", "all commands"),
        ] {
            let padding = " ".repeat(31 - command.chars().count());
            self.write(&format!("  {}{padding}{what}\n", palette.paint(Style::Strong, command)))?;
        }
        self.write("\n")
    }

    fn capture(&mut self, session: &str) -> Result<(), Failure> {
        let messages = conversation(session, self.now)?;
        let shown = format!("scrubjay capture < {session}.jsonl");
        self.run(&shown, &["capture"], messages).map(drop)
    }

    fn command(&mut self, words: &[&str]) -> Result<String, Failure> {
        let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        self.run(&format!("scrubjay {}", quoted.join(" ")), words, String::new())
    }

    // Runs a command as the shell would, on the scratch folder.
    fn run(&mut self, shown: &str, words: &[&str], input: String) -> Result<String, Failure> {
        let palette = self.invocation.palette();
        self.write(&format!("{}\n", palette.paint(Style::Strong, &format!("$ {shown}"))))?;
        let mut arguments: Vec<OsString> = vec!["scrubjay".into(), "--home".into(), self.scratch.path.clone().into()];
        arguments.extend(["--project".into(), PROJECT.into()]);
        if !palette.colour {
            arguments.push("--no-color".into());
        }
        arguments.extend(words.iter().map(OsString::from));
        let (output, messages) = (Transcript::default(), Transcript::default());
        let facts = Facts {
            input_is_terminal: false,
            output_is_terminal: true,
            messages_are_terminal: false,
            columns: self.invocation.console.facts.columns,
        };
        let input = Box::new(io::Cursor::new(input.into_bytes()));
        let mut console = Console::new(output.clone(), messages.clone(), Some(input), facts);
        let exit = run::run(arguments, &Environment::bare(self.scratch.path.clone()), &mut console);
        let output = output.text();
        self.write(&format!("{output}\n"))?;
        if exit != 0 {
            let message =
                format!("the demo stopped: `{shown}` failed with exit code {exit} ({})", messages.text().trim());
            return Err(Failure::plain(ErrorCode::Internal, message));
        }
        Ok(output)
    }

    fn tell(&mut self, text: &str) -> Result<(), Failure> {
        let palette = self.invocation.palette();
        for line in wrap(text, self.invocation.console.facts.columns) {
            self.write(&format!("{}\n", palette.paint(Style::Dim, &line)))?;
        }
        self.write("\n")
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.invocation.console.data(text)
    }
}

/// A stream that keeps what is written to it.
#[derive(Clone, Default)]
struct Transcript(Rc<RefCell<Vec<u8>>>);

impl Transcript {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Transcript {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// As one would type it.
fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./@:=".contains(character);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("\"{word}\"") }
}

// The first id that a command named.
fn id_in(output: &str) -> Result<String, Failure> {
    let start = output.find("fact_").ok_or_else(|| Failure::plain(ErrorCode::Internal, "the demo lost its fact"))?;
    Ok(output[start..]
        .chars()
        .take_while(|character| character.is_ascii_alphanumeric() || "_-".contains(*character))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        assert_eq!(quoted("recall"), "recall");
        assert_eq!(quoted("two words"), "\"two words\"");
        assert_eq!(quoted(""), "\"\"");
    }

    #[test]
    fn ids_are_found_in_output() {
        assert_eq!(id_in("Remembered: \u{1b}[1mfact_0197-a\u{1b}[0m\n").unwrap(), "fact_0197-a");
        assert!(id_in("nothing").is_err());
    }
}
