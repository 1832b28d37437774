//! The three streams of the process, and what is known about them.
//!
//! Standard output carries data, standard error everything else. A reader that
//! went away is no failure of ours: it ends the command quietly.

use std::io::{self, BufWriter, IsTerminal, Read, Write};

use serde_json::Value;

use crate::failure::Failure;
use crate::output::safe;

/// The most text that is read from standard input for one argument.
const INPUT_BYTES: u64 = 64 << 20;

/// The streams of a command.
pub(crate) struct Console {
    output: Box<dyn Write>,
    messages: Box<dyn Write>,
    input: Option<Box<dyn Read + Send>>,
    /// What is known about the streams.
    pub(crate) facts: Facts,
}

/// What is known about the streams of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Facts {
    /// A person types the input.
    pub(crate) input_is_terminal: bool,
    /// A person reads the output.
    pub(crate) output_is_terminal: bool,
    /// A person reads the messages.
    pub(crate) messages_are_terminal: bool,
    /// How many columns a line has.
    pub(crate) columns: usize,
}

impl Console {
    /// The streams of this process.
    pub(crate) fn of_process() -> Self {
        let facts = Facts {
            input_is_terminal: io::stdin().is_terminal(),
            output_is_terminal: io::stdout().is_terminal(),
            messages_are_terminal: io::stderr().is_terminal(),
            columns: columns(),
        };
        Self {
            output: Box::new(BufWriter::new(io::stdout())),
            messages: Box::new(io::stderr()),
            input: Some(Box::new(io::stdin())),
            facts,
        }
    }

    /// Streams that lead elsewhere.
    pub(crate) fn new(
        output: impl Write + 'static,
        messages: impl Write + 'static,
        input: Option<Box<dyn Read + Send>>,
        facts: Facts,
    ) -> Self {
        Self { output: Box::new(output), messages: Box::new(messages), input, facts }
    }

    /// Writes data.
    pub(crate) fn data(&mut self, text: &str) -> Result<(), Failure> {
        self.output.write_all(text.as_bytes()).map_err(Failure::output)
    }

    /// Writes an answer as one line of JSON.
    pub(crate) fn json(&mut self, value: &Value) -> Result<(), Failure> {
        let mut line = value.to_string();
        if self.facts.output_is_terminal {
            line = safe::escaped_json(&line);
        }
        line.push('\n');
        self.data(&line)
    }

    /// Makes sure that what was written has left this process.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.output.flush().map_err(Failure::output)
    }

    /// Tells the person something. Nobody may be listening, and that is fine.
    pub(crate) fn say(&mut self, text: &str) {
        let _ = self.messages.write_all(safe::text(text).as_bytes()).and_then(|()| self.messages.write_all(b"\n"));
    }

    /// Tells the person something that is styled already and ends its own lines.
    pub(crate) fn say_styled(&mut self, text: &str) {
        let _ = self.messages.write_all(text.as_bytes()).and_then(|()| self.messages.flush());
    }

    /// Standard input; it can be taken once.
    pub(crate) fn take_input(&mut self) -> Box<dyn Read + Send> {
        self.input.take().unwrap_or_else(|| Box::new(io::empty()))
    }

    /// All of standard input as text.
    pub(crate) fn read_text(&mut self) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        self.take_input()
            .take(INPUT_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::io("read standard input", error))?;
        if bytes.len() as u64 > INPUT_BYTES {
            return Err(Failure::invalid(format!(
                "standard input has more than {} MiB; send less at once",
                INPUT_BYTES >> 20
            )));
        }
        String::from_utf8(bytes).map_err(|error| {
            let place = error.utf8_error().valid_up_to();
            Failure::invalid(format!("standard input is not valid UTF-8 (byte {}); convert it first", place + 1))
        })
    }

    /// Asks a yes-or-no question; anything but yes means no.
    pub(crate) fn ask(&mut self, question: &str) -> bool {
        self.say_styled(&format!("{} [y/N] ", safe::text(question)));
        let mut answer = Vec::new();
        let mut byte = [0];
        let mut input = self.take_input();
        while answer.len() < 16 && matches!(input.read(&mut byte), Ok(1)) && byte[0] != b'\n' {
            answer.push(byte[0]);
        }
        self.input = Some(input);
        matches!(answer.trim_ascii().to_ascii_lowercase().as_slice(), b"y" | b"yes")
    }
}

fn columns() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout()).or_else(|_| rustix::termios::tcgetwinsize(io::stderr()));
    let columns = size.map_or(80, |size| usize::from(size.ws_col));
    // Very wide lines are hard to read, and very narrow ones cannot be laid out.
    if columns == 0 { 80 } else { columns.clamp(40, 110) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: Facts =
        Facts { input_is_terminal: false, output_is_terminal: false, messages_are_terminal: false, columns: 80 };

    fn reading(bytes: &'static [u8]) -> Console {
        Console::new(io::sink(), io::sink(), Some(Box::new(bytes)), FACTS)
    }

    #[test]
    fn only_yes_means_yes() {
        for (answer, expected) in [
            ("y\n", true),
            ("YES\n", true),
            (" y \n", true),
            ("n\n", false),
            ("\n", false),
            ("", false),
            ("yesterday\n", false),
        ] {
            assert_eq!(reading(answer.as_bytes()).ask("Go on?"), expected, "{answer:?}");
        }
    }

    #[test]
    fn input_must_be_text() {
        assert_eq!(reading(b"a\xc3\xbc").read_text().ok().as_deref(), Some("aü"));
        let failure = reading(b"ab\xff").read_text().unwrap_err();
        assert!(failure.message().contains("byte 3"), "{}", failure.message());
    }

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_left_is_no_failure() {
        let mut console = Console::new(Gone, io::sink(), None, FACTS);
        let failure = console.data("x").unwrap_err();
        assert!(matches!(failure, Failure::OutputClosed));
        assert_eq!(failure.exit(), 0);
    }
}
