//! Copies of the store.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::backups::{self, BackupFile};
use crate::{Ctx, Result};

/// Copy the store while it is in use, and prove that the copy restores.
///
/// The copy counts only after it was restored to a scratch file, checked in full and compared with the store. Older copies in the backup folder beyond `backup.keep` are removed, unless they are of another store or hold far more than the newer ones.
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
    /// Why older copies were not removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
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
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = r#"  scrubjay backup
  scrubjay backup --list"#;

    async fn run(ctx: &Ctx, input: BackupInput) -> Result<BackupOutput> {
        if input.list {
            return Ok(BackupOutput { backups: list(ctx)?, ..BackupOutput::default() });
        }
        let store = ctx.store().await?;
        let (copy, pruned) = match input.path {
            Some(path) => (store.backup(&path).await?, backups::Pruned::default()),
            None => backups::make(&*store, ctx.home(), ctx.now(), ctx.config().settings.backup.keep).await?,
        };
        let created = BackupRecord { path: copy.path, size_bytes: copy.size_bytes, memories: Some(copy.memories) };
        let warnings = match pruned.spared.first() {
            None => Vec::new(),
            Some(first) => vec![format!(
                "{} older backups are kept beyond backup.keep, because they are of another store or hold far more than \
                 the newer ones ({} is one); remove them by hand when you are sure",
                pruned.spared.len(),
                first.display()
            )],
        };
        Ok(BackupOutput { created: Some(created), backups: list(ctx)?, removed: pruned.removed, warnings })
    }
}

fn list(ctx: &Ctx) -> Result<Vec<BackupRecord>> {
    let record = |file: BackupFile| BackupRecord { path: file.path, size_bytes: file.size_bytes, memories: None };
    Ok(backups::list(ctx.home())?.into_iter().map(record).collect())
}
