//! The owner's token.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use scrubjay_engine::Ctx;
use scrubjay_engine::home::Home;

use super::mark::{Mark, mark};
use crate::{Result, ServerError};

/// Fewer characters than this are no secret.
const LEAST: usize = 16;

/// The owner's token, as a hash. Its file is read again whenever it changed: a
/// token that was replaced stops working at once, and so does what was let in
/// with it.
pub struct OwnerToken {
    path: PathBuf,
    known: Mutex<(Option<Mark>, Option<blake3::Hash>)>,
}

impl OwnerToken {
    /// The token in this file; a new one if there is no file.
    ///
    /// # Errors
    /// When it cannot be read or made, or holds nothing that could be a secret.
    pub fn load_or_create(path: &Path, ctx: &Ctx) -> Result<Self> {
        if !path.exists() {
            create(path, ctx)?;
        }
        let seen = mark(path);
        let Some(hash) = hash_of(&read_token(path)?) else {
            let message = format!(
                "the token in {} is shorter than {LEAST} characters; remove the file, and a new one is made",
                path.display()
            );
            return Err(ServerError::Refused { message });
        };
        // A file that was copied or restored may have become readable.
        let open = fs::metadata(path).is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0);
        if open {
            Home::make_private(path)?;
        }
        Ok(Self { path: path.to_owned(), known: Mutex::new((seen, Some(hash))) })
    }

    /// Whether this is its hash now. Takes as long for a near miss as for any
    /// other. While the file is gone or holds no secret, nothing is.
    #[must_use]
    pub fn is(&self, hash: blake3::Hash) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = mark(&self.path);
        if known.0 != seen {
            let text = read_token(&self.path).ok();
            *known = (seen, text.and_then(|text| hash_of(&text)));
        }
        known.1.is_some_and(|own| own == hash)
    }
}

// The hash of a token that is long enough to be one.
fn hash_of(token: &str) -> Option<blake3::Hash> {
    (token.len() >= LEAST).then(|| blake3::hash(token.as_bytes()))
}

/// The token in a file, without the space around it.
///
/// # Errors
/// When the file cannot be read.
pub fn read_token(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).map_err(|error| ServerError::io("read the token", path, error))?;
    Ok(text.trim().to_owned())
}

// Several processes may want to make it at once: each writes a file of its own,
// and the first that gives its file the final name wins.
fn create(path: &Path, ctx: &Ctx) -> Result<()> {
    let failed = |error| ServerError::io("write the token", path, error);
    if let Some(folder) = path.parent() {
        Home::private_folder(folder)?;
    }
    let own = path.with_extension(format!("{}.new", ctx.uuid()?.simple()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&own).map_err(failed)?;
    file.write_all(format!("{}\n", hex(&ctx.random::<32>()?)).as_bytes()).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    let linked = fs::hard_link(&own, path);
    fs::remove_file(&own).map_err(failed)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(failed(error)),
        _ => Ok(()),
    }
}

/// Bytes as text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use scrubjay_test::TestApp;

    use super::*;

    #[test]
    fn it_is_made_once_private_and_long() {
        let app = TestApp::in_memory();
        let path = app.path().join("token");
        let owner = OwnerToken::load_or_create(&path, &app.owner).unwrap();
        let text = read_token(&path).unwrap();
        assert_eq!(text.len(), 64);
        let is = |text: &str| owner.is(blake3::hash(text.as_bytes()));
        assert!(is(&text) && !is("") && !is(&text[1..]));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        OwnerToken::load_or_create(&path, &app.owner).unwrap();
        assert_eq!(read_token(&path).unwrap(), text);
    }

    #[test]
    fn a_replaced_file_counts_at_once() {
        let app = TestApp::in_memory();
        let path = app.path().join("token");
        let owner = OwnerToken::load_or_create(&path, &app.owner).unwrap();
        let is = |text: &str| owner.is(blake3::hash(text.as_bytes()));
        let first = read_token(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!is(&first) && !is(""), "a token without its file is none");
        OwnerToken::load_or_create(&path, &app.owner).unwrap();
        let second = read_token(&path).unwrap();
        assert!(is(&second) && !is(&first));
        fs::write(&path, "short").unwrap();
        assert!(!is("short") && !is(&second));
    }

    #[test]
    fn an_empty_token_is_refused_and_an_open_file_is_closed() {
        let app = TestApp::in_memory();
        let path = app.path().join("token");
        for bad in ["", "   \n", "short"] {
            fs::write(&path, bad).unwrap();
            let error = OwnerToken::load_or_create(&path, &app.owner).err().unwrap();
            assert!(error.to_string().contains("remove the file"), "{error}");
        }
        fs::write(&path, "0123456789abcdef0123").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        OwnerToken::load_or_create(&path, &app.owner).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
