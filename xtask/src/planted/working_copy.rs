//! The copy of the repository in which bugs are planted.
//!
//! It stays from run to run, and only files that differ are written, so that a build makes again only what a bug
//! concerns.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Bug;

/// What is not copied from the top of the repository.
const LEFT_OUT: [&str; 2] = ["target", ".git"];

/// The copy, equal to the repository except for one planted bug at most.
pub(crate) struct WorkingCopy {
    root: PathBuf,
    folder: PathBuf,
}

impl WorkingCopy {
    /// Makes the copy equal to the repository.
    pub(crate) fn in_step(root: PathBuf, folder: PathBuf) -> anyhow::Result<Self> {
        mirror(&root, &folder, &LEFT_OUT)?;
        Ok(Self { root, folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs `work` while the bug is in the copy, and takes it out again.
    pub(crate) fn with<T>(&self, bug: &Bug, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
        let sound = fs::read_to_string(self.root.join(bug.file)).with_context(|| bug.file.to_owned())?;
        let holds = sound.matches(bug.find).count();
        anyhow::ensure!(holds == 1, "{} holds the code to change {holds} times; update the list", bug.file);
        let file = self.folder.join(bug.file);
        fs::write(&file, sound.replace(bug.find, bug.replace))?;
        let done = work();
        fs::write(&file, sound)?;
        done
    }
}

// Makes a folder hold what another one holds. Files that are equal are not touched.
fn mirror(from: &Path, to: &Path, left_out: &[&str]) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    let mut names = Vec::new();
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if left_out.iter().any(|left_out| name == *left_out) {
            continue;
        }
        let target = to.join(&name);
        if entry.file_type()?.is_dir() {
            mirror(&entry.path(), &target, &[])?;
        } else if !is_same(&entry.path(), &target)? {
            fs::copy(entry.path(), &target).with_context(|| entry.path().display().to_string())?;
        }
        names.push(name);
    }
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        if !names.contains(&entry.file_name()) {
            remove(&entry.path(), entry.file_type()?.is_dir())?;
        }
    }
    Ok(())
}

fn is_same(one: &Path, other: &Path) -> anyhow::Result<bool> {
    let length = |path: &Path| fs::metadata(path).ok().map(|facts| facts.len());
    Ok(length(one) == length(other) && fs::read(one)? == fs::read(other)?)
}

#[expect(clippy::disallowed_methods, reason = "the copy was made by us, in a folder of our own")]
fn remove(path: &Path, is_folder: bool) -> std::io::Result<()> {
    if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUG: Bug = Bug { what: "", file: "a/code.rs", find: "right", replace: "wrong", package: "", test: "" };

    #[test]
    fn a_copy_follows_the_repository_and_holds_a_bug_only_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let (root, copy) = (folder.path().join("root"), folder.path().join("root/target/copy"));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let read = |path: &str| fs::read_to_string(copy.join(path)).ok();
        write("a/code.rs", "this is right");
        write("gone.rs", "");
        write("old/gone.rs", "");
        write("target/built", "");
        WorkingCopy::in_step(root.clone(), copy.clone()).unwrap();
        assert_eq!(read("a/code.rs").unwrap(), "this is right");
        assert!(read("gone.rs").is_some() && read("target/built").is_none());

        remove(&root.join("gone.rs"), false).unwrap();
        remove(&root.join("old"), true).unwrap();
        write("b.rs", "new");
        let written_at = || fs::metadata(copy.join("a/code.rs")).unwrap().modified().unwrap();
        let before = written_at();
        let in_step = WorkingCopy::in_step(root.clone(), copy.clone()).unwrap();
        assert_eq!(written_at(), before, "what is equal is not made again");
        assert!(read("gone.rs").is_none() && !copy.join("old").exists());
        assert_eq!(read("b.rs").unwrap(), "new");

        let planted = in_step.with(&BUG, || Ok(read("a/code.rs").unwrap())).unwrap();
        assert_eq!(planted, "this is wrong");
        assert_eq!(read("a/code.rs").unwrap(), "this is right");
        assert_eq!(fs::read_to_string(root.join("a/code.rs")).unwrap(), "this is right");
        assert!(in_step.with(&Bug { find: "absent", ..BUG }, || Ok(())).is_err());
    }
}
