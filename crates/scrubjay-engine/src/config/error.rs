//! What can go wrong with the configuration, in words a person can act on.

use std::io;
use std::path::PathBuf;

use super::origin::Origin;

/// A failure to find, read, check or change the configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Neither a flag nor the environment says where Scrubjay lives.
    #[error(
        "cannot choose a home folder: {variable} is not set to an absolute path; set HOME or SCRUBJAY_HOME, or pass --home DIR"
    )]
    NoHome {
        /// The variable that was needed.
        variable: &'static str,
    },

    /// A path could not be made absolute.
    #[error("cannot make the path `{}` absolute; pass an absolute path", shown(path))]
    Absolute {
        /// The path as it was given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// An agent's name is not usable as a file name.
    #[error(
        "`{}` ({origin}) is not an agent name; use 1 to 64 of a-z, 0-9, `.`, `_` and `-`, not starting with `.`",
        printable(name)
    )]
    AgentName {
        /// The name as it was given.
        name: String,
        /// Where it was given.
        origin: Origin,
    },

    /// A file exists but cannot be read.
    #[error("cannot read the configuration file {}; check that it exists and that you may read it", shown(path))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },

    /// The path names something other than a plain file.
    #[error("the configuration {} is {found}; replace it by a plain file", shown(path))]
    NotAPlainFile {
        /// The path.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },

    /// The file is larger than any sensible configuration.
    #[error("the configuration file {} is larger than {limit_bytes} bytes; shorten it", shown(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The largest accepted size.
        limit_bytes: u64,
    },

    /// The file is not text.
    #[error("the configuration file {}:{line}:{column} is not valid UTF-8; save it as UTF-8", shown(path))]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// Line of the first invalid byte, from 1.
        line: usize,
        /// Column of the first invalid byte, from 1.
        column: usize,
    },

    /// The file is not TOML.
    #[error(
        "the configuration file {}:{line}:{column} is not valid TOML ({}); correct that line",
        shown(path),
        printable(message)
    )]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line of the error, from 1.
        line: usize,
        /// Column of the error, from 1.
        column: usize,
        /// What the parser said.
        message: String,
    },

    /// A key that no setting has.
    #[error("unknown setting `{}` ({origin}); {}", printable(key), advice(suggestion))]
    UnknownKey {
        /// The dotted key.
        key: String,
        /// Where it was given.
        origin: Origin,
        /// The setting that was probably meant.
        suggestion: Option<String>,
    },

    /// A value of the wrong type.
    #[error("`{key}` ({origin}) must be {expected}, but is {}", printable(found))]
    WrongType {
        /// The dotted key.
        key: String,
        /// What it should be.
        expected: String,
        /// What was found.
        found: String,
        /// Where it was given.
        origin: Origin,
    },

    /// A value of the right type that makes no sense.
    #[error("`{key}` = {} ({origin}) is not allowed; use {allowed}", printable(value))]
    NotAllowed {
        /// The dotted key.
        key: String,
        /// The value in TOML notation, without secrets.
        value: String,
        /// The allowed values in words.
        allowed: String,
        /// Where it was given.
        origin: Origin,
    },

    /// An attempt to set in a project's file what only the user may decide.
    #[error("cannot set `{}` in the project file {}; it can only be set in the user file", printable(key), shown(path))]
    UserFileOnly {
        /// The dotted key.
        key: String,
        /// The project file.
        path: PathBuf,
    },

    /// The file is laid out in a way that cannot be changed without rewriting it.
    #[error("cannot change `{}` in {} without rewriting the file; edit it by hand", printable(key), shown(path))]
    Edit {
        /// The dotted key.
        key: String,
        /// The file.
        path: PathBuf,
    },

    /// A step of writing the file failed; the file holds the old text or the new one, never a part of either.
    #[error("cannot {step} while changing {}; check free space and permissions, and try again", shown(path))]
    Write {
        /// What was attempted.
        step: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The longest piece of foreign text in a message, in characters.
const SHOWN_CHARS: usize = 200;

/// Foreign text made safe for a terminal: control and direction characters escaped, cut to a sensible length.
pub(crate) fn printable(text: &str) -> String {
    let mut safe = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN_CHARS {
            safe.push('…');
            break;
        }
        let reorders = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if character.is_control() || reorders {
            safe.extend(character.escape_unicode());
        } else {
            safe.push(character);
        }
    }
    safe
}

/// A path for a message; long paths stay whole because a cut path helps nobody.
pub(crate) fn shown(path: &std::path::Path) -> String {
    let text = path.to_string_lossy();
    text.split_inclusive('/').map(printable).collect()
}

fn advice(suggestion: &Option<String>) -> String {
    match suggestion {
        Some(suggestion) => format!("did you mean `{suggestion}`?"),
        None => "run `scrubjay config show` to see all settings".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_drive_a_terminal() {
        assert_eq!(printable("plain ü 漢"), "plain ü 漢");
        assert_eq!(printable("a\u{1b}[2Jb\n\u{202e}"), "a\\u{1b}[2Jb\\u{a}\\u{202e}");
        assert_eq!(printable(&"x".repeat(500)).chars().count(), SHOWN_CHARS + 1);
    }
}
