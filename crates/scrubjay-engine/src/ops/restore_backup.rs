//! Going back to a copy.

use scrubjay_core::count::counted;
use std::path::PathBuf;

use schemars::JsonSchema;
use scrubjay_store::sqlite::{Options, Restored, SqliteStore};
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use crate::backups;
use crate::blocking::blocking;
use crate::home::Home;
use crate::{Ctx, EngineError, Result};

/// Replace the store's contents by those of a backup.
///
/// The backup is checked first, and what the store holds now is kept: as a backup of its own if it is sound, else as a byte copy of the damaged files.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RestoreBackupInput {
    /// The backup; if not given, the newest one of this store in the backup folder that does not hold far less than an earlier one.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "FILE"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// Only check that the backup restores.
    pub dry_run: bool,
    /// Really replace the store's contents.
    #[schemars(extend("x-cli" = {"short": "y"}))]
    pub yes: bool,
}

/// What was restored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestoreBackupOutput {
    /// The backup.
    pub path: PathBuf,
    /// How many memories it holds.
    pub memories: u64,
    /// Where the former contents are kept.
    pub former: Option<PathBuf>,
    /// Nothing was changed; the backup was only checked.
    pub dry_run: bool,
}

/// `restore-backup`.
pub struct RestoreBackup;

impl Operation for RestoreBackup {
    type Input = RestoreBackupInput;
    type Output = RestoreBackupOutput;
    const NAME: &'static str = "restore-backup";
    const RISK: Risk = Risk::Destroy;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["restore-backup"], http: false, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = "  scrubjay restore-backup --dry-run";

    async fn run(ctx: &Ctx, input: RestoreBackupInput) -> Result<RestoreBackupOutput> {
        let path = match input.path {
            Some(path) => path,
            None => match backups::best(ctx.home(), &ctx.home().store(&ctx.config().settings))? {
                Some((path, _)) => path,
                None => {
                    let folder = ctx.home().backups();
                    return Err(EngineError::not_found(format!(
                        "there is no backup that can be read in {}; name a file",
                        folder.display()
                    )));
                }
            },
        };
        if !path.is_file() {
            return Err(EngineError::not_found(format!("there is no file {}", path.display())));
        }
        let folder = ctx.home().backups();
        Home::private_folder(&folder)?;
        let scratch = folder.join(format!("{}.scratch", ctx.uuid()?));
        let copy = path.clone();
        let memories = blocking("checking the backup", move || SqliteStore::verify_backup(&copy, &scratch)).await??;
        if input.dry_run {
            return Ok(RestoreBackupOutput { path, memories, former: None, dry_run: true });
        }
        if !input.yes {
            let message = format!(
                "{} is sound and holds {}; repeat with --yes to replace the store's contents",
                path.display(),
                counted(memories, "memory", "memories")
            );
            return Err(EngineError::refused(message));
        }
        let options = Options::new(ctx.home().store(&ctx.config().settings));
        let aside = folder.join(format!("{}.before-restore.{}", ctx.home().agent, ctx.uuid()?));
        let copy = path.clone();
        let restored: Restored =
            blocking("restoring the backup", move || SqliteStore::restore(&options, &copy, &aside)).await??;
        Ok(RestoreBackupOutput { path, memories, former: restored.former, dry_run: false })
    }
}
