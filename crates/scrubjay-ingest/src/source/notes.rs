//! Note files: what an agent or a person wrote down to be remembered.
//!
//! They are few and meant for us, so neither ignore files nor leading dots keep them out.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::kind::FileKind;
use super::skip::SkipReason;
use super::walk::{FoundFile, Skipped, WalkEntry, WalkLimits, shown, stamp};

/// How many notes are read below one folder.
const AT_MOST: usize = 10_000;

/// The notes of a workspace: `MEMORY.md` and `memory.md` at its root, and Markdown below `memory/`, each real file once.
///
/// # Errors
/// When the root is not a folder that can be read.
pub fn of_workspace(root: &Path, limits: WalkLimits) -> io::Result<Vec<WalkEntry>> {
    let root = root.canonicalize()?;
    std::fs::read_dir(&root)?;
    let mut notes = Notes::new(&root, limits);
    for name in ["MEMORY.md", "memory.md"] {
        let path = root.join(name);
        if std::fs::symlink_metadata(&path).is_ok() {
            notes.file(&path);
        }
    }
    if root.join("memory").is_dir() {
        notes.folder(&root.join("memory"), 0);
    }
    Ok(notes.found)
}

/// The notes in a folder that holds nothing else: all Markdown below it.
///
/// # Errors
/// When the root is not a folder that can be read.
pub fn of_folder(root: &Path, limits: WalkLimits) -> io::Result<Vec<WalkEntry>> {
    let root = root.canonicalize()?;
    std::fs::read_dir(&root)?;
    let mut notes = Notes::new(&root, limits);
    notes.folder(&root, 0);
    Ok(notes.found)
}

struct Notes<'a> {
    root: &'a Path,
    limits: WalkLimits,
    found: Vec<WalkEntry>,
    seen: BTreeSet<PathBuf>,
}

impl<'a> Notes<'a> {
    fn new(root: &'a Path, limits: WalkLimits) -> Self {
        Self { root, limits, found: Vec::new(), seen: BTreeSet::new() }
    }

    fn folder(&mut self, folder: &Path, depth: usize) {
        if depth > self.limits.depth {
            return self.skip(folder, SkipReason::TooDeep { limit: self.limits.depth });
        }
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return self.skip(folder, SkipReason::of_error(&error)),
        };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            if self.found.len() >= AT_MOST {
                return;
            }
            match std::fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    if path.file_name().is_some_and(|name| name != ".git") {
                        self.folder(&path, depth + 1);
                    }
                }
                Ok(_) if is_markdown(&path) => self.file(&path),
                Ok(_) => {}
                Err(error) => self.skip(&path, SkipReason::of_error(&error)),
            }
        }
    }

    fn file(&mut self, path: &Path) {
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return self.skip(path, SkipReason::Denied);
            }
            Err(_) => return self.skip(path, SkipReason::LinkBroken),
        };
        if !target.starts_with(self.root) {
            return self.skip(path, SkipReason::LinkOutside);
        }
        // Two names of one file, as where case does not matter, are one note.
        if !self.seen.insert(target.clone()) {
            return;
        }
        if !target.is_file() {
            return self.skip(path, SkipReason::NotAFile);
        }
        let Some(relative) = path.strip_prefix(self.root).ok().and_then(Path::to_str) else {
            return self.skip(path, SkipReason::NameNotUtf8);
        };
        match stamp(&target, self.limits.file_bytes) {
            Ok(stamp) => {
                let relative = relative.replace(std::path::MAIN_SEPARATOR, "/");
                self.found.push(WalkEntry::File(FoundFile { path: target, relative, kind: FileKind::Memory, stamp }));
            }
            Err(reason) => self.skip(path, reason),
        }
    }

    fn skip(&mut self, path: &Path, reason: SkipReason) {
        self.found.push(WalkEntry::Skipped(Skipped { relative: shown(path, self.root), reason }));
    }
}

fn is_markdown(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    extension.eq_ignore_ascii_case("md") || extension.eq_ignore_ascii_case("markdown")
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

    fn list(found: io::Result<Vec<WalkEntry>>) -> Vec<String> {
        let name = |found| match found {
            WalkEntry::File(file) => file.relative,
            WalkEntry::Skipped(skipped) => format!("{}: {}", skipped.relative, skipped.reason.name()),
        };
        found.unwrap().into_iter().map(name).collect()
    }

    #[test]
    fn notes_are_found_even_where_others_ignore_them() {
        let root = tempfile::tempdir().unwrap();
        for path in ["MEMORY.md", "memory/2026/05.md", "memory/.drafts/x.MD", "memory/data.json", "docs/memory.md"] {
            put(root.path(), path, "text");
        }
        put(root.path(), ".gitignore", "memory/\n");
        put(root.path(), "memory/empty.md", "");
        assert_eq!(
            list(of_workspace(root.path(), WalkLimits::default())),
            ["MEMORY.md", "memory/.drafts/x.MD", "memory/2026/05.md", "memory/empty.md: empty"]
        );
        assert_eq!(list(of_folder(&root.path().join("docs"), WalkLimits::default())), ["memory.md"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_real_file_is_one_note_and_links_stay_inside() {
        use std::os::unix::fs::symlink;
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        put(root.path(), "MEMORY.md", "text");
        put(outside.path(), "secret.md", "s");
        symlink("MEMORY.md", root.path().join("memory.md")).unwrap();
        fs::create_dir(root.path().join("memory")).unwrap();
        symlink(outside.path().join("secret.md"), root.path().join("memory/out.md")).unwrap();
        symlink("nothing.md", root.path().join("memory/broken.md")).unwrap();
        symlink(".", root.path().join("memory/loop")).unwrap();
        let found = list(of_workspace(root.path(), WalkLimits::default()));
        assert_eq!(found, ["MEMORY.md", "memory/broken.md: link-broken", "memory/out.md: link-outside"]);
    }
}
