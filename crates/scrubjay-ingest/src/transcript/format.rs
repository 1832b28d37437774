//! What a format is, and which there are.

use std::path::Path;

use serde_json::Value;

#[cfg(test)]
use super::fake;
use super::record::Line;
use super::{antigravity, claude_code, codex, copilot, generic};

/// How a program writes its conversations.
pub struct Format {
    /// Its name in commands, which is the client's.
    pub name: &'static str,
    /// Whether a file with the ending of a transcript is one. Some programs write several beside each other.
    pub is_one: fn(&Path) -> bool,
    /// Whether its conversations tell the folder they took place in.
    pub names_folder: bool,
    /// Begins to read a file, with what was kept of the lines before.
    pub begin: fn(&Path, &Value) -> Box<dyn Reader>,
}

/// Goes through a file in order.
pub trait Reader: Send {
    /// Reads one line.
    fn line(&mut self, line: &[u8]) -> Line;

    /// What later lines need to know of those before, if anything. The session's id, which may hold a secret, is under
    /// `session_id`.
    fn state(&self) -> Option<Value> {
        None
    }
}

/// Every format there is.
pub static FORMATS: &[Format] = &[
    claude_code::FORMAT,
    codex::FORMAT,
    antigravity::FORMAT,
    copilot::FORMAT,
    generic::FORMAT,
    #[cfg(test)]
    fake::FORMAT,
];

/// A reader of a format in which every line stands alone.
pub(super) struct Lines(pub(super) fn(&[u8]) -> Line);

impl Reader for Lines {
    fn line(&mut self, line: &[u8]) -> Line {
        (self.0)(line)
    }
}

/// Any file will do.
pub(super) fn any(_: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_one_file_and_one_line() {
        let found: Vec<&Format> = FORMATS.iter().filter(|format| format.name == "acme").collect();
        let [format] = found[..] else { unreachable!() };
        let path = Path::new("/srv/acme-1.jsonl");
        assert!((format.is_one)(path) && !(format.is_one)(Path::new("/srv/other.jsonl")));
        let mut reader = (format.begin)(path, &Value::Null);
        assert_eq!(reader.line(b"user|We ship on Friday").record().unwrap().text, "We ship on Friday");
        assert!(reader.line(b"tool|ls").record().is_none());
    }
}
