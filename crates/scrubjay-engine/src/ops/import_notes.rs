//! Taking in the notes that a client keeps.

use std::path::PathBuf;

use schemars::JsonSchema;
use scrubjay_store::source::SourceKind;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::sources::SourceRecord;
use super::sync::SyncRecord;
use crate::clients::{CLIENTS, Notes};
use crate::sync::{SyncOptions, SyncReport, Trigger, adopt, notes, readable, sync_place};
use crate::{Ctx, EngineError, Result, project};

/// Take in the notes that a client keeps for itself, and keep them in step.
///
/// Notes of a project are seen in that project only. The client's files are not touched.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ImportNotesInput {
    /// Whose notes.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "CLIENT"}, "enum" = note_keepers()))]
    pub client: String,
    /// Only say which folders there are.
    pub dry_run: bool,
}

/// What was taken in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportNotesOutput {
    /// The folders.
    pub sources: Vec<SourceRecord>,
    /// What was done.
    #[serde(flatten)]
    pub done: SyncRecord,
}

/// `import.notes`.
pub struct ImportNotes;

impl Operation for ImportNotes {
    type Input = ImportNotesInput;
    type Output = ImportNotesOutput;
    const NAME: &'static str = "import.notes";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["import", "notes"], http: true, mcp: None };
    const GROUP: Group = Group::Store;
    const EXAMPLES: &'static str = "  scrubjay import notes claude-code --dry-run";

    async fn run(ctx: &Ctx, input: ImportNotesInput) -> Result<ImportNotesOutput> {
        let started = ctx.elapsed();
        let (client, _) = readable(&input.client)?;
        // A store that cannot be used is told before anything is looked for.
        ctx.store().await?;
        let (folders, nobodys) = notes(ctx, client.name, &known_folders(ctx).await?)?;
        if folders.is_empty() && nobodys.is_empty() {
            return Err(EngineError::not_found(format!("{} keeps no notes on this machine", client.title)));
        }
        let mut output = ImportNotesOutput::default();
        let mut sum = SyncReport::default();
        for folder in folders {
            let path = folder.path.canonicalize().map_err(|error| EngineError::io("find", &folder.path, error))?;
            if input.dry_run {
                output.sources.push(SourceRecord {
                    kind: SourceKind::Notes.name().to_owned(),
                    path: path.display().to_string(),
                    scope: folder.scope.to_string(),
                    ..SourceRecord::default()
                });
                continue;
            }
            let place = adopt(ctx, &folder.scope, SourceKind::Notes, &path, "").await?;
            sum.add(sync_place(ctx, &place, Trigger::Force, SyncOptions::default()).await?);
            let synced_at = Some(ctx.now().to_string());
            output.sources.push(SourceRecord { synced_at, stale: false, ..SourceRecord::from(&place) });
        }
        for folder in nobodys {
            let explanation = "it cannot be told which project it belongs to; stand in that project and try again";
            sum.skip(folder.display().to_string(), "unknown-project", explanation.to_owned());
        }
        output.done = SyncRecord::new(ctx, sum, ctx.elapsed().saturating_sub(started)).await?;
        Ok(output)
    }
}

// The clients that keep notes.
fn note_keepers() -> Vec<&'static str> {
    let keeps = |notes: &Notes| !matches!(notes, Notes::None);
    let keepers = CLIENTS.iter().filter(|client| client.records.as_ref().is_some_and(|records| keeps(&records.notes)));
    keepers.map(|client| client.name).collect()
}

// The folders of projects that are known, and of the one that the caller stands in.
async fn known_folders(ctx: &Ctx) -> Result<Vec<PathBuf>> {
    let sources = ctx.store().await?.all_sources().await?;
    let files = sources.into_iter().filter(|place| place.kind == SourceKind::Workspace);
    let mut folders: Vec<PathBuf> = files.map(|place| PathBuf::from(place.path)).collect();
    if let Some(folder) = ctx.folder() {
        folders.extend(project::locate(folder, &ctx.known_projects()).map(|detected| detected.root));
        folders.push(folder.to_owned());
    }
    Ok(folders)
}
