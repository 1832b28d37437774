//! The owner's token.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use scrubjay_engine::Ctx;
use scrubjay_engine::home::Home;

use crate::{Result, ServerError};

/// Fewer characters than this are no secret.
const LEAST: usize = 16;

/// The owner's token, as a hash.
#[derive(Clone)]
pub struct OwnerToken {
    hash: blake3::Hash,
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
        let text = read_token(path)?;
        if text.len() < LEAST {
            let message = format!(
                "the token in {} is shorter than {LEAST} characters; remove the file, and a new one is made",
                path.display()
            );
            return Err(ServerError::Refused { message });
        }
        // A file that was copied or restored may have become readable.
        let open = fs::metadata(path).is_ok_and(|facts| facts.permissions().mode() & 0o077 != 0);
        if open {
            Home::make_private(path)?;
        }
        Ok(Self { hash: blake3::hash(text.as_bytes()) })
    }

    /// Whether this is it. Takes as long for a near miss as for any other.
    #[must_use]
    pub fn is(&self, token: &str) -> bool {
        blake3::hash(token.as_bytes()) == self.hash
    }
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
        assert!(owner.is(&text) && !owner.is("") && !owner.is(&text[1..]));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        OwnerToken::load_or_create(&path, &app.owner).unwrap();
        assert_eq!(read_token(&path).unwrap(), text);
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
