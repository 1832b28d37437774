//! Indexing a folder.

use schemars::JsonSchema;
use scrubjay_store::source::SourceKind;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::sync::SyncRecord;
use crate::sync::{SyncOptions, Trigger, adopt, place_for, sync_place, workspace_of};
use crate::{Ctx, Result};

/// Index the notes, documents and code of a folder, so that they can be recalled with path and lines.
///
/// Ignore files are respected; hidden files, dependencies, build output, binaries and files with keys are left out, each with its reason. Only what changed since the last time is read. The text can be found at once; vectors follow in the background.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IndexInput {
    /// The folder; the project that you stand in, if not given.
    #[schemars(extend("x-cli" = {"positional": "optional", "value": "DIR"}))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Read every file again and make its pieces anew; also allows a home folder or the root of the disk.
    pub force: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What was indexed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IndexOutput {
    /// The folder.
    pub path: String,
    /// Where its documents live.
    pub scope: String,
    /// What was done.
    #[serde(flatten)]
    pub done: SyncRecord,
}

/// `index`.
pub struct Index;

impl Operation for Index {
    type Input = IndexInput;
    type Output = IndexOutput;
    const NAME: &'static str = "index";
    const RISK: Risk = Risk::Write;
    // A caller who may name any folder may read any file.
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["index"], http: true, mcp: None };
    const GROUP: Group = Group::Files;
    const EXAMPLES: &'static str = r#"  scrubjay index
  scrubjay index --dry-run --json . | jq .skipped_by_reason
  scrubjay recall --source code "where are retries counted""#;

    async fn run(ctx: &Ctx, input: IndexInput) -> Result<IndexOutput> {
        let started = ctx.elapsed();
        let (root, scope) = workspace_of(ctx, input.path.as_deref(), input.force)?;
        // Whoever only asks has nothing read from there later, either.
        let place = if input.dry_run {
            place_for(ctx, &scope, SourceKind::Workspace, &root, "").await?
        } else {
            adopt(ctx, &scope, SourceKind::Workspace, &root, "").await?
        };
        let options = SyncOptions { rebuild: input.force, dry_run: input.dry_run, ..SyncOptions::default() };
        let report = sync_place(ctx, &place, Trigger::Force, options).await?;
        let took = ctx.elapsed().saturating_sub(started);
        Ok(IndexOutput { path: place.path, scope: scope.to_string(), done: SyncRecord::new(ctx, report, took).await? })
    }
}
