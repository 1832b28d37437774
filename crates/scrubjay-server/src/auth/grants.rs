//! Tokens for less than everything, kept as hashes.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{FlockOperation, flock};
use scrubjay_core::scope::ProjectId;
use scrubjay_engine::Ctx;
use scrubjay_engine::capture::clean_id;
use scrubjay_engine::home::Home;
use serde::{Deserialize, Serialize};

use super::grant::Grant;
use super::mark::{Mark, mark};
use super::owner::hex;
use crate::{Result, ServerError};

/// One token, without the token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantRecord {
    /// Its id, which is also the beginning of the token.
    pub id: String,
    /// What it is for.
    pub name: String,
    /// The agent whose memory it opens.
    pub agent: String,
    /// The project it is confined to; none means all of them.
    pub project: Option<String>,
    /// Looking only.
    pub read_only: bool,
    /// When it was made.
    pub created_at: String,
    hash: String,
}

/// A token to make.
#[derive(Debug, Clone)]
pub struct NewGrant {
    /// What it is for.
    pub name: String,
    /// The agent whose memory it opens.
    pub agent: String,
    /// The project it is confined to; none means all of them.
    pub project: Option<ProjectId>,
    /// Looking only.
    pub read_only: bool,
}

/// The file of tokens, read again whenever it changed: a token that was revoked
/// by another process stops working at once.
pub struct Grants {
    path: PathBuf,
    known: Mutex<(Option<Mark>, Vec<GrantRecord>)>,
}

impl Grants {
    /// The tokens in this file; none if there is no file.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), known: Mutex::new((None, Vec::new())) }
    }

    /// All of them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn list(&self) -> Result<Vec<GrantRecord>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = mark(&self.path);
        if mark.is_none() {
            *known = (None, Vec::new());
        } else if known.0 != mark {
            *known = (mark, read(&self.path)?);
        }
        Ok(known.1.clone())
    }

    /// What the token with this hash is worth; none if it is not one of these.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn find(&self, hash: blake3::Hash) -> Result<Option<Grant>> {
        let is_it = |record: &GrantRecord| blake3::Hash::from_hex(&record.hash).is_ok_and(|kept| kept == hash);
        let Some(record) = self.list()?.into_iter().find(is_it) else { return Ok(None) };
        let project = record.project.map(|project| project.parse());
        let project = project.transpose().map_err(|error: scrubjay_core::scope::InvalidScope| {
            ServerError::invalid(format!("{} is damaged: {error}", self.path.display()))
        })?;
        Ok(Some(Grant::Part { id: record.id, agent: record.agent, project, read_only: record.read_only }))
    }

    /// Makes a token. It is returned this once and kept as a hash.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn create(&self, ctx: &Ctx, new: NewGrant) -> Result<(String, GrantRecord)> {
        let id = hex(&ctx.random::<4>()?);
        let token = format!("sj_{id}_{}", hex(&ctx.random::<32>()?));
        let record = GrantRecord {
            id,
            name: clean_id(&new.name, true),
            agent: new.agent,
            project: new.project.map(|project| project.to_string()),
            read_only: new.read_only,
            created_at: ctx.now().to_string(),
            hash: blake3::hash(token.as_bytes()).to_hex().to_string(),
        };
        self.change(ctx, |records| records.push(record.clone()))?;
        Ok((token, record))
    }

    /// Revokes the token with this id or name. False if there is none.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn revoke(&self, ctx: &Ctx, which: &str) -> Result<bool> {
        let mut found = false;
        let name = clean_id(which, true);
        self.change(ctx, |records| {
            let before = records.len();
            records.retain(|record| record.id != which && record.name != name);
            found = records.len() < before;
        })?;
        Ok(found)
    }

    // One process at a time changes the file, and nobody ever sees half of it.
    fn change(&self, ctx: &Ctx, change: impl FnOnce(&mut Vec<GrantRecord>)) -> Result<()> {
        let failed = |error| ServerError::io("write", &self.path, error);
        if let Some(folder) = self.path.parent() {
            Home::private_folder(folder)?;
        }
        let lock_path = self.path.with_extension("lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&lock_path);
        let lock = lock.map_err(failed)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| failed(error.into()))?;
        let mut records = if self.path.exists() { read(&self.path)? } else { Vec::new() };
        change(&mut records);
        let text = serde_json::to_string_pretty(&records)
            .map_err(|error| ServerError::invalid(format!("the tokens cannot be written: {error}")))?;
        let new = self.path.with_extension(format!("{}.new", ctx.uuid()?.simple()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        put_in_place(&new, &self.path).map_err(failed)
    }
}

fn read(path: &Path) -> Result<Vec<GrantRecord>> {
    let text = fs::read_to_string(path).map_err(|error| ServerError::io("read", path, error))?;
    serde_json::from_str(&text)
        .map_err(|error| ServerError::invalid(format!("{} is damaged: {error}; remove it", path.display())))
}

#[expect(clippy::disallowed_methods, reason = "the list of tokens is replaced whole, so that nobody reads half of it")]
fn put_in_place(new: &Path, path: &Path) -> std::io::Result<()> {
    fs::rename(new, path)
}

#[cfg(test)]
mod tests {
    use scrubjay_test::TestApp;

    use super::*;

    #[test]
    fn a_token_works_until_it_is_revoked_and_is_not_on_disk() {
        let app = TestApp::in_memory();
        let path = app.path().join("tokens.json");
        let grants = Grants::at(&path);
        assert_eq!(grants.list().unwrap(), []);
        let new = NewGrant {
            name: "bridge".to_owned(),
            agent: "default".to_owned(),
            project: Some("app".parse().unwrap()),
            read_only: true,
        };
        let (token, record) = grants.create(&app.owner, new.clone()).unwrap();
        let (other, _) = grants.create(&app.owner, NewGrant { name: "b".to_owned(), ..new }).unwrap();
        assert!(!fs::read_to_string(&path).unwrap().contains(&token[12..]));
        let find = |token: &str| grants.find(blake3::hash(token.as_bytes())).unwrap();
        let found = find(&token).unwrap();
        assert!(matches!(&found, Grant::Part { read_only: true, project: Some(p), .. } if p.as_str() == "app"));
        for wrong in [&token[..token.len() - 1], "sj_", "sj__", "", "owner", &token.replace('_', "-")] {
            assert_eq!(find(wrong), None, "{wrong}");
        }
        // Another process revokes it.
        assert!(Grants::at(&path).revoke(&app.owner, &record.id).unwrap());
        assert_eq!(find(&token), None);
        assert!(find(&other).is_some());
        assert!(!grants.revoke(&app.owner, "nothing").unwrap());
    }
}
