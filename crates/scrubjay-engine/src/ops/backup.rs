//! Copies of the store.

use std::fs;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Operation, Risk, Surfaces};
use crate::home::Home;
use crate::{Ctx, EngineError, Result};

/// Copy the store while it is in use, and prove that the copy restores.
///
/// The copy counts only after it was restored to a scratch file, checked in full and compared with the store. Older copies in the backup folder beyond `backup.keep` are removed.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BackupInput {
    /// The file to write; a new one in the backup folder if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "FILE"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// List the copies in the backup folder instead.
    pub list: bool,
}

/// The copies.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackupOutput {
    /// The new copy.
    pub created: Option<BackupRecord>,
    /// All copies in the backup folder, newest first.
    pub backups: Vec<BackupRecord>,
    /// Older copies that were removed.
    pub removed: Vec<PathBuf>,
}

/// A copy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackupRecord {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub size_bytes: u64,
    /// How many memories it holds; known when it was just made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memories: Option<u64>,
}

/// `backup`.
pub struct Backup;

impl Operation for Backup {
    type Input = BackupInput;
    type Output = BackupOutput;
    const NAME: &'static str = "backup";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["backup"], http: true, mcp: None };

    async fn run(ctx: &Ctx, input: BackupInput) -> Result<BackupOutput> {
        if input.list {
            return Ok(BackupOutput { backups: list(ctx)?, ..BackupOutput::default() });
        }
        let into_folder = input.path.is_none();
        let path = match input.path {
            Some(path) => path,
            None => {
                Home::private_folder(&ctx.home().backups())?;
                next_path(ctx)
            }
        };
        let copy = ctx.store().await?.backup(&path).await?;
        let created = BackupRecord { path: copy.path, size_bytes: copy.size_bytes, memories: Some(copy.memories) };
        let removed = if into_folder { prune(ctx)? } else { Vec::new() };
        Ok(BackupOutput { created: Some(created), backups: list(ctx)?, removed })
    }
}

/// The agent's copies in the backup folder, newest first.
pub(super) fn list(ctx: &Ctx) -> Result<Vec<BackupRecord>> {
    let folder = ctx.home().backups();
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(EngineError::io("read the backup folder", folder, error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| EngineError::io("read the backup folder", &folder, error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if stamp_of(&ctx.home().agent, &name).is_some() {
            let size_bytes = entry.metadata().map_or(0, |metadata| metadata.len());
            found.push(BackupRecord { path: entry.path(), size_bytes, memories: None });
        }
    }
    // The names end in the time, so they sort by it.
    found.sort_by(|a, b| b.path.cmp(&a.path));
    Ok(found)
}

fn next_path(ctx: &Ctx) -> PathBuf {
    let digits: String = ctx.now().to_string().chars().filter(char::is_ascii_digit).take(17).collect();
    ctx.home().backups().join(format!("{}.{digits}.backup", ctx.home().agent))
}

// Only names that we give: the agent, 17 digits of time, `.backup`.
fn stamp_of<'a>(agent: &str, name: &'a str) -> Option<&'a str> {
    let stamp = name.strip_prefix(agent)?.strip_prefix('.')?.strip_suffix(".backup")?;
    (stamp.len() == 17 && stamp.bytes().all(|byte| byte.is_ascii_digit())).then_some(stamp)
}

fn prune(ctx: &Ctx) -> Result<Vec<PathBuf>> {
    let keep = ctx.config().settings.backup.keep;
    let mut removed = Vec::new();
    for old in list(ctx)?.into_iter().skip(keep.max(1)) {
        fs::remove_file(&old.path).map_err(|error| EngineError::io("remove the old backup", &old.path, error))?;
        removed.push(old.path);
    }
    Ok(removed)
}
