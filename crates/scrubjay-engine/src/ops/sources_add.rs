//! Naming a place to read.

use std::path::PathBuf;

use schemars::JsonSchema;
use scrubjay_core::scope::Scope;
use scrubjay_store::source::SourceKind;
use serde::{Deserialize, Serialize};

use super::operation::{Access, Operation, Risk, Surfaces};
use super::sources::SourceRecord;
use crate::sync::{Format, adopt, workspace_of};
use crate::{Ctx, EngineError, Result};

/// Name a folder to be kept in step: a workspace, a folder of notes, or transcripts.
///
/// It is read by the next sync; `scrubjay index` names a workspace and reads it at once.
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
        if input.path.trim().is_empty() {
            return Err(EngineError::invalid("the folder has no name; use . for the one you stand in"));
        }
        let place = match kind {
            SourceKind::Transcripts => {
                let format = Format::named(input.format.as_deref().unwrap_or("generic"))?;
                let path = ctx.folder().map_or_else(|| PathBuf::from(&input.path), |folder| folder.join(&input.path));
                let path = path.canonicalize().map_err(|error| EngineError::io("find", &path, error))?;
                adopt(ctx, &Scope::Global, kind, &path, format.name()).await?
            }
            SourceKind::Workspace | SourceKind::Notes => {
                let (root, scope) = workspace_of(ctx, Some(&input.path), input.force)?;
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
