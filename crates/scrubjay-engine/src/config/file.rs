//! Reading a configuration file: bounded, plain files only, with the place of every mistake.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::{Document, Item, Key};

use super::error::ConfigError;
use super::origin::Origin;

/// The largest file that is read.
pub(super) const LIMIT_BYTES: u64 = 1024 * 1024;

/// A parsed configuration file that knows where it came from.
#[derive(Debug)]
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    pub(super) document: Document<Arc<str>>,
    line_ends: Vec<usize>,
}

impl ConfigFile {
    /// Parses text that was read from, or is about to be written to, `path`.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let document = Document::parse(Arc::from(text)).map_err(|error| {
            let (line, column) = line_and_column(text.as_bytes(), error.span().map_or(0, |span| span.start));
            ConfigError::Syntax { path: path.to_owned(), line, column, message: error.message().to_owned() }
        })?;
        let line_ends = text.match_indices('\n').map(|(at, _)| at).collect();
        Ok(Self { path: path.to_owned(), document, line_ends })
    }

    /// The origin of the value behind this key.
    pub(super) fn origin(&self, key: Option<&Key>, item: &Item) -> Origin {
        let span = key.and_then(Key::span).or_else(|| item.span());
        let start = span.map_or(0, |span| span.start);
        let line = self.line_ends.partition_point(|&end| end < start) + 1;
        Origin::File { path: self.path.clone(), line }
    }
}

/// The user's file. It may be a link, because people keep their configuration in version control; it may be absent.
pub(super) fn read_user_file(path: &Path) -> Result<Option<ConfigFile>, ConfigError> {
    match read_text(path, fs::metadata(path))? {
        Some(text) => ConfigFile::parse(path, &text).map(Some),
        None => Ok(None),
    }
}

/// A project's file. It came with a repository that may be hostile, so links and devices are refused.
pub(super) fn read_project_file(path: &Path) -> Result<Option<ConfigFile>, ConfigError> {
    match read_text(path, fs::symlink_metadata(path))? {
        Some(text) => ConfigFile::parse(path, &text).map(Some),
        None => Ok(None),
    }
}

fn read_text(path: &Path, metadata: io::Result<fs::Metadata>) -> Result<Option<String>, ConfigError> {
    let read_error = |source| ConfigError::Read { path: path.to_owned(), source };
    let metadata = match metadata {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(read_error)?,
    };
    // Opening a pipe would wait for a writer for ever, so the kind is known before the file is opened.
    let found = match metadata.file_type() {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a folder"),
        kind if kind.is_symlink() => Some("a symbolic link"),
        _ => Some("a device, pipe or socket"),
    };
    if let Some(found) = found {
        return Err(ConfigError::NotAPlainFile { path: path.to_owned(), found });
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(read_error)?;
    file.take(LIMIT_BYTES + 1).read_to_end(&mut bytes).map_err(read_error)?;
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_owned(), limit_bytes: LIMIT_BYTES });
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let (line, column) = line_and_column(error.as_bytes(), error.utf8_error().valid_up_to());
        ConfigError::NotUtf8 { path: path.to_owned(), line, column }
    })
}

/// Line and column, both from 1, of a byte offset; the column counts characters.
fn line_and_column(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = &bytes[..offset.min(bytes.len())];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    (line, String::from_utf8_lossy(&before[line_start..]).chars().count() + 1)
}
