//! Why a command failed, how that is told, and the exit code it means.

use std::error::Error;
use std::io;

use scrubjay_core::error::ErrorCode;
use scrubjay_engine::EngineError;
use scrubjay_engine::config::ConfigError;
use scrubjay_engine::project::ProjectError;
use scrubjay_server::ServerError;
use serde_json::json;

use crate::console::Console;
use crate::output::safe;
use crate::output::style::{Palette, Style};

/// The reason why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments make no sense; also a request for help.
    Usage(Box<clap::Error>),
    /// An operation failed.
    Engine(EngineError),
    /// The daemon or the way to it failed.
    Server(ServerError),
    /// Something of the command line itself failed.
    Plain {
        /// What it means to the outside.
        code: ErrorCode,
        /// What happened, and what to do.
        message: String,
        /// The cause.
        source: Option<io::Error>,
    },
    /// Everything was said already; only the exit code is left.
    Told(u8),
    /// Whoever read our output has left.
    OutputClosed,
}

impl Failure {
    /// A failure with a meaning and a message.
    pub(crate) fn plain(code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Plain { code, message: message.into(), source: None }
    }

    /// The input makes no sense.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::plain(ErrorCode::InvalidInput, message)
    }

    /// A file or stream failed.
    pub(crate) fn io(action: &str, source: io::Error) -> Self {
        let code = match source.kind() {
            io::ErrorKind::NotFound => ErrorCode::NotFound,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull => {
                ErrorCode::Unavailable
            }
            _ => ErrorCode::Internal,
        };
        Self::Plain { code, message: format!("could not {action}"), source: Some(source) }
    }

    /// Standard output failed.
    pub(crate) fn output(source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Plain {
                code: ErrorCode::Internal,
                message: "could not write the answer".to_owned(),
                source: Some(source),
            },
        }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        match self {
            Self::Usage(error) if !error.use_stderr() => 0,
            Self::Told(exit) => *exit,
            Self::OutputClosed => 0,
            other => other.code().exit(),
        }
    }

    /// What it means to the outside.
    pub(crate) fn code(&self) -> ErrorCode {
        match self {
            Self::Usage(_) => ErrorCode::InvalidInput,
            Self::Engine(error) => error.code(),
            Self::Server(error) => error.code(),
            Self::Plain { code, .. } => *code,
            Self::Told(_) | Self::OutputClosed => ErrorCode::Internal,
        }
    }

    /// What happened, in one sentence.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::Usage(error) => {
                let text = error.render().to_string();
                let first = text.split("\n\n").next().unwrap_or_default();
                let lines: Vec<&str> = first.trim_start_matches("error: ").lines().map(str::trim).collect();
                lines.join(" ")
            }
            Self::Engine(error) => error.to_string(),
            Self::Server(error) => error.to_string(),
            Self::Plain { message, .. } => message.clone(),
            Self::Told(_) | Self::OutputClosed => String::new(),
        }
    }

    /// What led to it, outermost first.
    pub(crate) fn causes(&self) -> Vec<String> {
        let mut next: Option<&dyn Error> = match self {
            Self::Engine(error) => error.source(),
            Self::Server(error) => error.source(),
            Self::Plain { source, .. } => source.as_ref().map(|source| source as &dyn Error),
            _ => None,
        };
        let mut causes = Vec::new();
        while let Some(cause) = next {
            causes.push(cause.to_string());
            next = cause.source();
        }
        causes
    }

    /// Tells the person, or the program if it asked for JSON, and gives the exit
    /// code.
    pub(crate) fn report(&self, console: &mut Console, json: bool, palette: Palette) -> u8 {
        match self {
            Self::Told(_) | Self::OutputClosed => {}
            Self::Usage(error) if !error.use_stderr() => {
                let rendered = error.render();
                let text = if palette.colour { rendered.ansi().to_string() } else { rendered.to_string() };
                let _ = console.data(&text).and_then(|()| console.flush());
            }
            _ if json => {
                let (code, message, causes) = (self.code().name(), self.message(), self.causes());
                let line = json!({"error": {"code": code, "message": message, "causes": causes}}).to_string();
                console.say_styled(&format!("{}\n", safe::escaped_json(&line)));
            }
            Self::Usage(error) => {
                let rendered = error.render();
                let text = if palette.colour { rendered.ansi().to_string() } else { rendered.to_string() };
                console.say_styled(&text);
            }
            _ => {
                let (what, hint) = split_hint(&self.message());
                console.say_styled(&format!("{} {}\n", palette.paint(Style::Bad, "error:"), safe::text(&what)));
                for cause in self.causes() {
                    console.say(&format!("  caused by: {cause}"));
                }
                if let Some(hint) = hint {
                    console.say(&format!("  hint: {hint}"));
                }
            }
        }
        self.exit()
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        match error {
            ServerError::Engine(error) => Self::Engine(error),
            other => Self::Server(other),
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<ProjectError> for Failure {
    fn from(error: ProjectError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        Self::Usage(Box::new(error))
    }
}

/// Messages say what happened, then, after a semicolon, what to do about it.
/// A semicolon in a quoted text is no such place.
pub(crate) fn split_hint(message: &str) -> (String, Option<String>) {
    let mut quoted = false;
    let bytes = message.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'`' => quoted = !quoted,
            b';' if !quoted && bytes.get(at + 1) == Some(&b' ') => {
                return (message[..at].to_owned(), Some(message[at + 2..].to_owned()));
            }
            _ => {}
        }
    }
    (message.to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_split_off_outside_of_quotes() {
        for (message, what, hint) in [
            ("no such thing; look there", "no such thing", Some("look there")),
            ("no `a; b` here; look there; or there", "no `a; b` here", Some("look there; or there")),
            ("no `a; b", "no `a; b", None),
            ("a;b", "a;b", None),
            ("", "", None),
        ] {
            assert_eq!(split_hint(message), (what.to_owned(), hint.map(str::to_owned)), "{message}");
        }
    }

    #[test]
    fn exit_codes_follow_the_table() {
        assert_eq!(Failure::invalid("x").exit(), 2);
        assert_eq!(Failure::from(EngineError::not_found("x")).exit(), 3);
        assert_eq!(Failure::from(EngineError::refused("x")).exit(), 4);
        assert_eq!(Failure::plain(ErrorCode::Busy, "x").exit(), 5);
        assert_eq!(Failure::plain(ErrorCode::StoreDamaged, "x").exit(), 6);
        assert_eq!(Failure::io("do it", io::ErrorKind::Other.into()).exit(), 1);
        assert_eq!(Failure::Told(1).exit(), 1);
    }

    #[test]
    fn causes_are_told_in_order() {
        let failure = Failure::io("read x", io::Error::other("the disk is gone"));
        assert_eq!(failure.message(), "could not read x");
        assert_eq!(failure.causes(), ["the disk is gone"]);
    }
}
