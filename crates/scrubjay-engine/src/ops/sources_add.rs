//! Naming a place to read.

use std::path::PathBuf;

use schemars::JsonSchema;
use scrubjay_store::source::SourceKind;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Group, Operation, Risk, Surfaces};
use super::sources::SourceRecord;
use crate::sync::{
    FACT_FILES, Format, SyncOptions, Trigger, added_place, adopt, prepare_folder, sync_place, with_home,
};
use crate::{Ctx, EngineError, Result};

/// Name a folder to be kept in step: a workspace, a folder of notes, or transcripts.
///
/// A repository is read for its own project. Any other folder, such as a vault of notes, is read for the project you stand in, or for all of them if you add it from your home folder; `scope` decides otherwise. It is read by the next sync; `scrubjay index` names a workspace and reads it at once. A folder of notes with `write` goes both ways: each fact of the project is a file in it.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SourcesAddInput {
    /// The folder; for transcripts also one file.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "DIR"}))]
    pub path: String,
    /// What is in it; a workspace, if not given.
    #[schemars(extend("enum" = ["workspace", "notes", "transcripts"]))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// How transcripts are written.
    #[schemars(extend("enum" = Format::names()))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Where the notes are to live, if not in the project: global.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Write the facts as files into this folder of notes, and take what you edit, add or delete there back.
    pub write: bool,
    /// Allow a home folder or the root of the disk.
    pub force: bool,
}

/// `sources.add`.
pub struct SourcesAdd;

impl Operation for SourcesAdd {
    type Input = SourcesAddInput;
    type Output = SourceRecord;
    const NAME: &'static str = "sources.add";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["sources", "add"], http: true, mcp: None };
    const GROUP: Group = Group::Files;
    const EXAMPLES: &'static str = r#"  scrubjay sources add ./notes --kind notes --scope global
  scrubjay sources add ./facts --kind notes --write"#;

    async fn run(ctx: &Ctx, input: SourcesAddInput) -> Result<SourceRecord> {
        let kind = match input.kind.as_deref() {
            None => SourceKind::Workspace,
            Some(name) => SourceKind::from_name(name).ok_or_else(|| {
                EngineError::invalid(format!("`{name}` is no kind of place; use workspace, notes or transcripts"))
            })?,
        };
        if kind != SourceKind::Transcripts && input.format.is_some() {
            return Err(EngineError::invalid("only transcripts have a format; use --kind transcripts"));
        }
        if input.write && kind != SourceKind::Notes {
            return Err(EngineError::invalid("only notes are written; use --kind notes"));
        }
        if input.path.trim().is_empty() {
            return Err(EngineError::invalid("the folder has no name; use . for the one you stand in"));
        }
        let place = match kind {
            SourceKind::Transcripts => {
                let format = Format::named(input.format.as_deref().unwrap_or("generic"))?;
                let named = with_home(ctx, &input.path);
                let path = ctx.folder().map_or_else(|| PathBuf::from(&named), |folder| folder.join(&named));
                let path = path.canonicalize().map_err(|error| EngineError::io("find", &path, error))?;
                adopt(ctx, &format.scope_of_place(ctx), kind, &path, format.name()).await?
            }
            SourceKind::Notes if input.write => return add_fact_files(ctx, &input).await,
            SourceKind::Workspace | SourceKind::Notes => {
                let (root, scope) = added_place(ctx, &input.path, input.force)?;
                let scope = match input.scope.as_deref() {
                    None => scope,
                    named => ctx.scope_named(named)?,
                };
                adopt(ctx, &scope, kind, &root, "").await?
            }
        };
        Ok(SourceRecord::from(&place))
    }
}

// A folder that goes both ways belongs to the project at hand, wherever it lies, and its files are written at once.
async fn add_fact_files(ctx: &Ctx, input: &SourcesAddInput) -> Result<SourceRecord> {
    let named = with_home(ctx, &input.path);
    let path = ctx.folder().map_or_else(|| PathBuf::from(&named), |folder| folder.join(&named));
    prepare_folder(&path)?;
    let root = path.canonicalize().map_err(|error| EngineError::io("find", &path, error))?;
    let scope = ctx.scope_named(input.scope.as_deref())?;
    let place = adopt(ctx, &scope, SourceKind::Notes, &root, FACT_FILES).await?;
    if place.format != FACT_FILES || place.path != root.to_string_lossy() {
        return Err(EngineError::refused(format!(
            "{} is read already, as part of {}; `scrubjay sources remove {1}` ends that",
            root.display(),
            place.path
        )));
    }
    sync_place(ctx, &place, Trigger::Force, SyncOptions::default()).await?;
    Ok(SourceRecord { synced_at: Some(ctx.now().to_string()), stale: false, ..SourceRecord::from(&place) })
}
