//! The files of a repository, read once.
//!
//! Checks see only this map of paths, so a test can plant a violation without touching a disk. Paths are relative to
//! the root and use `/`. Ignored files are left out; links to them would not resolve for anybody else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::rust_source::RustSource;

/// Text beyond this size is data (a model table, a recorded corpus), not something a person reviews line by line.
const LARGEST_TEXT_BYTES: u64 = 4 * 1024 * 1024;

/// Folders that never hold sources. Only needed where git is not there to tell.
const SKIPPED_FOLDERS: [&str; 3] = [".git", "target", "node_modules"];

enum Body {
    Text(String),
    /// Binary, huge, or a symbolic link: known to exist, never read.
    Opaque,
}

pub(crate) struct Tree {
    files: BTreeMap<String, Body>,
    rust: BTreeMap<String, RustSource>,
}

/// The repository around the current folder. The place where this program was built would be wrong when several
/// checkouts share one target folder.
pub(crate) fn repository_root() -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("cannot tell the current folder")?;
    let root = here.ancestors().find(|folder| folder.join("xtask/Cargo.toml").is_file());
    root.map(Path::to_path_buf).with_context(|| format!("{} is not inside the repository", here.display()))
}

impl Tree {
    pub(crate) fn load(root: &Path) -> anyhow::Result<Tree> {
        let paths = match git_files(root) {
            Some(paths) => paths,
            None => {
                let mut paths = Vec::new();
                walk(root, "", &mut paths)?;
                paths
            }
        };
        let mut files = BTreeMap::new();
        for path in paths {
            if let Some(body) = read_body(&root.join(&path)).with_context(|| format!("cannot read {path}"))? {
                files.insert(path, body);
            }
        }
        Ok(Tree::new(files))
    }

    #[cfg(test)]
    pub(crate) fn planted(files: &[(&str, &str)]) -> Tree {
        Tree::new(files.iter().map(|(path, text)| (path.to_string(), Body::Text(text.to_string()))).collect())
    }

    fn new(files: BTreeMap<String, Body>) -> Tree {
        let rust = files
            .iter()
            .filter_map(|(path, body)| match body {
                Body::Text(text) if path.ends_with(".rs") => Some((path.clone(), RustSource::parse(text))),
                _ => None,
            })
            .collect();
        Tree { files, rust }
    }

    pub(crate) fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Every path, whether its content was read or not.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, body)| match body {
            Body::Text(text) => Some((path.as_str(), text.as_str())),
            Body::Opaque => None,
        })
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        match self.files.get(path) {
            Some(Body::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn rust_files(&self) -> impl Iterator<Item = (&str, &RustSource)> {
        self.rust.iter().map(|(path, source)| (path.as_str(), source))
    }

    /// Whether a file or a folder of that name is there. The root itself is the empty path.
    pub(crate) fn exists(&self, path: &str) -> bool {
        if path.is_empty() || self.files.contains_key(path) {
            return true;
        }
        let folder = format!("{path}/");
        self.files.range(folder.clone()..).next().is_some_and(|(candidate, _)| candidate.starts_with(&folder))
    }
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether the whole file is test code: `tests.rs` beside the code, or anything in a `tests` folder.
pub(crate) fn is_test_file(path: &str) -> bool {
    file_name(path) == "tests.rs" || has_folder(path, "tests")
}

/// Whether one of the folders on the way to the file has that name.
pub(crate) fn has_folder(path: &str, folder: &str) -> bool {
    path.split('/').rev().skip(1).any(|part| part == folder)
}

/// Tracked files and those that git would accept, or nothing when the root is not the top of a work tree.
fn git_files(root: &Path) -> Option<Vec<String>> {
    if !root.join(".git").exists() {
        return None;
    }
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let mut paths: Vec<String> = output
        .stdout
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect();
    paths.sort();
    paths.dedup();
    Some(paths)
}

fn walk(root: &Path, folder: &str, paths: &mut Vec<String>) -> anyhow::Result<()> {
    let here = root.join(folder);
    for entry in std::fs::read_dir(&here).with_context(|| format!("cannot list {}", here.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if !entry.file_type()?.is_dir() {
            paths.push(path);
        } else if !SKIPPED_FOLDERS.contains(&name.as_str()) {
            walk(root, &path, paths)?;
        }
    }
    Ok(())
}

/// Nothing for a file that git still lists but that was deleted from the work tree.
fn read_body(path: &Path) -> anyhow::Result<Option<Body>> {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !metadata.is_file() || metadata.len() > LARGEST_TEXT_BYTES {
        return Ok(Some(Body::Opaque));
    }
    let bytes = std::fs::read(path)?;
    if bytes.contains(&0) {
        return Ok(Some(Body::Opaque));
    }
    Ok(Some(String::from_utf8(bytes).map_or(Body::Opaque, Body::Text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_text_and_knows_of_the_rest() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::create_dir_all(root.join("docs/deep")).unwrap();
        std::fs::create_dir_all(root.join("target")).unwrap();
        std::fs::write(root.join("docs/deep/a.md"), "# A\n").unwrap();
        std::fs::write(root.join("docs/picture.bin"), [1, 0, 2]).unwrap();
        std::fs::write(root.join("target/junk.rs"), "fn main() {}\n").unwrap();

        let tree = Tree::load(root).unwrap();
        assert_eq!(tree.paths().collect::<Vec<_>>(), ["docs/deep/a.md", "docs/picture.bin"]);
        assert_eq!(tree.texts().collect::<Vec<_>>(), [("docs/deep/a.md", "# A\n")]);
        assert!(tree.exists("docs/deep") && tree.exists("docs/picture.bin") && tree.exists(""));
        assert!(!tree.exists("doc") && !tree.exists("docs/deep/a") && !tree.exists("target"));
    }

    #[test]
    fn git_decides_what_is_ignored() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let made = Command::new("git").arg("init").arg("-q").arg(root).status();
        if !made.is_ok_and(|status| status.success()) {
            return; // Without git the walk is used, which the other test covers.
        }
        std::fs::write(root.join(".gitignore"), "local.md\n").unwrap();
        std::fs::write(root.join("local.md"), "mine\n").unwrap();
        std::fs::write(root.join("shared.md"), "ours\n").unwrap();
        let tree = Tree::load(root).unwrap();
        assert_eq!(tree.paths().collect::<Vec<_>>(), [".gitignore", "shared.md"]);
    }

    #[test]
    fn test_files_are_told_by_name_and_folder() {
        assert!(is_test_file("crates/a/src/x/tests.rs") && is_test_file("crates/a/tests/it/main.rs"));
        assert!(!is_test_file("crates/a/src/contests.rs") && !is_test_file("crates/a/src/tests_of.rs"));
    }
}
