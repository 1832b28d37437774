//! Where the daemon's files lie.

use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::{Result, ServerError};

/// A Unix socket's name has room for 107 bytes.
const MAX_SOCKET_BYTES: usize = 100;

/// The daemon's files in a home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonFiles {
    /// The home folder.
    pub home: PathBuf,
    /// Held by the daemon for as long as it lives.
    pub lock: PathBuf,
    /// Where it listens.
    pub socket: PathBuf,
    /// What it says about itself, for people.
    pub note: PathBuf,
    /// The owner's token.
    pub token: PathBuf,
    /// Tokens for less than everything, hashed.
    pub grants: PathBuf,
    /// Its log.
    pub log: PathBuf,
}

impl DaemonFiles {
    /// The files of this home.
    #[must_use]
    pub fn of(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            lock: home.join("daemon.lock"),
            socket: socket(home),
            note: home.join("daemon.json"),
            token: home.join("token"),
            grants: home.join("tokens.json"),
            log: home.join("logs").join("daemon.log"),
        }
    }

    /// Makes the socket's folder if it is not the home itself, and checks that
    /// nobody else can put a socket there.
    ///
    /// # Errors
    /// When it cannot be made, or belongs to someone else.
    pub fn prepare_socket(&self) -> Result<()> {
        let Some(folder) = self.socket.parent().filter(|folder| *folder != self.home) else { return Ok(()) };
        match std::fs::DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(ServerError::io("create the folder", folder, error));
            }
            _ => {}
        }
        if is_ours(folder) {
            return Ok(());
        }
        let message = format!("{} belongs to someone else or is open to others; remove it", folder.display());
        Err(ServerError::Refused { message })
    }

    /// Whether the socket lies where only the user can have put it.
    #[must_use]
    pub fn socket_is_ours(&self) -> bool {
        self.socket.parent().is_some_and(|folder| folder == self.home || is_ours(folder))
    }
}

fn is_ours(folder: &Path) -> bool {
    let owner = rustix::process::geteuid().as_raw();
    std::fs::symlink_metadata(folder)
        .is_ok_and(|facts| facts.is_dir() && facts.uid() == owner && facts.mode() & 0o077 == 0)
}

// In the home, unless its name is too long for a socket; then in a folder that
// only the user can enter, named after the home.
fn socket(home: &Path) -> PathBuf {
    let inside = home.join("daemon.sock");
    if inside.as_os_str().len() <= MAX_SOCKET_BYTES {
        return inside;
    }
    let name = blake3::hash(home.as_os_str().as_encoded_bytes()).to_hex();
    let owner = rustix::process::geteuid().as_raw();
    PathBuf::from(format!("/tmp/scrubjay-{owner}-{}/daemon.sock", &name[..16]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_home_gets_a_short_socket() {
        let short = DaemonFiles::of(Path::new("/srv/ada/.local/share/scrubjay"));
        assert_eq!(short.socket, Path::new("/srv/ada/.local/share/scrubjay/daemon.sock"));
        let long = PathBuf::from(format!("/home/{}", "x".repeat(200)));
        let place = DaemonFiles::of(&long);
        assert!(place.socket.as_os_str().len() <= MAX_SOCKET_BYTES, "{place:?}");
        assert_ne!(place.socket, DaemonFiles::of(&long.join("y")).socket);
    }

    #[test]
    fn a_folder_that_others_can_enter_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o700)).unwrap();
        assert!(is_ours(folder.path()));
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(!is_ours(folder.path()));
    }
}
