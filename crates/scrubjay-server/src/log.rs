//! The daemon's log: one line of JSON per happening, in a file that cannot grow
//! without end.
//!
//! Lines hold ids, counts and names of operations, never the text of a memory, a
//! question or a token.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use scrubjay_core::redact::redact;
use scrubjay_engine::home::Home;
use scrubjay_engine::sources::Clock;
use serde_json::{Map, Value, json};

use crate::{Result, ServerError};

/// At this size the file becomes `….1` and a new one begins.
const MAX_BYTES: u64 = 1 << 20;

/// A log file.
pub struct Log {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    file: Mutex<Option<File>>,
}

impl Log {
    /// The log at this place; its folder is made private to the user.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        if let Some(folder) = path.parent() {
            Home::private_folder(folder)?;
        }
        let log = Self { path: path.to_owned(), clock, file: Mutex::new(None) };
        let file = log.append().map_err(|error| ServerError::io("open the log", path, error))?;
        *log.file.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(log)
    }

    /// Notes something that is good to know.
    pub fn note(&self, message: &str, fields: &[(&str, Value)]) {
        self.line("info", message, fields);
    }

    /// Notes a failure, where it is handled.
    pub fn fail(&self, message: &str, fields: &[(&str, Value)]) {
        self.line("error", message, fields);
    }

    fn line(&self, level: &str, message: &str, fields: &[(&str, Value)]) {
        let mut line = Map::new();
        line.insert("time".to_owned(), json!(self.clock.now().to_string()));
        line.insert("level".to_owned(), json!(level));
        line.insert("message".to_owned(), json!(redact(message).text));
        line.extend(fields.iter().map(|(name, value)| ((*name).to_owned(), without_secrets(value))));
        let text = format!("{}\n", Value::Object(line));
        let mut held = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let full = held.as_ref().and_then(|file| file.metadata().ok()).is_some_and(|facts| facts.len() > MAX_BYTES);
        if full {
            self.turn_over();
            *held = self.append().ok();
        }
        // A log that cannot be written must not stop the work that it tells of.
        if let Some(file) = held.as_mut() {
            let _ = file.write_all(text.as_bytes());
        }
    }

    fn append(&self) -> std::io::Result<File> {
        OpenOptions::new().create(true).append(true).mode(0o600).open(&self.path)
    }

    #[expect(clippy::disallowed_methods, reason = "the former log makes room for the next; a log is no primary data")]
    fn turn_over(&self) {
        let mut former = self.path.clone().into_os_string();
        former.push(".1");
        let _ = std::fs::rename(&self.path, former);
    }
}

// Names, ids and reasons come from outside; nobody knows what they hold.
fn without_secrets(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text).text),
        Value::Array(values) => values.iter().map(without_secrets).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (redact(name).text, without_secrets(value))).collect()
        }
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use scrubjay_engine::sources::SystemClock;

    use super::*;

    #[test]
    fn the_log_is_private_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/daemon.log");
        let log = Log::open(&path, Arc::new(SystemClock::default())).unwrap();
        let long = "x".repeat(10_000);
        for _ in 0..250 {
            log.note(&long, &[("operation", json!("recall"))]);
        }
        let size = |path: &Path| std::fs::metadata(path).unwrap().len();
        assert!(size(&path) < MAX_BYTES + 20_000);
        assert!(size(&folder.path().join("logs/daemon.log.1")) < MAX_BYTES + 20_000);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&path).unwrap();
        let line: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!(line["operation"], "recall");
    }
}
