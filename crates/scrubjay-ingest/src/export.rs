//! What another tool exported: a folder, a zip archive, or one file.
//!
//! Whoever reads an export sees names and bytes, whatever it comes in. Nothing is
//! written to disk, links that lead out of a folder are not followed, and a
//! hostile archive is stopped by its number of files, its size and by how much
//! larger its contents are than itself. An archive inside of an archive is a file
//! like any other and is not opened.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::read::GzDecoder;
use scrubjay_core::time::Timestamp;
use zip::ZipArchive;

/// How many files an export may have.
const FILES: usize = 200_000;
/// How deep its folders may be nested.
const DEPTH: usize = 32;
/// How many bytes one file of it may have, unpacked.
const FILE_BYTES: u64 = 4 << 30;
/// How many times larger than packed a file may be; text stays far below it.
const RATIO: u64 = 200;
/// A small file may be packed as tightly as it likes.
const RATIO_SLACK_BYTES: u64 = 16 << 20;
/// How many bytes a file may have that is read at once.
const TEXT_BYTES: u64 = 64 << 20;

/// Why an export cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file could not be read.
    #[error("could not read {name}")]
    Io {
        /// Which file.
        name: String,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The archive is broken.
    #[error("{name} is no zip archive that can be read: {reason}")]
    Archive {
        /// Which archive.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is more of it than anyone exports.
    #[error("{name} has more than {limit}")]
    TooMuch {
        /// Of what.
        name: String,
        /// The limit.
        limit: String,
    },
}

/// What another tool exported.
pub struct Export {
    root: PathBuf,
    names: Vec<String>,
    archive: Option<Mutex<ZipArchive<BufReader<File>>>>,
}

impl std::fmt::Debug for Export {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Export({:?}, {} files)", self.root, self.names.len())
    }
}

impl Export {
    /// Opens a folder, a zip archive or a single file.
    ///
    /// # Errors
    /// When it is not there, cannot be read, or has too many files.
    pub fn open(path: &Path) -> Result<Self, ExportError> {
        let shown = path.display().to_string();
        let failed = |source| ExportError::Io { name: shown.clone(), source };
        let root = path.canonicalize().map_err(failed)?;
        let metadata = std::fs::metadata(&root).map_err(failed)?;
        if metadata.is_dir() {
            let mut names = Vec::new();
            walk(&root, &root, 0, &mut names).map_err(failed)?;
            if names.len() > FILES {
                return Err(ExportError::TooMuch { name: shown, limit: format!("{FILES} files") });
            }
            names.sort();
            return Ok(Self { root, names, archive: None });
        }
        if !metadata.is_file() {
            return Err(failed(io::Error::other("it is neither a file nor a folder")));
        }
        let mut file = File::open(&root).map_err(failed)?;
        if !is_zip(&mut file).map_err(failed)? {
            let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            return Ok(Self { root, names: vec![name], archive: None });
        }
        let broken =
            |error: zip::result::ZipError| ExportError::Archive { name: shown.clone(), reason: error.to_string() };
        let archive = ZipArchive::new(BufReader::new(file)).map_err(broken)?;
        if archive.len() > FILES {
            return Err(ExportError::TooMuch { name: shown, limit: format!("{FILES} files") });
        }
        let names = archive.file_names().filter_map(|name| name.ok().map(|name| name.into_owned()));
        let mut names: Vec<String> = names.filter(|name| !name.ends_with('/')).collect();
        names.sort();
        Ok(Self { root, names, archive: Some(Mutex::new(archive)) })
    }

    /// The folder or file that was opened, with all links resolved.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The names of its files, with `/` between folders, sorted.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The files that are called so, in whatever folder.
    pub fn called(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
        let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        self.names.iter().map(String::as_str).filter(move |name| wanted(&last(name)))
    }

    /// Where a file lies on disk; none if it is inside of an archive.
    #[must_use]
    pub fn path_of(&self, name: &str) -> Option<PathBuf> {
        match &self.archive {
            Some(_) => None,
            None if self.root.is_file() => Some(self.root.clone()),
            None => Some(self.root.join(name)),
        }
    }

    /// When a file was changed last, if it lies on disk.
    #[must_use]
    pub fn modified(&self, name: &str) -> Option<Timestamp> {
        let modified = std::fs::metadata(self.path_of(name)?).ok()?.modified().ok()?;
        let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
    }

    /// Where a file of it is said to be from: the path on disk, or that of the archive and the name in it.
    #[must_use]
    pub fn shown(&self, name: &str) -> String {
        match self.path_of(name) {
            Some(path) => path.display().to_string(),
            None => format!("{}/{name}", self.root.display()),
        }
    }

    /// Reads a file of it from its beginning. What ends in `.gz` is unpacked.
    ///
    /// # Errors
    /// Those of the reader, and when there is no such file or it cannot be read.
    pub fn read<T, E: From<ExportError>>(
        &self,
        name: &str,
        with: impl FnOnce(&mut dyn Read) -> Result<T, E>,
    ) -> Result<T, E> {
        let failed = |source| ExportError::Io { name: self.shown(name), source };
        match &self.archive {
            Some(archive) => {
                let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
                let mut file = archive.by_name(name).map_err(|error| failed(io::Error::other(error.to_string())))?;
                let packed_bytes = file.compressed_size();
                limited(name, &mut file, packed_bytes, with)
            }
            None => {
                let path = self.path_of(name).unwrap_or_else(|| self.root.clone());
                let file = File::open(path).map_err(failed)?;
                let packed_bytes = file.metadata().map_err(failed)?.len();
                limited(name, &mut BufReader::new(file), packed_bytes, with)
            }
        }
    }

    /// The text of a file. What is not UTF-8 in it is replaced.
    ///
    /// # Errors
    /// When it cannot be read or is too large.
    pub fn text(&self, name: &str) -> Result<String, ExportError> {
        let mut bytes = Vec::new();
        self.read(name, |file| {
            let failed = |source| ExportError::Io { name: self.shown(name), source };
            file.take(TEXT_BYTES + 1).read_to_end(&mut bytes).map(drop).map_err(failed)
        })?;
        if bytes.len() as u64 > TEXT_BYTES {
            return Err(ExportError::TooMuch { name: self.shown(name), limit: format!("{} MiB", TEXT_BYTES >> 20) });
        }
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
    }
}

// Hands a file over, unpacked if its name says so, and no more of it than is plausible.
fn limited<T>(name: &str, file: &mut dyn Read, packed_bytes: u64, with: impl FnOnce(&mut dyn Read) -> T) -> T {
    let left_bytes = FILE_BYTES.min(packed_bytes.saturating_mul(RATIO).saturating_add(RATIO_SLACK_BYTES));
    if name.ends_with(".gz") {
        with(&mut Limited { inner: &mut GzDecoder::new(file), left_bytes })
    } else {
        with(&mut Limited { inner: file, left_bytes })
    }
}

// A reader that fails where a plausible file would have ended long ago.
struct Limited<'a> {
    inner: &'a mut dyn Read,
    left_bytes: u64,
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        match self.left_bytes.checked_sub(read as u64) {
            Some(left) => self.left_bytes = left,
            None => return Err(io::Error::other("unpacked, it is larger than any export")),
        }
        Ok(read)
    }
}

fn is_zip(file: &mut File) -> io::Result<bool> {
    use std::io::Seek;
    let mut head = [0; 4];
    let mut read = 0;
    while read < head.len() {
        match file.read(&mut head[read..])? {
            0 => break,
            more => read += more,
        }
    }
    file.rewind()?;
    // An archive without files begins with its end.
    Ok(matches!(&head[..read], b"PK\x03\x04" | b"PK\x05\x06"))
}

fn walk(root: &Path, folder: &Path, depth: usize, names: &mut Vec<String>) -> io::Result<()> {
    if depth > DEPTH || names.len() > FILES {
        return Ok(());
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    for path in entries {
        // Links are not followed: what they lead to is somewhere else.
        let Ok(metadata) = std::fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            walk(root, &path, depth + 1, names)?;
        } else if metadata.is_file()
            && let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str)
        {
            names.push(name.replace(std::path::MAIN_SEPARATOR, "/"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    use super::*;

    fn zipped(files: &[(&str, &[u8])]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut archive = zip::ZipWriter::new(file.reopen().unwrap());
        for (name, bytes) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap();
        file
    }

    #[test]
    fn a_folder_an_archive_and_a_file_are_read_alike() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b.json"), "[1]").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("a/link.json")).unwrap();
        let archive = zipped(&[("a/b.json", b"[1]")]);
        for path in [folder.path(), archive.path()] {
            let export = Export::open(path).unwrap();
            assert_eq!(export.names(), ["a/b.json"]);
            assert_eq!(export.text("a/b.json").unwrap(), "[1]");
            assert!(export.shown("a/b.json").ends_with("/a/b.json"));
            assert!(export.text("a/c.json").is_err());
        }
        let file = Export::open(&folder.path().join("a/b.json")).unwrap();
        assert_eq!((file.names(), file.text("b.json").unwrap().as_str()), (&["b.json".to_owned()][..], "[1]"));
        assert!(Export::open(&folder.path().join("nothing")).is_err());
    }

    #[test]
    fn an_archive_that_unpacks_to_far_more_is_stopped() {
        let archive = zipped(&[("conversations.json", &vec![b' '; 64 << 20])]);
        let export = Export::open(archive.path()).unwrap();
        let read = export.read("conversations.json", |file| {
            let failed = |source| ExportError::Io { name: String::new(), source };
            io::copy(file, &mut io::sink()).map_err(failed)
        });
        let error = read.unwrap_err();
        let cause = std::error::Error::source(&error).unwrap().to_string();
        assert!(cause.contains("larger than any export"), "{error}: {cause}");
    }

    #[test]
    fn what_only_begins_like_an_archive_is_told() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), b"PK\x03\x04 and nothing else").unwrap();
        assert!(matches!(Export::open(file.path()), Err(ExportError::Archive { .. })));
    }
}
