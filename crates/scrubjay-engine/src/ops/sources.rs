//! Listing what is read from outside.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use scrubjay_store::source::{SourceKind, SourcePlace};
use serde::{Deserialize, Serialize};

use super::operation::{Group, Operation, Risk, Surfaces};
use crate::sync::with_home;
use crate::{Ctx, EngineError, Result};

/// List the folders and transcripts that are read.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SourcesInput {
    /// Those of all projects, also of folders that are gone. For the owner.
    pub all: bool,
}

/// The places.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SourcesOutput {
    /// Those of this project and those for all, or everything.
    pub sources: Vec<SourceRecord>,
}

/// A place that is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceRecord {
    /// workspace, notes or transcripts.
    pub kind: String,
    /// The folder or file.
    pub path: String,
    /// How transcripts are written; for a workspace, notes if only those are read; for notes, facts if they go both ways.
    pub format: Option<String>,
    /// Who may see what is read there. Transcripts name their own projects.
    pub scope: String,
    /// When it was named first.
    pub added_at: String,
    /// When it was last read to the end.
    pub synced_at: Option<String>,
    /// Whether something is known to have changed since.
    pub stale: bool,
    /// Whether it is not there now.
    pub missing: bool,
}

impl From<&SourcePlace> for SourceRecord {
    fn from(place: &SourcePlace) -> Self {
        Self {
            kind: place.kind.name().to_owned(),
            path: place.path.clone(),
            format: (!place.format.is_empty()).then(|| place.format.clone()),
            scope: place.scope.to_string(),
            added_at: place.added_at.to_string(),
            synced_at: place.synced_at.map(|time| time.to_string()),
            stale: place.dirty,
            missing: !Path::new(&place.path).exists(),
        }
    }
}

/// `sources`.
pub struct Sources;

impl Operation for Sources {
    type Input = SourcesInput;
    type Output = SourcesOutput;
    const NAME: &'static str = "sources";
    const RISK: Risk = Risk::Read;
    const SURFACES: Surfaces = Surfaces { command: &["sources"], http: true, mcp: None };
    const GROUP: Group = Group::Files;
    const EXAMPLES: &'static str = r#"  scrubjay sources
  scrubjay sources --all"#;

    async fn run(ctx: &Ctx, input: SourcesInput) -> Result<SourcesOutput> {
        let is_owner = ctx.need_owner("reading transcripts").is_ok();
        let store = ctx.store().await?;
        let mut places = if input.all {
            ctx.need_owner("listing what is read in all projects")?;
            store.all_sources().await?
        } else {
            store.sources(ctx.view()).await?
        };
        places.retain(|place| is_owner || place.kind != SourceKind::Transcripts);
        Ok(SourcesOutput { sources: places.iter().map(SourceRecord::from).collect() })
    }
}

/// The places at this path, of this project or, if there is none, of any: nobody can stand in a folder that is gone, so
/// its project need not be named.
pub(super) async fn places_at(ctx: &Ctx, path: &str) -> Result<Vec<SourcePlace>> {
    if path.trim().is_empty() {
        return Err(EngineError::invalid("say which folder; `scrubjay sources --all` lists them"));
    }
    let named = with_home(ctx, path);
    let given = ctx.folder().map_or_else(|| PathBuf::from(&named), |folder| folder.join(&named));
    // A folder that is gone can still be named as it was.
    let real = given.canonicalize().unwrap_or(given);
    let is_meant = |place: &SourcePlace| place.path == path || real.to_str() == Some(place.path.as_str());
    let store = ctx.store().await?;
    let mut found = store.sources(ctx.view()).await?;
    found.retain(is_meant);
    if found.is_empty() {
        found = store.all_sources().await?;
        found.retain(is_meant);
    }
    if found.is_empty() {
        return Err(EngineError::not_found(format!("{path} is not read; `scrubjay sources --all` lists what is")));
    }
    Ok(found)
}
