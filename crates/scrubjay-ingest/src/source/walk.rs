//! The files of a folder, and what is left out with its reason.
//!
//! Files that `.gitignore`, `.ignore` or `.scrubjayignore` exclude are left out without a word: that is what the user
//! asked for. Everything else that is not read is listed. Links are never followed, so the walk cannot leave its root
//! or run in circles; entries come in the order of their names, so that two walks of the same tree are the same.
//! Memory is bounded by the largest single folder, not by the tree.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder};

use super::kind::{FileKind, classify};
use super::skip::SkipReason;

/// The name of our own ignore file, in the syntax of `.gitignore`.
pub const IGNORE_FILE: &str = ".scrubjayignore";

/// How far a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkLimits {
    /// The largest file that is read.
    pub file_bytes: u64,
    /// How many folders deep.
    pub depth: usize,
}

impl Default for WalkLimits {
    fn default() -> Self {
        Self { file_bytes: 2 * 1024 * 1024, depth: 64 }
    }
}

/// Something the walk came upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WalkEntry {
    /// A file to read.
    File(FoundFile),
    /// Something that is not read.
    Skipped(Skipped),
}

/// A file to read. Whether it is text shows when it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its path from the root, with `/` between the parts.
    pub relative: String,
    /// What it is.
    pub kind: FileKind,
    /// What tells an untouched file from a changed one without reading it.
    pub stamp: Stamp,
}

/// What tells an untouched file from a changed one without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Its size.
    pub size_bytes: u64,
    /// When it was changed, in nanoseconds since 1970; 0 where the system does not say.
    pub modified_ns: i64,
    /// Its number on its device; 0 where the system has none.
    pub inode: u64,
}

/// Something that is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Its path from the root, as far as it can be shown.
    pub relative: String,
    /// Why.
    pub reason: SkipReason,
}

/// A walk that has begun.
pub struct Walk {
    root: PathBuf,
    limits: WalkLimits,
    entries: ignore::Walk,
    /// What the filter turned away since the last entry.
    turned_away: Arc<Mutex<VecDeque<Skipped>>>,
    /// An entry that waits until those before it are told.
    waiting: Option<WalkEntry>,
}

/// The folders that a walk goes through, the root first: what has to be watched to see every change.
///
/// # Errors
/// When the root is not a folder that can be read.
pub fn folders(root: &Path, limits: WalkLimits) -> io::Result<Vec<PathBuf>> {
    let root = root.canonicalize()?;
    std::fs::read_dir(&root)?;
    let entries = builder(&root).filter_entry(move |entry| turn_away(entry, limits.depth).is_none()).build();
    let is_folder = |entry: &DirEntry| entry.file_type().is_some_and(|file_type| file_type.is_dir());
    Ok(entries.filter_map(Result::ok).filter(is_folder).map(DirEntry::into_path).collect())
}

/// Begins a walk below `root`.
///
/// # Errors
/// When the root is not a folder that can be read.
pub fn walk(root: &Path, limits: WalkLimits) -> io::Result<Walk> {
    let root = root.canonicalize()?;
    // An unreadable root is a failure of the walk and not a skipped entry.
    std::fs::read_dir(&root)?;
    let turned_away = Arc::new(Mutex::new(VecDeque::new()));
    let (list, from) = (Arc::clone(&turned_away), root.clone());
    let entries = builder(&root)
        .filter_entry(move |entry| match turn_away(entry, limits.depth) {
            None => true,
            Some(reason) => {
                let skipped = Skipped { relative: shown(entry.path(), &from), reason };
                list.lock().unwrap_or_else(PoisonError::into_inner).push_back(skipped);
                false
            }
        })
        .build();
    Ok(Walk { root, limits, entries, turned_away, waiting: None })
}

fn builder(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .standard_filters(true)
        // Hidden things are turned away by us, where it can be told; the rest depends on the tree alone, and not on
        // who walks it.
        .hidden(false)
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(IGNORE_FILE)
        .sort_by_file_name(std::ffi::OsStr::cmp);
    builder
}

impl Iterator for Walk {
    type Item = WalkEntry;

    fn next(&mut self) -> Option<WalkEntry> {
        loop {
            if let Some(skipped) = self.turned_away.lock().unwrap_or_else(PoisonError::into_inner).pop_front() {
                return Some(WalkEntry::Skipped(skipped));
            }
            if let Some(found) = self.waiting.take() {
                return Some(found);
            }
            let Some(entry) = self.entries.next() else {
                // The filter may have turned away the very last entries.
                return self
                    .turned_away
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pop_front()
                    .map(WalkEntry::Skipped);
            };
            self.waiting = match entry {
                Ok(entry) => look(&entry, &self.root, self.limits),
                Err(error) => unreadable(&error, &self.root).map(WalkEntry::Skipped),
            };
        }
    }
}

impl std::fmt::Debug for Walk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walk").field("root", &self.root).field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// What an entry is, or nothing for a folder, which is only walked through.
fn look(entry: &DirEntry, root: &Path, limits: WalkLimits) -> Option<WalkEntry> {
    let file_type = entry.file_type()?;
    if file_type.is_dir() {
        return None;
    }
    let skipped = |reason| Some(WalkEntry::Skipped(Skipped { relative: shown(entry.path(), root), reason }));
    if file_type.is_symlink() {
        return match followed_link(entry.path(), root) {
            Ok(target) => match entry.path().strip_prefix(root).ok().and_then(Path::to_str) {
                Some(relative) => Some(file(target, relative, limits)),
                None => skipped(SkipReason::NameNotUtf8),
            },
            Err(reason) => skipped(reason),
        };
    }
    if !file_type.is_file() {
        return skipped(SkipReason::NotAFile);
    }
    match entry.path().strip_prefix(root).ok().and_then(Path::to_str) {
        Some(relative) => Some(file(entry.path().to_owned(), relative, limits)),
        None => skipped(SkipReason::NameNotUtf8),
    }
}

fn file(path: PathBuf, relative: &str, limits: WalkLimits) -> WalkEntry {
    let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
    let kind = classify(&relative);
    match kind.and_then(|kind| Ok((kind, stamp(&path, limits.file_bytes)?))) {
        Ok((kind, stamp)) => WalkEntry::File(FoundFile { path, relative, kind, stamp }),
        Err(reason) => WalkEntry::Skipped(Skipped { relative, reason }),
    }
}

/// What tells whether a file has changed, if it is one to read.
pub(super) fn stamp(path: &Path, limit_bytes: u64) -> Result<Stamp, SkipReason> {
    let metadata = std::fs::symlink_metadata(path).map_err(|error| SkipReason::of_error(&error))?;
    let size_bytes = metadata.len();
    if size_bytes > limit_bytes {
        return Err(SkipReason::TooLarge { size_bytes, limit_bytes });
    }
    if size_bytes == 0 {
        return Err(SkipReason::Empty);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let modified_ns = metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec());
        Ok(Stamp { size_bytes, modified_ns, inode: metadata.ino() })
    }
    #[cfg(not(unix))]
    {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0);
        Ok(Stamp { size_bytes, modified_ns, inode: 0 })
    }
}

/// Links are read only if they lead to a file inside the root that the walk does not come upon by itself, because it
/// is hidden: notes are sometimes kept that way.
fn followed_link(path: &Path, root: &Path) -> Result<PathBuf, SkipReason> {
    let target = path.canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => SkipReason::Denied,
        _ => SkipReason::LinkBroken,
    })?;
    let inside = target.strip_prefix(root).map_err(|_| SkipReason::LinkOutside)?;
    let is_hidden = inside.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    let in_git = inside.components().any(|part| part.as_os_str() == ".git");
    if target.is_file() && is_hidden && !in_git { Ok(target) } else { Err(SkipReason::LinkInside) }
}

/// Whether an entry is left out before it is looked at, and so everything in it.
fn turn_away(entry: &DirEntry, depth: usize) -> Option<SkipReason> {
    if entry.depth() == 0 {
        return None;
    }
    let is_folder = entry.file_type().is_some_and(|file_type| file_type.is_dir());
    if entry.file_name().as_encoded_bytes().starts_with(b".") {
        return Some(SkipReason::Hidden);
    }
    if is_folder && entry.depth() > depth {
        return Some(SkipReason::TooDeep { limit: depth });
    }
    (is_folder && holds_dependencies(entry)).then_some(SkipReason::Dependencies)
}

fn holds_dependencies(entry: &DirEntry) -> bool {
    let beside = |name: &str| entry.path().with_file_name(name).exists();
    match entry.file_name().to_str() {
        Some(
            "node_modules" | "bower_components" | "jspm_packages" | "__pycache__" | "site-packages" | "DerivedData",
        ) => true,
        // An ordinary word, so the build tool has to be there too.
        Some("target") => {
            let holds = |name: &str| entry.path().join(name).exists();
            ["Cargo.toml", "pom.xml", "build.sbt"].into_iter().any(beside)
                || ["CACHEDIR.TAG", "debug", "release", "classes"].into_iter().any(holds)
        }
        Some("vendor") => ["go.mod", "composer.json", "Gemfile"].into_iter().any(beside),
        Some("dist" | "build" | "out") => beside("package.json"),
        _ => entry.path().join("pyvenv.cfg").exists() || entry.path().join("CACHEDIR.TAG").exists(),
    }
}

/// What could not be read. Faults in ignore files are no entries.
fn unreadable(error: &ignore::Error, root: &Path) -> Option<Skipped> {
    let reason = SkipReason::of_error(error.io_error()?);
    let mut inner = error;
    let relative = loop {
        match inner {
            ignore::Error::WithPath { path, .. } => break shown(path, root),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => inner = err,
            _ => break String::new(),
        }
    };
    Some(Skipped { relative, reason })
}

pub(super) fn shown(path: &Path, root: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    relative.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// What a walk finds: the paths of files, and `path: reason` for the rest.
    fn list(root: &Path, limits: WalkLimits) -> Vec<String> {
        walk(root, limits)
            .unwrap()
            .map(|found| match found {
                WalkEntry::File(file) => file.relative,
                WalkEntry::Skipped(skipped) => format!("{}: {}", skipped.relative, skipped.reason.name()),
            })
            .collect()
    }

    #[test]
    fn files_come_in_order_and_the_rest_has_reasons() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("src/b.rs", "fn b() {}"),
            ("src/a.rs", "fn a() {}"),
            ("MEMORY.md", "# Notes"),
            ("node_modules/x/index.js", "1"),
            ("Cargo.toml", "[package]"),
            ("target/debug/x.txt", "1"),
            ("lib/target/note.txt", "kept: no build tool is beside it"),
            (".hidden/x.txt", "1"),
            ("ignored.txt", "1"),
            ("private/x.txt", "1"),
            (".gitignore", "ignored.txt\n"),
            (".scrubjayignore", "private/\n"),
            ("logo.png", "1"),
            ("empty.txt", ""),
            ("big.txt", "0123456789012345678901234567890123456789"),
        ] {
            put(root.path(), path, text);
        }
        let limits = WalkLimits { file_bytes: 35, ..WalkLimits::default() };
        let expected = [
            ".gitignore: hidden",
            ".hidden: hidden",
            ".scrubjayignore: hidden",
            "Cargo.toml",
            "MEMORY.md",
            "big.txt: too-large",
            "empty.txt: empty",
            "lib/target/note.txt",
            "logo.png: binary",
            "node_modules: dependencies",
            "src/a.rs",
            "src/b.rs",
            "target: dependencies",
        ];
        assert_eq!(list(root.path(), limits), expected);
        assert_eq!(list(root.path(), limits), expected, "the same again");
    }

    #[test]
    fn depth_is_limited() {
        let root = tempfile::tempdir().unwrap();
        put(root.path(), "a/b/c/d.txt", "deep");
        put(root.path(), "a/x.txt", "shallow");
        let limits = WalkLimits { depth: 2, ..WalkLimits::default() };
        assert_eq!(list(root.path(), limits), ["a/b/c: too-deep", "a/x.txt"]);
    }

    #[test]
    fn a_root_that_is_not_there_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        assert!(walk(&root.path().join("no"), WalkLimits::default()).is_err());
        put(root.path(), "file", "x");
        assert!(walk(&root.path().join("file"), WalkLimits::default()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_pipes_and_strange_names_do_no_harm() {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::symlink;
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        put(root.path(), "dir/a.txt", "a");
        put(root.path(), ".notes/MEMORY.md", "notes");
        put(outside.path(), "secret.txt", "s");
        symlink("..", root.path().join("dir/up")).unwrap();
        symlink("a.txt", root.path().join("dir/same.txt")).unwrap();
        symlink(outside.path(), root.path().join("out")).unwrap();
        symlink(outside.path().join("secret.txt"), root.path().join("out.txt")).unwrap();
        symlink("nothing", root.path().join("broken")).unwrap();
        symlink("self", root.path().join("self")).unwrap();
        symlink(".notes/MEMORY.md", root.path().join("MEMORY.md")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.path().join("pipe"), rustix::fs::Mode::RUSR).unwrap();
        let name = std::ffi::OsStr::from_bytes(b"bad\xff.txt");
        fs::write(root.path().join(name), "x").unwrap();
        let found = list(root.path(), WalkLimits::default());
        assert_eq!(
            found,
            [
                ".notes: hidden",
                "MEMORY.md",
                "bad\u{fffd}.txt: name-not-utf8",
                "broken: link-broken",
                "dir/a.txt",
                "dir/same.txt: link-inside",
                "dir/up: link-inside",
                "out: link-outside",
                "out.txt: link-outside",
                "pipe: not-a-file",
                "self: link-broken",
            ]
        );
    }
}
