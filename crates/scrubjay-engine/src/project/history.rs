//! What a repository's history tells about its project.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// How many pack files are looked into; git keeps about fifty at most.
const PACKS: usize = 500;

/// Whether a repository has a commit: as a file of its own, or in a pack. Reads a few hundred bytes of each pack's index.
pub(super) fn holds_commit(repository: &Path, commit: &str) -> bool {
    let Some(hash) = bytes_of(commit) else { return false };
    let objects = repository.join("objects");
    if objects.join(&commit[..2]).join(&commit[2..]).is_file() {
        return true;
    }
    let Ok(packs) = fs::read_dir(objects.join("pack")) else { return false };
    let indexes =
        packs.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "idx"));
    indexes.take(PACKS).any(|index| lists(&index, &hash).unwrap_or(false))
}

/// The first commit of the branch that is checked out, along first parents. Runs `git`, which walks the whole branch, so
/// nobody who is waited for may call this. None if that takes too long, there is no git, or the clone is shallow and its
/// oldest commit is not the first one.
pub(super) fn root_commit(repository: &Path, at_most: Duration) -> Option<String> {
    if repository.join("shallow").exists() {
        return None;
    }
    let mut git = Command::new("git");
    git.arg("--no-pager").arg("--git-dir").arg(repository);
    git.args(["rev-list", "--first-parent", "--max-parents=0", "HEAD", "--"]);
    // Whoever started us may be a hook of git, and speak of another repository.
    for name in ["GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"] {
        git.env_remove(name);
    }
    git.env("GIT_NO_REPLACE_OBJECTS", "1").env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
    let mut child = git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let output = child.stdout.take()?;
    let (send, told) = channel();
    thread::spawn(move || {
        let mut text = String::new();
        let read = output.take(4096).read_to_string(&mut text);
        drop(send.send(read.is_ok().then_some(text)));
    });
    let text = told.recv_timeout(at_most);
    if text.is_err() {
        let _ = child.kill();
    }
    let ended_well = child.wait().is_ok_and(|status| status.success());
    let text = text.ok().flatten().filter(|_| ended_well)?;
    let commit = text.lines().next()?;
    bytes_of(commit).map(|_| commit.to_owned())
}

// Whether the index of a pack (version 2, as git has written them since 2007) lists an object.
fn lists(index: &Path, hash: &[u8]) -> io::Result<bool> {
    const NAMES_AT: u64 = 8 + 256 * 4;
    let file = File::open(index)?;
    let mut magic = [0; 8];
    file.read_exact_at(&mut magic, 0)?;
    if magic != *b"\xfftOc\0\0\0\x02" {
        return Ok(false);
    }
    // How many objects have a name that begins with a byte up to this one.
    let up_to = |byte: u8| -> io::Result<u64> {
        let mut count = [0; 4];
        file.read_exact_at(&mut count, 8 + 4 * u64::from(byte))?;
        Ok(u64::from(u32::from_be_bytes(count)))
    };
    let Some(&first) = hash.first() else { return Ok(false) };
    let (mut low, mut high) = (if first == 0 { 0 } else { up_to(first - 1)? }, up_to(first)?);
    let mut name = vec![0; hash.len()];
    while low < high {
        let middle = low + (high - low) / 2;
        file.read_exact_at(&mut name, NAMES_AT + middle * hash.len() as u64)?;
        match name.as_slice().cmp(hash) {
            std::cmp::Ordering::Equal => return Ok(true),
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    Ok(false)
}

// The bytes of a commit's name, of either length.
fn bytes_of(commit: &str) -> Option<Vec<u8>> {
    let is_name = matches!(commit.len(), 40 | 64) && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(&commit[at..at + 2], 16).ok();
    is_name.then(|| (0..commit.len()).step_by(2).map(byte).collect()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "1f00000000000000000000000000000000000000";
    const ABSENT: &str = "1f00000000000000000000000000000000000001";

    // The index of a pack with objects of these names.
    fn index(names: &[&str]) -> Vec<u8> {
        let mut names: Vec<Vec<u8>> = names.iter().map(|name| bytes_of(name).unwrap()).collect();
        names.sort();
        let mut bytes = b"\xfftOc\0\0\0\x02".to_vec();
        for byte in 0..=255_u8 {
            let count = names.iter().filter(|name| name[0] <= byte).count();
            bytes.extend(u32::try_from(count).unwrap().to_be_bytes());
        }
        bytes.extend(names.concat());
        bytes
    }

    #[test]
    fn a_commit_is_found_in_a_pack_or_as_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let pack = folder.path().join("objects/pack");
        fs::create_dir_all(&pack).unwrap();
        assert!(!holds_commit(folder.path(), HERE));
        let others: Vec<String> = (0..40).map(|number| format!("{number:02x}{:038x}", number * 7)).collect();
        let mut names: Vec<&str> = others.iter().map(String::as_str).collect();
        names.push(HERE);
        fs::write(pack.join("pack-a.idx"), index(&names)).unwrap();
        assert!(holds_commit(folder.path(), HERE) && !holds_commit(folder.path(), ABSENT));
        assert!(names.iter().all(|name| holds_commit(folder.path(), name)));
        // Damaged or of another kind: nothing is known of it.
        fs::write(pack.join("pack-a.idx"), &index(&names)[..1100]).unwrap();
        assert!(!holds_commit(folder.path(), HERE));
        fs::create_dir(folder.path().join("objects/1f")).unwrap();
        fs::write(folder.path().join("objects/1f").join(&HERE[2..]), "").unwrap();
        assert!(holds_commit(folder.path(), HERE));
        for nonsense in ["", "HEAD", "../../../../../../../../../../../etc/pass", &"ä".repeat(20)] {
            assert!(!holds_commit(folder.path(), nonsense), "{nonsense}");
        }
    }

    #[test]
    fn what_is_no_repository_has_no_first_commit() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(root_commit(folder.path(), Duration::from_secs(5)), None);
    }
}
