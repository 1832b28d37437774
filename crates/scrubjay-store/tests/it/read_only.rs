//! Files and folders that cannot be written: a clear error, and nothing changes.
//!
//! Permissions do not bind root, so the test starts itself again as nobody when
//! it runs as root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use scrubjay_core::error::ErrorCode;
use scrubjay_store::sqlite::{Options, SqliteStore};
use scrubjay_store::{StoreError, Upkeep};

use crate::support::{Maker, beside, block_on, open};

const NOBODY: u32 = 65_534;
const FOLDER: &str = "SCRUBJAY_READ_ONLY_FOLDER";

#[test]
fn what_cannot_be_written_is_refused_clearly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    {
        let store = open(&path);
        block_on(async {
            Maker::new(1).remember(&store, "global", "kept").await;
            store.checkpoint().await.unwrap();
        });
    }
    let before = fs::read(&path).unwrap();
    // The program is copied along, because nobody may not read our own folder.
    let program = folder.path().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["--exact", "read_only::as_nobody", "--ignored", "--nocapture"]).env(FOLDER, folder.path());
    if rustix::process::geteuid().is_root() {
        for file in fs::read_dir(folder.path()).unwrap() {
            chown(file.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    assert!(fs::read(&path).unwrap() == before, "a byte was changed");
    // Once it can be written again, it is.
    block_on(Maker::new(2).remember(&open(&path), "global", "more"));
}

#[test]
#[ignore = "run by the test above, as a user whom permissions bind"]
#[expect(clippy::disallowed_methods, reason = "the test that starts this one says where through the environment")]
fn as_nobody() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let path = folder.join("store.db");
    let allow = |path: &Path, mode: u32| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    // A file that may be read but not written.
    allow(&path, 0o400);
    refused(&path);
    allow(&path, 0o600);
    // A file that may not even be read.
    allow(&path, 0o000);
    refused(&path);
    allow(&path, 0o600);
    // A folder in which no log can be made.
    for suffix in ["-wal", "-shm"] {
        let _ = fs::remove_file(beside(&path, suffix));
    }
    allow(&folder, 0o500);
    refused(&path);
    // A folder in which no store can be made.
    refused(&folder.join("new.db"));
    refused(&folder.join("new folder/new.db"));
    allow(&folder, 0o700);
}

fn refused(path: &Path) {
    match SqliteStore::open(Options { busy_timeout_ms: 200, ..Options::new(path) }) {
        Ok(_) => panic!("{} was opened for writing", path.display()),
        Err(error) => {
            assert_eq!(error.code(), ErrorCode::Unavailable, "{}: {error:?}", path.display());
            assert!(matches!(error, StoreError::ReadOnly { .. } | StoreError::Io { .. }), "{error:?}");
        }
    }
}
