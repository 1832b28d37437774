//! No longer reading a place.

use std::path::PathBuf;

use schemars::JsonSchema;
use scrubjay_store::source::{SourceKind, SourcePlace};
use serde::{Deserialize, Serialize};

use super::operation::{Access, Operation, Risk, Surfaces};
use crate::{Ctx, EngineError, Result};

/// Documents listed at a time.
const PAGE: usize = 500;

/// Stop reading a folder, and take its documents out of the index.
///
/// Its files are not touched, and indexing it again brings everything back. A folder of another project, or one that is gone, is named by its whole path. Messages of transcripts are memories and stay.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SourcesRemoveInput {
    /// The folder or file, as `sources` shows it.
    #[schemars(extend("x-cli" = {"positional": "one", "value": "DIR"}))]
    pub path: String,
    /// Leave its documents in the index as they are.
    pub keep_documents: bool,
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourcesRemoveOutput {
    /// The folder or file.
    pub path: String,
    /// Documents taken out of the index.
    pub documents: u64,
}

/// `sources.remove`.
pub struct SourcesRemove;

impl Operation for SourcesRemove {
    type Input = SourcesRemoveInput;
    type Output = SourcesRemoveOutput;
    const NAME: &'static str = "sources.remove";
    const RISK: Risk = Risk::Write;
    const ACCESS: Access = Access::Owner;
    const SURFACES: Surfaces = Surfaces { command: &["sources", "remove"], http: true, mcp: None };

    async fn run(ctx: &Ctx, input: SourcesRemoveInput) -> Result<SourcesRemoveOutput> {
        let store = ctx.store().await?;
        if input.path.trim().is_empty() {
            return Err(EngineError::invalid("say which folder; `scrubjay sources --all` lists them"));
        }
        let given = ctx.folder().map_or_else(|| PathBuf::from(&input.path), |folder| folder.join(&input.path));
        // A folder that is gone can still be named as it was.
        let real = given.canonicalize().unwrap_or(given);
        let is_meant = |place: &SourcePlace| place.path == input.path || real.to_str() == Some(place.path.as_str());
        let mut found = store.sources(ctx.view()).await?;
        found.retain(is_meant);
        // Nobody can stand in a folder that is gone, so its project need not be named.
        if found.is_empty() {
            found = store.all_sources().await?;
            found.retain(is_meant);
        }
        if found.is_empty() {
            let message = format!("{} is not read; `scrubjay sources --all` lists what is", input.path);
            return Err(EngineError::not_found(message));
        }
        let mut output = SourcesRemoveOutput { path: found[0].path.clone(), documents: 0 };
        for place in found {
            store.remove_source(&place.scope, place.kind, &place.path).await?;
            if place.kind == SourceKind::Transcripts || input.keep_documents {
                continue;
            }
            let prefix = format!("{}/", place.path.trim_end_matches('/'));
            loop {
                let page = store.documents(&place.scope, &prefix, None, PAGE).await?;
                if page.is_empty() {
                    break;
                }
                let paths = page.into_iter().map(|document| document.path).collect();
                output.documents += store.remove_documents(&place.scope, paths, None).await? as u64;
            }
        }
        // What stays is known by its name alone from now on.
        if input.keep_documents {
            ctx.index().await?.bring_up_to_date(&*store, true).await?;
        }
        Ok(output)
    }
}
